internal import Foundation
internal import Synchronization

/// The marker and the log of operations.
extension KeyValueTables {
    func marker() throws -> StoreMarker { try known.marker(try store.get(.marker)) }
    func setMarker(_ marker: StoreMarker) throws { try store.put(try marker.bytes(), for: .marker) }

    func record(_ operation: OperationID) throws {
        guard try store.get(.operation(operation)) == nil else {
            throw StoreError.operationCommitted(operation)
        }
        let time = Int64(Date().timeIntervalSince1970)
        let number = try put(operation, time: time)
        guard operation.forgetsOthers else { return }
        var old: [[UInt8]] = []
        try store.scan(.operations, .ascending) { key, value in
            let entry = try OperationEntry(value)
            // While a clock ran fast, it recorded times in the future; without abs, those would expire late.
            if entry.number <= number - Int64(OperationID.leastKept),
                abs(time - entry.time) >= Int64(OperationID.retention)
            {
                old.append(key)
            }
            return true
        }
        for key in old { try store.delete(key) }
    }

    /// Writes an id with the number of its write, which unlike the time always increases.
    private func put(_ operation: OperationID, time: Int64) throws -> Int64 {
        let last = try store.get(.lastOperation).map { try OperationEntry($0).number } ?? 0
        let entry = OperationEntry(time: time, number: last + 1)
        try store.put(entry.bytes, for: .operation(operation))
        try store.put(entry.bytes, for: .lastOperation)
        return entry.number
    }

    func operations(after last: OperationID?, limit: Int) throws -> [CommittedOperation] {
        var found: [CommittedOperation] = []
        guard limit > 0 else { return found }
        let keys = ClosedKeyRange(
            last.map { .operation($0) } ?? ClosedKeyRange.operations.first, ClosedKeyRange.operations.last)
        try store.scan(keys, .ascending) { key, value in
            let id = OperationID(try RowID(bytes: key.suffix(16)).uuid)
            guard id != last else { return true }
            found.append(CommittedOperation(id, time: try OperationEntry(value).time * 1_000_000))
            return found.count < limit
        }
        return found
    }

    func adopt(_ operations: [CommittedOperation]) throws {
        for operation in operations where try store.get(.operation(operation.id)) == nil {
            _ = try put(operation.id, time: operation.time / 1_000_000)
        }
    }

    func contains(_ operation: OperationID) throws -> Bool { try store.get(.operation(operation)) != nil }
}

/// When a write was committed, in seconds since 1970, and its number.
private struct OperationEntry {
    let time: Int64
    let number: Int64

    init(time: Int64, number: Int64) { (self.time, self.number) = (time, number) }

    init(_ bytes: [UInt8]) throws {
        guard bytes.count == 16 else { throw StoreError.damagedBytes("a recorded operation") }
        (time, number) = bytes.withUnsafeBytes {
            (
                Int64(littleEndian: $0.loadUnaligned(as: Int64.self)),
                Int64(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: Int64.self))
            )
        }
    }

    var bytes: [UInt8] {
        withUnsafeBytes(of: (time.littleEndian, number.littleEndian)) { Array($0) }
    }
}

extension StoreMarker {
    /// Decodes the JSON of a marker.
    ///
    /// - Throws: `corrupted` if the marker is missing or cannot be read; `schemaTooNew`.
    static func decode(bytes: [UInt8]?) throws -> StoreMarker {
        try decode(bytes.map { String(decoding: $0, as: UTF8.self) })
    }

    /// The marker as JSON.
    func bytes() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return [UInt8](try encoder.encode(self))
    }
}

/// A schema with what the transactions of a store would otherwise each look up.
final class KeyValueSchema: Sendable {
    let schema: Schema
    let tables: [Entity]
    /// The layouts of the tables' rows.
    let layouts: [Entity]
    /// The positions of the tables that can be found, by name.
    let positions: [String: Int]
    /// The marker that was decoded last, whose JSON is as long as the schema.
    private let marker = Mutex<(bytes: [UInt8], marker: StoreMarker)?>(nil)

    init(_ schema: Schema, without hidden: Set<String> = []) {
        self.schema = schema
        tables = schema.tables
        layouts = tables.map(\.rowLayout)
        positions = Dictionary(
            tables.enumerated().filter { !hidden.contains($1.table) }.map { ($1.table, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    func marker(_ bytes: [UInt8]?) throws -> StoreMarker {
        if let last = marker.withLock({ $0 }), last.bytes == bytes { return last.marker }
        let decoded = try StoreMarker.decode(bytes: bytes)
        if let bytes { marker.withLock { $0 = (bytes, decoded) } }
        return decoded
    }
}
