internal import Foundation

/// Rows drawn at random out of any number, each with the same chance, by their ids.
///
/// A random number is only drawn for the rows that are taken, which of 1,000,000 are some 8,000.
///
/// Source: K. Li, "Reservoir-Sampling Algorithms of Time Complexity O(n(1 + log(N/n)))", 1994, algorithm L.
struct RandomSample {
    /// The ids that are drawn so far.
    private(set) var ids: [UUID] = []
    private let size: Int
    /// The number of rows seen.
    private var seen = 0
    /// The number of rows before the next one that is taken.
    private var next = 0
    /// The greatest of `size` uniform random numbers in 0...1, as of those that the rows taken so far have.
    private var weight = 1.0

    /// Prepares to draw some rows.
    init(of size: Int) { self.size = size }

    /// Draws among the rows so far and one more.
    mutating func add(_ id: UUID) {
        defer { seen += 1 }
        if ids.count < size {
            ids.append(id)
            if ids.count == size { skip() }
        } else if seen == next {
            ids[Int.random(in: 0..<size)] = id
            skip()
        }
    }

    private mutating func skip() {
        weight *= exp(Self.logarithm() / Double(size))
        let rows = (Self.logarithm() / log1p(-weight)).rounded(.down)
        next = seen + 1 + Int(min(rows, 1e15))
    }

    /// The logarithm of a random number between 0 and 1, without either.
    private static func logarithm() -> Double { log(Double.random(in: Double.leastNormalMagnitude..<1)) }
}
