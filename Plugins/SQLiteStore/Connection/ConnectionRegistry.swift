internal import GRDB
internal import SwitchyardCore
internal import SwitchyardSQL
internal import Synchronization

/// The state that a store keeps for each connection of a pool.
///
/// GRDB creates and drops connections as needed.
final class ConnectionRegistry: Sendable {
    /// The state of one connection.
    final class State: @unchecked Sendable {
        // Sendable because it is only used together with the connection, which GRDB gives to one thread at a time.
        let statements: StatementCache
        let historyEnd = HistoryEnd()
        fileprivate weak var database: Database?

        fileprivate init(_ database: Database, isBorrowed: Bool) {
            self.database = database
            statements = StatementCache(isBorrowed: isBorrowed)
        }
    }

    /// The states by the identity of GRDB's connection.
    ///
    /// A new connection can reuse the identity of a deallocated one; the state itself tells them apart.
    private let states = Mutex<[ObjectIdentifier: State]>([:])
    private let isBorrowed: Bool

    /// Creates an empty registry.
    ///
    /// - Parameter isBorrowed: Whether the connections belong to the app, which may close them at any time.
    init(isBorrowed: Bool = false) { self.isBorrowed = isBorrowed }

    /// Returns the state of a connection.
    ///
    /// The first call prepares the connection for the store's statements.
    ///
    /// - Throws: `closed` for a closed connection, `backend` if SQLite refuses the store's functions.
    func state(of database: Database) throws -> State {
        guard let connection = database.sqliteConnection else { throw StoreError.storeClosed }
        let identity = ObjectIdentifier(database)
        if let state = states.withLock({ $0[identity] }), state.database === database { return state }
        try SQLiteExtensions.register(on: connection)
        let state = State(database, isBorrowed: isBorrowed)
        states.withLock { states in
            // The only place where the number of states grows, so connections that GRDB has dropped are removed here.
            states = states.filter { $0.value.database != nil }
            states[identity] = state
        }
        return state
    }

    /// Finalizes all prepared statements.
    ///
    /// No connection may be in use in the meantime.
    func removeAllStatements() {
        states.withLock { states in
            for state in states.values { state.statements.removeAll() }
            states.removeAll()
        }
    }
}
