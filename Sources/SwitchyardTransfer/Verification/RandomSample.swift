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
    private var seen: Int64 = 0
    /// The number of rows to skip before the next one in the sample.
    private var next: Int64 = 0
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

    /// Draws among the rows of two samples as if all rows that they were drawn from had been seen by one.
    ///
    /// - Parameters:
    ///   - size: The size of either sample.
    ///   - one: The first sample, and the number of rows that it was drawn from.
    ///   - other: The second sample, and the number of its rows.
    /// - Returns: The rows drawn.
    static func drawn<Row>(
        _ size: Int, from one: (rows: [Row], of: Int), _ other: (rows: [Row], of: Int)
    ) -> [Row] {
        var (first, second) = (
            (left: one.rows.shuffled(), of: one.of), (left: other.rows.shuffled(), of: other.of)
        )
        var drawn: [Row] = []
        while drawn.count < size, first.of + second.of > 0 {
            if Int.random(in: 0..<first.of + second.of) < first.of {
                first.of -= 1
                drawn += first.left.popLast().map { [$0] } ?? []
            } else {
                second.of -= 1
                drawn += second.left.popLast().map { [$0] } ?? []
            }
        }
        return drawn
    }

    private mutating func skip() {
        weight *= exp(Self.logarithm() / Double(size))
        let rows = (Self.logarithm() / log1p(-weight)).rounded(.down)
        next = seen + 1 + Int64(min(rows, 1e15))
    }

    /// The logarithm of a random number between 0 and 1, without either.
    private static func logarithm() -> Double { log(Double.random(in: Double.leastNormalMagnitude..<1)) }
}
