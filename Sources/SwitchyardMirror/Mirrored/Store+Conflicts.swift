internal import Foundation
public import SwitchyardCore

/// What a mirrored store's merges did not keep, and what the server has rejected; also for a process that opens the local
/// store alone.
extension Store {
    /// The log of values that merges did not keep, the oldest first.
    ///
    /// Each device has its own copy of the server's log, from the moment at which it was mirrored.
    ///
    /// - Throws: As a read.
    public func mirrorConflicts() async throws -> [MirrorConflict] {
        try await read { tx in
            try MirrorRecords(tx).conflicts(tx.schema).map { try MirrorConflict($0, tx.schema) }
        }
    }

    /// Writes the values of a conflict that were not kept, as an ordinary write, and dismisses it.
    ///
    /// A row that is gone is inserted again, if all of its values are in the log.
    ///
    /// - Parameter conflict: An entry of the log.
    /// - Throws: `notFound` if the row is gone, and the log has only a part of it, or if the entry was dismissed; as a write.
    public func restore(_ conflict: MirrorConflict) async throws {
        try await write { tx in
            try MirrorRecords(tx).take(.conflict, conflict.id)
            let entity = try tx.schema.require(conflict.entity)
            let key = RowKey(entity.name, conflict.row)
            let values = Dictionary(
                conflict.values.map { ($0.attribute, $0.losing) }, uniquingKeysWith: { $1 })
            if try tx.row(of: key) != nil {
                try tx.update(key, values)
            } else {
                var row: [StoredValue] = [.uuid(conflict.row)]
                for attribute in entity.attributes.dropFirst() {
                    guard let value = values[attribute.name] else {
                        throw StoreError(
                            .notFound,
                            "The row was deleted, and the log of conflicts has only some of its values. Nothing was changed.",
                            entity: entity.name)
                    }
                    row.append(value)
                }
                try tx.insertRows(into: entity.name, [row])
            }
        }
    }

    /// Removes an entry from this device's copy of the log of conflicts.
    ///
    /// - Throws: `notFound` if it was dismissed before; as a write.
    public func dismiss(_ conflict: MirrorConflict) async throws {
        try await write { try MirrorRecords($0).take(.conflict, conflict.id) }
    }

    /// The local writes that the server has rejected, the oldest first.
    ///
    /// - Throws: As a read.
    public func rejectedWrites() async throws -> [RejectedWrite] {
        try await read { tx in
            try MirrorRecords(tx).quarantined(tx).map { try RejectedWrite($0.mutation, $0.reason, tx.schema) }
        }
    }

    /// Makes a rejected write once more, as a new one, on the rows as they are now.
    ///
    /// - Throws: `notFound` if a row to update is gone, or if somebody has decided on the write before; as a write, if its
    ///   values are still not allowed. It stays rejected then.
    public func retry(_ rejected: RejectedWrite) async throws {
        try await write { tx in
            try MirrorRecords(tx).take(.quarantined, rejected.id)
            for change in rejected.changes {
                let key = RowKey(change.entity, change.row)
                switch change.kind {
                case .delete:
                    _ = try tx.deleteRows(
                        of: change.entity,
                        where: .compare(.attribute("id"), .equal, .value(.uuid(change.row))))
                case .insert where try tx.row(of: key) == nil:
                    let attributes = try tx.schema.require(change.entity).attributes
                    try tx.insertRows(
                        into: change.entity, [attributes.map { change.values[$0.name] ?? .null }])
                case .insert, .update:
                    guard try tx.row(of: key) != nil else {
                        throw StoreError(
                            .notFound, "The row that the write changes is gone. Nothing was changed.",
                            entity: change.entity)
                    }
                    try tx.update(key, change.values)
                }
            }
        }
    }

    /// Forgets a rejected write.
    ///
    /// - Throws: `notFound` if somebody has decided on it before; as a write.
    public func discard(_ rejected: RejectedWrite) async throws {
        try await write { try MirrorRecords($0).take(.quarantined, rejected.id) }
    }
}

extension MirrorRecords {
    /// Removes a record.
    ///
    /// - Throws: `notFound` if there is none.
    fileprivate func take(_ kind: Kind, _ id: UUID) throws {
        guard try record(kind, id) != nil else {
            throw StoreError(.notFound, "Somebody has decided on this before. Nothing was changed.")
        }
        try remove(kind, [id])
    }
}

extension WriteTransaction {
    fileprivate func update(_ key: RowKey, _ values: [String: StoredValue]) throws {
        let assignments = values.filter { $0.key != "id" }.sorted { $0.key < $1.key }
        guard !assignments.isEmpty else { return }
        try updateRows(
            of: key.entity, set: assignments.map { Assignment(attribute: $0.key, value: .value($0.value)) },
            where: .compare(.attribute("id"), .equal, .value(.uuid(key.id))))
    }
}
