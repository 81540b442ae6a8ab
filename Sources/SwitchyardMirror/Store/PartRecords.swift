package import Foundation
package import SwitchyardCore

/// The parts of large mutations that have arrived, in the server's store.
package struct PartRecords {
    private let records: MirrorRecords
    /// The device that has sent them, which alone can name them.
    private let device: UUID
    /// Whether the device's mutations are carried out; a reader's are sent all the same, to be rejected.
    private let mayWrite: Bool
    /// The time in microseconds since 1970.
    private let now: Int64

    /// How long parts wait for the others, in microseconds.
    private static let patience: Int64 = 86_400 * 1_000_000
    /// How many records wait at most in one household: the largest mutations of four devices, each with a note; those of readers
    /// leave half of it to who may write.
    private static let most = 4 * (MutationParts.most + 1)

    package init(_ transaction: ReadTransaction, device: UUID, mayWrite: Bool = true, now: Int64) {
        (records, self.device, self.mayWrite, self.now) = (MirrorRecords(transaction), device, mayWrite, now)
    }

    /// The id of the note that names the mutation whose parts the device sends.
    private var noteID: UUID { DerivedID(namespace: device).uuid(["parts"]) }

    private func id(_ digest: String, _ number: Int) -> UUID {
        DerivedID(namespace: device).uuid(["part", digest, "\(number)"])
    }

    /// The numbers of those that are there; none if all are, and are not the mutation: which of them is damaged is not known.
    package func numbers(of parts: MutationParts) throws -> [Int] {
        let ids = (0..<parts.count).map { id(parts.digest, $0) }
        let found = try records.records(.part, ids)
        let arrived = ids.indices.filter { found[ids[$0]] != nil }
        guard arrived.count == parts.count else { return arrived }
        let bytes = ids.flatMap { found[$0]?.data ?? [] }
        return (try? MutationParts(of: bytes)) == parts ? arrived : []
    }

    /// Keeps a part.
    ///
    /// A device sends one mutation at a time: the parts of another one are forgotten.
    ///
    /// - Throws: `full` if too many wait.
    package func put(_ bytes: [UInt8], number: Int, of digest: String) throws {
        try records.remove(.part, upTo: now - Self.patience)
        if let note = try records.record(.part, noteID), note.data != Array(digest.utf8) {
            let other = String(decoding: note.data, as: UTF8.self)
            try records.remove(.part, (0..<MutationParts.most).map { id(other, $0) })
        }
        guard try records.count(.part) < (mayWrite ? Self.most : Self.most / 2) else {
            throw StoreError(
                .full, "Too many large writes of the household wait for their end. It is tried again.")
        }
        // The note waits as long as the last of the parts.
        try records.put(
            .part,
            [
                MirrorRecords.Record(id: noteID, number: now, data: Array(digest.utf8)),
                MirrorRecords.Record(id: id(digest, number), number: now, data: bytes),
            ])
    }

    /// The bytes of all parts.
    ///
    /// - Throws: `notFound` if one is missing, so that they are sent again.
    package func bytes(of parts: MutationParts) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for number in 0..<parts.count {
            guard let part = try records.record(.part, id(parts.digest, number)) else {
                throw StoreError.missingParts
            }
            bytes += part.data
        }
        guard try MutationParts(of: bytes) == parts else { throw StoreError.missingParts }
        return bytes
    }

    /// Forgets parts whose mutation was carried out.
    package func remove(_ parts: MutationParts) throws {
        try records.remove(.part, (0..<parts.count).map { id(parts.digest, $0) } + [noteID])
    }
}

extension StoreError {
    fileprivate static var missingParts: StoreError {
        StoreError(.notFound, "A part of a large write is missing. All are sent again; nothing was changed.")
    }
}
