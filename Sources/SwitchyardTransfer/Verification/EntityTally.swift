internal import Foundation
internal import SwitchyardCore

/// The result of a pass over rows of one entity.
struct EntityTally: Sendable {
    /// The number of rows that are drawn.
    static let sampleRows = 1_000

    /// The digest of all of them.
    private(set) var digest = EntityDigest()
    /// Some of them, drawn at random.
    private(set) var sample = RandomSample(of: sampleRows)

    /// Adds a whole row, which can then be read again.
    ///
    /// - Throws: `corrupted` for a row that cannot be read.
    mutating func add(_ row: inout RowReader, by canonical: CanonicalRow) throws {
        let id: UUID = try row.read()
        row.rewind()
        try canonical.read(&row)
        row.rewind()
        add(id, canonical.digest)
    }

    /// Adds a row by its id and its digest.
    mutating func add(_ id: UUID, _ row: UInt128) {
        digest.add(id, row)
        sample.add(id)
    }
}
