internal import Foundation
internal import GRDB
public import SwitchyardCore
internal import SwitchyardSQL

extension SQLitePlugin {
    /// Makes a file a store in place, or compares it with versions of a schema.
    ///
    /// The file is first copied to `NAME.original.backup`, without writes in progress.
    ///
    /// - Returns: What was found and done.
    /// - Throws: As `ForeignDatabasePlugin` says.
    public static func adopt(
        _ settings: StoreSettings, as versions: [Schema], options: OpenOptions
    ) async throws -> InPlaceAdoption {
        let file = StoreFile(path: try path(of: settings))
        let busyTimeout = try settings.requiredSeconds("busyTimeout")
        let plans = try versions.map { try SQLPlan($0) }
        return try await BlockingWork.run {
            guard try file.exists() else {
                throw StoreError(.notFound, "There is no file at \(file.path). Check its name.")
            }
            // A file that is refused is not even opened for writing, which would checkpoint its log.
            let found = try FileSnapshot.read(file.path, busyTimeout: busyTimeout) { snapshot in
                let found = try snapshot.compared(with: plans)
                try snapshot.requireUnchanged()
                return found
            }
            guard options.access == .readWrite else { return found }
            try found.requirePossible()
            try file.requireWritable()
            do {
                return try file.adopt(plans, options: options, busyTimeout: busyTimeout)
            } catch {
                throw StoreError.translating(error, in: nil, at: file.path)
            }
        }
    }
}

extension StoreFile {
    /// Writes marker and bookkeeping in one transaction, which locks out other writers from the comparison
    /// on.
    fileprivate func adopt(
        _ plans: [SQLPlan], options: OpenOptions, busyTimeout: Double
    ) throws -> InPlaceAdoption {
        var configuration = Configuration()
        configuration.busyMode = BusyWait.atMost(busyTimeout)
        configuration.label = "Switchyard"
        let queue = try DatabaseQueue(path: uri("mode=rw"), configuration: configuration)
        let registry = ConnectionRegistry()
        defer {
            registry.removeAllStatements()
            try? queue.close()
        }
        return try queue.inDatabase { database in
            // A marker must survive a loss of power; on Apple systems, only a full fsync ensures that.
            try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON")
            var adopted: InPlaceAdoption?
            try database.inTransaction(.immediate) {
                var (transaction, found) = try database.comparing(with: plans, registry)
                try found.requirePossible()
                found.backup = try transaction.backUp(as: "original")
                try transaction.becomeStore(
                    StoreMarker(schema: transaction.plan.schema, options: options))
                adopted = found
                return .commit
            }
            guard let adopted else { throw StoreError(.backend, "An adoption has ended without a result.") }
            return adopted
        }
    }
}

extension Database {
    /// Compares the tables with several plans.
    ///
    /// - Throws: `unsupported` for texts in UTF-16, which sort differently; what the comparison throws.
    func comparing(
        with plans: [SQLPlan], _ registry: ConnectionRegistry
    ) throws -> (transaction: SQLiteTransaction, found: InPlaceAdoption) {
        guard try String.fetchOne(self, sql: "PRAGMA encoding") == "UTF-8" else {
            throw StoreError(
                .unsupported,
                "The texts of the file are written in UTF-16, and those of a store in UTF-8. Convert it into a new store "
                    + "instead; nothing was changed.")
        }
        guard let first = plans.first else {
            throw StoreError(.invalidArgument, "There is no version to adopt the file as. Give one.")
        }
        let connection = SQLiteConnection(
            self, schema: first.schema, statements: try registry.state(of: self).statements)
        return try SQLiteTransaction.comparing(connection, with: plans)
    }
}
