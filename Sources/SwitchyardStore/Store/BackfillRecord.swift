package import Foundation

/// The progress of a stage's backfills, as the store's marker keeps it.
///
/// They run part by part: a part is the rows of one scope, for one attribute.
package struct BackfillRecord: Sendable, Hashable, Codable {
    /// The attributes that are still to be filled, the current one first, such as `Entry.day`.
    package var attributes: [String]
    /// The scope whose rows are being filled; nil in a store without scopes.
    package var scope: StoreScope?
    /// The id of the last row of the part that was filled; nil before the first one.
    package var last: UUID?
    /// The number of filled rows of the part.
    package var filled = 0
    /// The number of parts, and of completed parts.
    package var parts: Int, done = 0

    package init(attributes: [String], scope: StoreScope?, parts: Int) {
        self.attributes = attributes
        self.scope = scope
        self.parts = parts
    }

    /// The share of all rows that are filled, from 0 to 1, given that of the part at work.
    package func fraction(with share: Double) -> Double {
        min(max((Double(done) + share) / Double(max(parts, 1)), 0), 1)
    }

    /// Moves on to the next part.
    ///
    /// - Parameters:
    ///   - scope: The scope after this one; nil if it is the last one, or the store has none.
    ///   - first: The first scope.
    package mutating func advance(to scope: StoreScope?, orTo first: StoreScope?) {
        (last, filled, done) = (nil, 0, done &+ 1)
        self.scope = scope ?? first
        if scope == nil { attributes.removeFirst() }
    }
}

/// The rows of a store are still being filled: a migration was interrupted, or is at work.
package struct UnfinishedBackfill: Error {
    package let schema: Schema
    package let record: BackfillRecord?
}
