internal import GRDB
internal import GRDBSQLite
internal import SwitchyardSQL

/// The prepared statements of one connection, by their text; those not used for longest are let go.
///
/// GRDB has a cache too, but one without a bound, and one that would give a statement out a second time while
/// a loop over it is still running. On the app's own connection it is used all the same: that closes only once
/// all statements are let go, and GRDB then lets go of those that it keeps itself.
final class StatementCache {
    private var idle: LRUCache<String, CellCursor>
    private let isBorrowed: Bool

    init(capacity: Int = 128, isBorrowed: Bool = false) {
        idle = LRUCache(capacity: capacity)
        self.isBorrowed = isBorrowed
    }

    /// Lends the statement of a text, ready to be bound.
    ///
    /// A statement that failed is not kept, because SQLite cannot always bring it back to its start.
    func withStatement<Result>(
        _ text: String, on database: Database, _ body: (CellCursor) throws -> Result
    ) throws -> Result {
        let cursor =
            if let cursor = idle.remove(text) {
                cursor
            } else {
                CellCursor(
                    try isBorrowed ? database.cachedStatement(sql: text) : database.makeStatement(sql: text))
            }
        let statement = cursor._statement.sqliteStatement
        let result: Result
        do {
            result = try body(cursor)
        } catch {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
            throw error
        }
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
        if !isBorrowed { keep(cursor, text) }
        return result
    }

    /// Lets go of all statements, as a connection needs before it can be closed.
    func removeAll() { idle.removeAll() }

    private func keep(_ cursor: CellCursor, _ text: String) {
        idle.evict()
        cursor._isDone = false
        idle.insert(cursor, for: text)
    }
}
