internal import CLMDB
internal import SwitchyardCore

/// A transaction of LMDB, with a nested one for each savepoint.
final class LMDBTransaction: RowStore {
    private let environment: LMDBEnvironment
    /// The transaction and those nested in it; the last one is in use.
    private var open: [OpaquePointer] = []

    init(_ environment: LMDBEnvironment, isReadOnly: Bool) throws {
        self.environment = environment
        try begin(isReadOnly ? CUnsignedInt(MDB_RDONLY) : 0)
    }

    private func begin(_ flags: CUnsignedInt) throws {
        var transaction: OpaquePointer?
        let status = mdb_txn_begin(environment.pointer, open.last, flags, &transaction)
        guard status == MDB_SUCCESS, let transaction else { throw StoreError.lmdb(status, "read") }
        open.append(transaction)
    }

    /// The number that the transaction has once it is committed.
    var number: Int { open.first.map { mdb_txn_id($0) } ?? 0 }

    /// Commits the transaction, with what is nested in it.
    func commit() throws { while !open.isEmpty { try release() } }

    /// Undoes what is not committed.
    func abort() { while let transaction = open.popLast() { mdb_txn_abort(transaction) } }

    func savepoint() throws { try begin(0) }

    func release() throws {
        guard let transaction = open.popLast() else { return }
        let status = mdb_txn_commit(transaction)
        guard status == MDB_SUCCESS else { throw StoreError.lmdb(status, "written") }
    }

    func rollback() { if let transaction = open.popLast() { mdb_txn_abort(transaction) } }

    func get(_ key: [UInt8]) throws -> [UInt8]? {
        try key.withValue { key in
            var value = MDB_val()
            let status = mdb_get(open.last, environment.database, &key, &value)
            return try Self.isFound(status) ? value.bytes : nil
        }
    }

    func put(_ value: [UInt8], for key: [UInt8]) throws {
        try key.withValue { key in
            try value.withValue { value in
                let status = mdb_put(open.last, environment.database, &key, &value, 0)
                guard status == MDB_SUCCESS else { throw StoreError.lmdb(status, "written") }
            }
        }
    }

    func delete(_ key: [UInt8]) throws {
        try key.withValue { key in
            let status = mdb_del(open.last, environment.database, &key, nil)
            guard status == MDB_SUCCESS || status == MDB_NOTFOUND else {
                throw StoreError.lmdb(status, "written")
            }
        }
    }

    func scan(
        _ range: ClosedKeyRange, _ direction: SortDirection, _ body: ([UInt8], [UInt8]) throws -> Bool
    ) throws {
        var cursor: OpaquePointer?
        let status = mdb_cursor_open(open.last, environment.database, &cursor)
        guard status == MDB_SUCCESS, let cursor else { throw StoreError.lmdb(status, "read") }
        defer { mdb_cursor_close(cursor) }
        var pair = try Self.first(of: range, direction, cursor)
        while let (key, value) = pair, range.contains(key), try body(key, value) {
            pair = try Self.move(cursor, direction == .ascending ? MDB_NEXT : MDB_PREV)
        }
    }

    private static func first(
        of range: ClosedKeyRange, _ direction: SortDirection, _ cursor: OpaquePointer
    ) throws -> (key: [UInt8], value: [UInt8])? {
        if direction == .ascending { return try move(cursor, MDB_SET_RANGE, to: range.first) }
        // The first key that does not precede the last one is that, or the one behind it.
        guard let found = try move(cursor, MDB_SET_RANGE, to: range.last) else {
            return try move(cursor, MDB_LAST)
        }
        return found.key == range.last ? found : try move(cursor, MDB_PREV)
    }

    private static func move(
        _ cursor: OpaquePointer, _ operation: MDB_cursor_op, to key: [UInt8] = []
    ) throws -> (key: [UInt8], value: [UInt8])? {
        try key.withValue { key in
            var value = MDB_val()
            guard try isFound(mdb_cursor_get(cursor, &key, &value, operation)) else { return nil }
            return (key.bytes, value.bytes)
        }
    }

    private static func isFound(_ status: CInt) throws -> Bool {
        guard status == MDB_SUCCESS || status == MDB_NOTFOUND else { throw StoreError.lmdb(status, "read") }
        return status == MDB_SUCCESS
    }
}

extension [UInt8] {
    /// Calls the body with the bytes as LMDB takes them, which does not change them.
    fileprivate func withValue<Result>(_ body: (inout MDB_val) throws -> Result) rethrows -> Result {
        try withUnsafeBytes { bytes in
            var value = MDB_val(
                mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            return try body(&value)
        }
    }
}

extension MDB_val {
    /// A copy of the bytes, which LMDB keeps only until the next change.
    fileprivate var bytes: [UInt8] { Array(UnsafeRawBufferPointer(start: mv_data, count: mv_size)) }
}
