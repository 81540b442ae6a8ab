import Foundation

/// A write to a mirrored store, as its process notes it before the commit.
struct Deed: Codable, Sendable {
    /// What it does to a row, which it changes once.
    struct Change: Codable, Sendable {
        enum Kind: String, Codable { case insert, update, delete }

        let kind: Kind
        let row: RowName
        /// The values that are overwritten or deleted, of the attributes whose values are all different.
        var seen: [String: Int] = [:]
        /// The new values of such attributes.
        var made: [String: Int] = [:]
        /// What is added to the row's count.
        var added = 0
    }

    /// Whether the store was a mirror before the write began.
    ///
    /// What is written earlier is sent as rows, when the store becomes one.
    let isMirrored: Bool
    var changes: [Change] = []

    /// How the history names the author of a write.
    static func author(_ worker: Int, _ number: Int) -> String { "\(worker)/\(number)" }
}

/// The place of a row.
struct RowName: Codable, Hashable, Sendable, CustomStringConvertible {
    let entity: String
    let id: UUID

    var description: String { "\(entity) \(id.uuidString.lowercased())" }
}
