package import Foundation

extension MigrationStep {
    /// Each row gets a value of an attribute that is calculated from the row, after the stage has changed the tables.
    ///
    /// ```swift
    /// .backfill(\V3.Entry.day) { entry in Day(of: entry.time) }
    /// ```
    ///
    /// A conversion runs within the stage's transaction. A backfill, for tables where that would take too
    /// long, writes at most ten thousand rows at a time. The store keeps its progress, and after an
    /// interruption it continues from there. Until it has ended, the store has the role `migrating`, in which
    /// nothing but a migration opens it.
    ///
    /// - Parameters:
    ///   - attribute: The attribute in the newer version. A new attribute is optional, has a default, or gets
    ///     a value by `.fill`, which the rows have in the meantime.
    ///   - value: Returns the value, given the row as the newer version has it; it may be called again for a
    ///     row. An error ends the migration, and earlier values are kept.
    /// - Returns: The step.
    public static func backfill<New: Model, Value>(
        _ attribute: KeyPath<New, Value>, _ value: @escaping @Sendable (New) throws -> Value
    ) -> MigrationStep {
        MigrationStep(
            kind: Result { () throws(StoreError) in
                .backfill(
                    Backfill(attribute: try PartName(attribute)) { row in
                        try StoredValue.of(value(row.read(New.self))).get()
                    })
            })
    }
}

/// The calculation of an attribute from the rest of its row.
package struct Backfill: Sendable {
    /// The attribute, in the newer version.
    let attribute: PartName
    /// Returns the value, given the row.
    let value: @Sendable (inout RowWriter) throws -> StoredValue
}

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

    /// The share of all rows that are filled, from 0 to 1, given that of the part at work.
    func fraction(with share: Double) -> Double {
        min(max((Double(done) + share) / Double(max(parts, 1)), 0), 1)
    }

    /// Moves on to the next part.
    ///
    /// - Parameters:
    ///   - scope: The scope after this one; nil if it is the last one, or the store has none.
    ///   - first: The first scope.
    mutating func advance(to scope: StoreScope?, orTo first: StoreScope?) {
        (last, filled, done) = (nil, 0, done &+ 1)
        self.scope = scope ?? first
        if scope == nil { attributes.removeFirst() }
    }
}

/// The rows of a store are still being filled: a migration was interrupted, or is at work.
struct UnfinishedBackfill: Error {
    let schema: Schema
    let record: BackfillRecord?
}
