public import Foundation

/// The findings of an app's reads that were compared between a store and its prospective successor.
public struct RehearsalFindings: Sendable, Hashable, Codable {
    /// The number of reads that both have answered, as of the same moment.
    public private(set) var compared = 0
    /// The number of those to which the answers were not the same.
    public private(set) var differing = 0
    /// The number of reads that were not compared, because the new store was behind or ahead each time, or out of reach.
    public package(set) var skipped = 0
    /// The latest of the differences, at most 20, in the order of their discovery.
    public private(set) var differences: [Difference] = []

    private static let mostDifferences = 20

    /// Nothing found so far.
    public init() {}

    /// The finding of one read that both stores have answered.
    package init(ofOneRead differences: [Difference]) {
        compared = 1
        differing = differences.isEmpty ? 0 : 1
        self.differences = differences
    }

    /// How two answers differ; without any values.
    public struct Difference: Sendable, Hashable, Codable {
        /// When it was found.
        public let time: Date
        /// The entity that was asked for.
        public let entity: String
        /// The number of rows that the old store has answered.
        public let rows: Int
        /// The number of rows that the new one has; nil if it could not answer.
        public let newRows: Int?

        /// Describes a difference.
        package init(time: Date, entity: String, rows: Int, newRows: Int?) {
            self.time = time
            self.entity = entity
            self.rows = rows
            self.newRows = newRows
        }
    }

    /// Whether the numbers can have been counted.
    var isPossible: Bool { [compared, differing, skipped].allSatisfy { (0...Int.max / 2).contains($0) } }

    /// Adds what was found later.
    package mutating func add(_ later: RehearsalFindings) {
        compared += later.compared
        differing += later.differing
        skipped += later.skipped
        differences = (differences + later.differences).suffix(Self.mostDifferences)
    }
}
