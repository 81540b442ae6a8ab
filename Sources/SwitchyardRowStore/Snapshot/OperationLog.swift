internal import Foundation
internal import HashTreeCollections

/// The operation ids that a store remembers, with the time of each commit.
struct OperationLog: Sendable {
    private var entries: TreeDictionary<OperationID, Entry> = [:]
    private var lastNumber: Int64 = 0

    private struct Entry: Sendable, Codable {
        /// The device's time in seconds since 1970.
        let time: Int64
        /// The number of the write.
        ///
        /// Unlike the time, it always increases.
        let number: Int64
    }

    func contains(_ operation: OperationID) -> Bool { entries[operation] != nil }

    /// Records the id of a write that is about to be committed, and removes old ones now and then.
    ///
    /// - Throws: `duplicateOperation`.
    mutating func record(_ operation: OperationID) throws {
        let time = Int64(Date().timeIntervalSince1970)
        lastNumber += 1
        guard entries.updateValue(Entry(time: time, number: lastNumber), forKey: operation) == nil else {
            throw StoreError.operationCommitted(operation)
        }
        guard operation.forgetsOthers else { return }
        let (retention, lastOld) = (Int64(OperationID.retention), lastNumber - Int64(OperationID.leastKept))
        // While a clock ran fast, it recorded times in the future; without abs, those would expire late.
        entries = entries.filter { $0.value.number > lastOld || abs(time - $0.value.time) < retention }
    }

    /// The ids that follow another one, in ascending order.
    func committed(after last: OperationID?, limit: Int) -> [CommittedOperation] {
        let ids = entries.keys.filter { id in last.map { $0.uuid < id.uuid } ?? true }.map(\.uuid).sorted()
        return ids.prefix(limit).compactMap { uuid in
            let id = OperationID(uuid)
            return entries[id].map { CommittedOperation(id, time: $0.time * 1_000_000) }
        }
    }

    /// Takes over the ids of another store's writes.
    mutating func adopt(_ operations: [CommittedOperation]) {
        for operation in operations where entries[operation.id] == nil {
            lastNumber += 1
            entries[operation.id] = Entry(time: operation.time / 1_000_000, number: lastNumber)
        }
    }
}

extension OperationLog: Codable {
    /// The numbers that a file may contain: those that leave room for arithmetic.
    private static let plausible: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        for (text, entry) in try container.decode([String: Entry].self) {
            guard let id = OperationID(text), Self.plausible.contains(entry.time),
                Self.plausible.contains(entry.number)
            else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "A recorded operation is not valid.")
            }
            entries[id] = entry
            lastNumber = max(lastNumber, entry.number)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let named = entries.map { ($0.key.description, $0.value) }
        try container.encode(Dictionary(named, uniquingKeysWith: { first, _ in first }))
    }
}
