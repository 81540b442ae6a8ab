public import Foundation
public import SwitchyardCore

extension ReadTransaction {
    /// The devices of the household that have inserted rows: who has logged what.
    ///
    /// A device learns it with each row that an exchange brings, its own ones included; not of rows that were there before it
    /// joined or that it has taken as a whole, and of the last 10,000 exchanges only. `Membership.member(ofDevice:)` tells whose
    /// they are.
    ///
    /// - Parameter rows: The ids of the rows.
    /// - Returns: The id of each row's device; nothing for a row of which it is not known.
    /// - Throws: As a read.
    public func insertingDevices(of rows: some Sequence<UUID>) throws -> [UUID: UUID] {
        var (wanted, found) = (Set(rows), [UUID: UUID]())
        guard !wanted.isEmpty else { return [:] }
        try MirrorRecords(self).forEach(.inserted, order: .descending) { record in
            var bytes = ByteReader(record.data)
            let device = try bytes.uuid()
            while !bytes.isAtEnd {
                let row = try bytes.uuid()
                if wanted.remove(row) != nil { found[row] = device }
            }
            return !wanted.isEmpty
        }
        return found
    }
}

extension LocalMirror {
    /// Of how many exchanges it is known who has inserted their rows.
    private static let mostInserted = 10_000

    package func noteInserters(of rows: [RowPatch]) throws {
        let inserted = Dictionary(grouping: rows.filter { $0.inserter != nil }, by: \.inserter)
        guard !inserted.isEmpty else { return }
        let now = Date().microseconds
        try records.put(
            .inserted,
            inserted.compactMap { device, rows in
                guard let device else { return nil }
                var bytes = ByteWriter()
                bytes.write(device)
                for row in rows { bytes.write(row.key.id) }
                return MirrorRecords.Record(id: UUIDv7.next(), number: now, data: bytes.bytes)
            })
        guard try records.count(.inserted) > Self.mostInserted * 5 / 4 else { return }
        var oldest = Int64.min
        try records.forEach(.inserted, order: .descending, limit: Self.mostInserted + 1) { record in
            oldest = record.number
            return true
        }
        try records.remove(.inserted, upTo: oldest)
    }
}
