internal import GRDB
internal import SwitchyardCore
internal import Synchronization

/// What a store keeps for each connection of a pool: GRDB makes and drops those as it needs them.
final class ConnectionRegistry: Sendable {
    /// The state of one connection.
    final class State: @unchecked Sendable {
        // Sendable because it is used by whoever has the connection, and GRDB gives that to one thread at a
        // time.
        let statements: StatementCache
        fileprivate weak var database: Database?

        fileprivate init(_ database: Database, isBorrowed: Bool) {
            self.database = database
            statements = StatementCache(isBorrowed: isBorrowed)
        }
    }

    /// The states by the identity of GRDB's connection, which a new one may have from one that is gone; the
    /// state itself tells them apart.
    private let states = Mutex<[ObjectIdentifier: State]>([:])
    private let isBorrowed: Bool

    /// Makes an empty registry.
    ///
    /// - Parameter isBorrowed: Whether the connections are the app's own, which may close them at any time.
    init(isBorrowed: Bool = false) { self.isBorrowed = isBorrowed }

    /// The state of a connection, which is made ready for the store's statements when it is first met.
    ///
    /// - Throws: `closed` for a connection that is closed, `backend` if SQLite refuses to be extended.
    func state(of database: Database) throws -> State {
        guard let connection = database.sqliteConnection else { throw StoreError.storeClosed }
        let identity = ObjectIdentifier(database)
        if let state = states.withLock({ $0[identity] }), state.database === database { return state }
        try SQLiteExtensions.register(on: connection)
        let state = State(database, isBorrowed: isBorrowed)
        states.withLock { states in
            // Connections that GRDB has dropped are forgotten here, where their number can grow.
            states = states.filter { $0.value.database != nil }
            states[identity] = state
        }
        return state
    }

    /// Lets go of all prepared statements.
    ///
    /// Nobody else may be using a connection meanwhile.
    func removeAllStatements() {
        states.withLock { states in
            for state in states.values { state.statements.removeAll() }
            states.removeAll()
        }
    }
}
