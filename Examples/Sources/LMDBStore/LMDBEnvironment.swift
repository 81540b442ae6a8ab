internal import CLMDB
internal import Foundation
internal import SwitchyardCore
internal import Synchronization

/// An open LMDB database; a process may open each file only once.
///
/// Sendable unchecked: it holds constants alone, and LMDB lets several threads use an environment at once.
final class LMDBEnvironment: @unchecked Sendable {
    static let fileName = "data.mdb"
    /// The files of a database, its lock among them.
    static let names: Set = [fileName, "lock.mdb"]

    /// The most bytes that a database can grow to: address space, not memory.
    private static let mapSize = Int(clamping: Int64(1) << 34)
    private static let maxReaders: CUnsignedInt = 512

    let pointer: OpaquePointer
    let database: MDB_dbi

    private struct Known {
        weak var environment: LMDBEnvironment?
    }

    private static let known = Mutex<[String: Known]>([:])

    /// The database in a directory, opened once for all who have it open.
    ///
    /// - Throws: `notAStore` for a file that is no database, `readOnly`, `full`, `inputOutput`.
    static func shared(_ path: String) throws -> LMDBEnvironment {
        // By the directory itself, which has another number once it was removed and made again.
        var status = stat()
        guard stat(path, &status) == 0 else { throw StoreError.lmdb(errno, "opened", at: path) }
        let key = "\(status.st_dev)-\(status.st_ino)"
        return try known.withLock { known in
            if let environment = known[key]?.environment { return environment }
            let environment = try LMDBEnvironment(path)
            known = known.filter { $0.value.environment != nil }
            known[key] = Known(environment: environment)
            return environment
        }
    }

    private init(_ path: String) throws {
        var environment: OpaquePointer?
        var status = mdb_env_create(&environment)
        guard status == MDB_SUCCESS, let environment else {
            throw StoreError.lmdb(status, "opened", at: path)
        }
        do {
            mdb_env_set_maxreaders(environment, Self.maxReaders)
            mdb_env_set_mapsize(environment, Self.mapSize)
            let isWritable = access(path, W_OK) == 0
            // Without thread-local readers, one thread can read by several transactions.
            let flags = CUnsignedInt(MDB_NOTLS) | (isWritable ? 0 : CUnsignedInt(MDB_RDONLY))
            status = mdb_env_open(environment, path, flags, 0o600)
            guard status == MDB_SUCCESS else { throw StoreError.lmdb(status, "opened", at: path) }
            var transaction: OpaquePointer?
            status = mdb_txn_begin(environment, nil, CUnsignedInt(MDB_RDONLY), &transaction)
            guard status == MDB_SUCCESS else { throw StoreError.lmdb(status, "opened", at: path) }
            var database = MDB_dbi()
            status = mdb_dbi_open(transaction, nil, 0, &database)
            // A handle that is to stay belongs to a transaction that was committed.
            guard status == MDB_SUCCESS else {
                mdb_txn_abort(transaction)
                throw StoreError.lmdb(status, "opened", at: path)
            }
            status = mdb_txn_commit(transaction)
            guard status == MDB_SUCCESS else { throw StoreError.lmdb(status, "opened", at: path) }
            (pointer, self.database) = (environment, database)
        } catch {
            mdb_env_close(environment)
            throw error
        }
    }

    deinit { mdb_env_close(pointer) }

    /// The number of the last transaction that was committed, by whomever.
    var lastCommit: Int {
        var info = MDB_envinfo()
        mdb_env_info(pointer, &info)
        return info.me_last_txnid
    }
}

extension StoreError {
    /// The error of a call of LMDB.
    static func lmdb(_ status: CInt, _ action: String, at path: String? = nil) -> StoreError {
        let place = path.map { "The store at \($0)" } ?? "The store"
        let code: Code =
            switch status {
            case MDB_MAP_FULL, ENOSPC, EDQUOT: .full
            case MDB_INVALID, MDB_VERSION_MISMATCH: .notAStore
            case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_PANIC: .corrupted
            case MDB_READERS_FULL: .busy
            case EACCES, EROFS, EPERM: .readOnly
            default: .inputOutput
            }
        return StoreError(code, "\(place) could not be \(action): \(String(cString: mdb_strerror(status))).")
    }
}
