import Foundation
import SwitchyardCore
import Synchronization

/// A key-value store in memory, which may be open several times: what the driver for such stores is tested on.
final class ByteMap: Sendable {
    private struct State {
        var bytes = SortedBytes()
        var isLocked = false
        var watches: [(owner: ObjectIdentifier, token: Token)] = []
    }

    /// Ends a watch when it is released.
    final class Token: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private let state = Mutex(State())

    var committed: SortedBytes { state.withLock(\.bytes) }

    /// Replaces a value behind the stores' back.
    func set(_ value: [UInt8], for key: [UInt8]) { state.withLock { $0.bytes.set(value, for: key) } }

    /// Changes all values behind the stores' back whose keys begin with some bytes.
    func change(_ prefix: [UInt8], _ body: ([UInt8]) -> [UInt8]) {
        state.withLock { state in
            for (key, value) in state.bytes.all where key.starts(with: prefix) {
                state.bytes.set(body(value), for: key)
            }
        }
    }

    /// Removes all values behind the stores' back whose keys begin with some bytes.
    func remove(_ prefix: [UInt8]) {
        state.withLock { state in
            for (key, _) in state.bytes.all where key.starts(with: prefix) { state.bytes.remove(key) }
        }
    }

    /// Runs a write while nobody else writes.
    ///
    /// - Throws: `busy` if somebody does; what the work throws.
    func write<Result>(
        by owner: ObjectIdentifier, _ work: (inout SortedBytes) throws -> Result
    ) throws -> Result {
        let found = state.withLock { state -> SortedBytes? in
            defer { state.isLocked = true }
            return state.isLocked ? nil : state.bytes
        }
        guard var bytes = found else { throw StoreError(.busy, "Another store is writing.") }
        defer { state.withLock { $0.isLocked = false } }
        let result = try work(&bytes)
        let watches = state.withLock { state in
            state.bytes = bytes
            return state.watches.filter { $0.owner != owner }
        }
        for watch in watches { watch.token.body() }
        return result
    }

    /// Does work while nobody else can write.
    func whileLocked(_ work: () async throws -> Void) async throws {
        state.withLock { $0.isLocked = true }
        defer { state.withLock { $0.isLocked = false } }
        try await work()
    }

    func watch(by owner: ObjectIdentifier, _ body: @escaping @Sendable () -> Void) -> Token {
        let token = Token(body)
        state.withLock { $0.watches.append((owner, token)) }
        return token
    }
}

/// One opening of a map.
final class ByteStorage: RowStorage {
    private let map: ByteMap

    init(_ map: ByteMap) { self.map = map }

    func read<Result>(_ body: (any RowStore) throws -> Result) throws -> Result {
        try body(ByteTransaction(map.committed))
    }

    func write<Result>(_ body: (any RowStore) throws -> Result) throws -> Result {
        try map.write(by: ObjectIdentifier(self)) { bytes in
            let transaction = ByteTransaction(bytes)
            let result = try body(transaction)
            bytes = transaction.bytes
            return result
        }
    }

    func watch(_ body: @escaping @Sendable () -> Void) throws -> (any Sendable & AnyObject)? {
        map.watch(by: ObjectIdentifier(self), body)
    }
}

private final class ByteTransaction: RowStore {
    private(set) var bytes: SortedBytes
    private var savepoints: [SortedBytes] = []

    init(_ bytes: SortedBytes) { self.bytes = bytes }

    func get(_ key: [UInt8]) -> [UInt8]? { bytes.values[key] }
    func put(_ value: [UInt8], for key: [UInt8]) { bytes.set(value, for: key) }
    func delete(_ key: [UInt8]) { bytes.remove(key) }

    func scan(
        _ range: ClosedKeyRange, _ direction: SortDirection, _ body: ([UInt8], [UInt8]) throws -> Bool
    ) throws {
        let keys = bytes.keys(in: range)
        var (first, last) = (keys.startIndex, keys.endIndex)
        while first < last {
            let key: [UInt8]
            switch direction {
            case .ascending: (key, first) = (keys[first], first + 1)
            case .descending: (key, last) = (keys[last - 1], last - 1)
            }
            guard let value = bytes.values[key], try body(key, value) else { return }
        }
    }

    func savepoint() { savepoints.append(bytes) }
    func release() { savepoints.removeLast() }
    func rollback() { bytes = savepoints.removeLast() }
}

/// Values by key, and the keys in order.
struct SortedBytes: Sendable {
    private(set) var values: [[UInt8]: [UInt8]] = [:]
    private var keys: [[UInt8]] = []

    var all: [(key: [UInt8], value: [UInt8])] { values.map { ($0, $1) } }

    mutating func set(_ value: [UInt8], for key: [UInt8]) {
        if values.updateValue(value, forKey: key) == nil { keys.insert(key, at: place(of: key)) }
    }

    mutating func remove(_ key: [UInt8]) {
        if values.removeValue(forKey: key) != nil { keys.remove(at: place(of: key)) }
    }

    func keys(in range: ClosedKeyRange) -> ArraySlice<[UInt8]> {
        let (start, last) = (place(of: range.first), place(of: range.last))
        let end = last < keys.count && keys[last] == range.last ? last + 1 : last
        return keys[start..<max(start, end)]
    }

    /// The place of the first key that does not precede another one.
    private func place(of key: [UInt8]) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if Self.precedes(keys[middle], key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Compares all bytes at once: unspecialised, a comparison of collections calls several functions for each byte.
    private static func precedes(_ lhs: [UInt8], _ rhs: [UInt8]) -> Bool {
        let order = memcmp(lhs, rhs, min(lhs.count, rhs.count))
        return order == 0 ? lhs.count < rhs.count : order < 0
    }
}
