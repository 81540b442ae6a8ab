internal import CLMDB
internal import Foundation
internal import SwitchyardCore
internal import Synchronization

/// One opening of a directory with an LMDB database.
///
/// LMDB's own lock for writers waits without a limit, so that a write takes the directory's lock first, which is refused at
/// once while somebody holds it.
final class LMDBStorage: RowStorage {
    private let directory: StoreDirectory
    private let environment: LMDBEnvironment
    /// The number of the last transaction that was committed here.
    private let ownCommit = Atomic(0)

    /// Opens the database of a directory, and creates a missing one if the options allow it.
    ///
    /// - Throws: `notFound`, `notAStore` for anything else that is there, `readOnly`, `full`, `inputOutput`.
    init(_ path: String, options: OpenOptions) throws {
        let isWritable = options.access == .readWrite
        let isCreating = isWritable && options.createsIfMissing
        directory = try StoreDirectory(path, isWritable: isWritable, createsIfMissing: isCreating)
        if try directory.tag(of: LMDBEnvironment.fileName) == nil {
            guard isCreating else { throw StoreError(.notFound, "There is no store at \(path).") }
            if let stranger = try directory.names().first(where: { !LMDBEnvironment.names.contains($0) }) {
                throw StoreError(
                    .notAStore,
                    "\(path) is not the directory of a Switchyard store: it holds \(stranger), and no "
                        + "\(LMDBEnvironment.fileName). Give another path, or empty it; nothing was changed.")
            }
        }
        environment = try LMDBEnvironment.shared(path)
    }

    func read<Result>(_ body: (any RowStore) throws -> Result) throws -> Result {
        let transaction = try LMDBTransaction(environment, isReadOnly: true)
        defer { transaction.abort() }
        return try body(transaction)
    }

    func write<Result>(_ body: (any RowStore) throws -> Result) throws -> Result {
        try directory.whileLocked {
            let transaction = try LMDBTransaction(environment, isReadOnly: false)
            defer { transaction.abort() }
            let result = try body(transaction)
            // Before the file changes: its watchers compare it with this number.
            ownCommit.store(transaction.number, ordering: .sequentiallyConsistent)
            try transaction.commit()
            return result
        }
    }

    func watch(_ body: @escaping @Sendable () -> Void) throws -> (any Sendable & AnyObject)? {
        try directory.watch(LMDBEnvironment.fileName) { [weak self] in
            guard let self else { return }
            if environment.lastCommit != ownCommit.load(ordering: .sequentiallyConsistent) { body() }
        }
    }
}
