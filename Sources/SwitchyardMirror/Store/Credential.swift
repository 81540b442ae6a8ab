internal import Foundation
internal import SwitchyardCore

/// The service whose household a device has joined, and its token, in the device's own store.
struct Credential: Codable, Sendable {
    let service: URL
    let token: String
    /// The invitation that was to be accepted, until the service has answered.
    var invitation: UUID?

    private static let id = UUID.numbered(-2)
    private static let keepsRowsID = UUID.numbered(-5)

    static func read(_ transaction: ReadTransaction) throws -> Credential? {
        guard let record = try MirrorRecords(transaction).record(.credential, id) else { return nil }
        do { return try JSONDecoder().decode(Credential.self, from: Data(record.data)) } catch {
            throw StoreError(
                .corrupted,
                "What the store knows of its household's service cannot be read. Join it once more.",
                entity: Entity.mirrorRecord.name)
        }
    }

    func write(_ transaction: WriteTransaction) throws {
        try MirrorRecords(transaction).put(
            .credential, id: Self.id, number: 0, [UInt8](try JSONEncoder().encode(self)))
    }

    /// Whether the rows stay when the membership ends, because the device itself wants to leave; also of a store whose token is
    /// kept elsewhere.
    static func keepsRows(_ transaction: ReadTransaction) throws -> Bool {
        try MirrorRecords(transaction).record(.credential, keepsRowsID) != nil
    }

    /// Notes whether the rows stay when the membership ends.
    ///
    /// - Returns: What was noted before.
    static func keepRows(_ keepsRows: Bool, _ transaction: WriteTransaction) throws -> Bool {
        let before = try Self.keepsRows(transaction)
        if keepsRows {
            try MirrorRecords(transaction).put(.credential, id: keepsRowsID, number: 0, [])
        } else {
            try MirrorRecords(transaction).remove(.credential, [keepsRowsID])
        }
        return before
    }

    /// Ends the part in a household that the store has joined and never exchanged with.
    ///
    /// What was sealed to be sent is forgotten. The rows are the store's own and stay, and so do the rejected writes of an
    /// earlier membership. A store that has joined none stays as it is.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    static func end(_ transaction: WriteTransaction) throws -> Bool {
        guard let credential = try read(transaction), credential.invitation == nil else { return false }
        try MirrorRecords(transaction).removeAll(except: [.quarantined])
        _ = try transaction.removeHistoryConsumer(MirrorRole.consumer)
        return true
    }
}
