internal import Foundation
internal import SwitchyardCore

/// What a device wrote with an earlier version of its schema, and has not sent yet.
struct EarlierVersion {
    let schema: Schema
    /// The numbers of the transactions that were made with it.
    let transactions: Range<Int64>
    /// The rows that the stage after it has kept.
    var rows: [RowKey: [StoredValue]] = [:]
}

extension LocalMirror {
    /// Seals what was made with earlier versions, and says everything that is noted in the words of the present one.
    ///
    /// - Returns: The number of the last transaction that was made with an earlier version; 0 if none was.
    func sealEarlier() throws -> Int64 {
        let stages = try records.migrations()
        guard let last = stages.last else { return 0 }
        let kept = try records.all(.unsentRows).map { try UnsentRows($0.data) }
        var said: Set<UUID> = []
        var start: Int64 = 1
        for (place, stage) in stages.enumerated() {
            var version = EarlierVersion(
                schema: stage.projection.older, transactions: start..<stage.number + 1)
            for unsent in kept where unsent.schema == version.schema {
                for row in unsent.rows {
                    guard case .uuid(let id) = row.first else { continue }
                    version.rows[RowKey(unsent.entity, id)] = row
                }
            }
            try LocalMirror(self, version).seal()
            start = stage.number + 1
            let way = stages[place...].way
            for record in try records.all(.pending) where said.insert(record.id).inserted {
                guard let way else { continue }
                let mutation = try way.raised(try Mutation(record.data, way.older), by: transaction)
                if mutation.changes.isEmpty {
                    try remove([mutation.id])
                } else {
                    try put(mutation, record.number)
                }
            }
        }
        for (mutation, reason, number) in try records.quarantined(transaction) {
            try put(mutation, number)
            try quarantine(mutation.id, reason)
        }
        try note(try records.conflicts(transaction.schema))
        if let way = stages[...].way { try raiseReceived(way) }
        for kind in [MirrorRecords.Kind.unsentRows, .migration] { try records.remove(kind, after: .min) }
        return last.number
    }
}

extension MirrorRecords {
    struct Migration {
        /// The number of the last transaction before it.
        let number: Int64
        let projection: VersionProjection
    }

    /// The migration stages that the store has gone through since the records were written.
    func migrations() throws -> [Migration] {
        try all(.migration).map {
            Migration(
                number: $0.number,
                projection: try JSONDecoder().decode(VersionProjection.self, from: Data($0.data)))
        }
    }

    /// The device's copy of the log of conflicts, in the words of the present schema.
    func conflicts(_ schema: Schema) throws -> [LoggedConflict] {
        let way = try migrations()[...].way
        return try all(.conflict).compactMap { record in
            let entry = try LoggedConflict(id: record.id, record.data, way?.older ?? schema)
            return way.map { way in entry.flatMap { way.raised($0) } } ?? entry
        }
    }

    /// The rejected mutations, in the words of the present schema, each with the number of its record.
    func quarantined(
        _ transaction: ReadTransaction
    ) throws -> [(mutation: Mutation, reason: Rejection, number: Int64)] {
        let way = try migrations()[...].way
        return try all(.quarantined).map { record in
            var bytes = ByteReader(record.data)
            let reason = try bytes.rejection()
            let mutation = try Mutation(
                Array(bytes.take(bytes.count - bytes.position)), way?.older ?? transaction.schema)
            guard let way else { return (mutation, reason, record.number) }
            return (try way.raised(mutation, by: transaction), way.raised(reason), record.number)
        }
    }
}

extension ArraySlice<MirrorRecords.Migration> {
    /// The way through all of them; nil if there are none.
    fileprivate var way: VersionProjection? {
        reduce(nil) { way, stage in way?.followed(by: stage.projection) ?? stage.projection }
    }
}

extension VersionProjection {
    /// A mutation in the words of the newer version, with the rows of its store for what code calculates.
    fileprivate func raised(_ mutation: Mutation, by transaction: ReadTransaction) throws -> Mutation {
        let keys = mutation.changes.compactMap { change in
            entity(older: change.key.entity).map { RowKey($0.newer.name, change.key.id) }
        }
        let rows = try transaction.rows(keys)
        var raised = raised(mutation) { rows[$0]?[$1] }
        // What a server with the newer version has not told was not seen.
        if !raised.isOffer { raised.cursor = 0 }
        return raised
    }
}
