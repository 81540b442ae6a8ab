internal import GRDB
internal import GRDBSQLite
internal import SwitchyardCore

/// A cursor that steps a statement through GRDB, so that cancellation and transaction observers work, and whose rows
/// are read from the raw statement.
///
/// The caller binds the parameters.
final class CellCursor: DatabaseCursor {
    typealias Element = SQLiteStatement

    let _statement: Statement
    var _isDone = false
    /// Whether a loop over its rows is running.
    var isRunning = false

    init(_ statement: Statement) { _statement = statement }

    func _element(sqliteStatement: SQLiteStatement) -> SQLiteStatement { sqliteStatement }

    /// Runs the statement again, to its end.
    func run() throws {
        _isDone = false
        try forEach { _ in }
    }
}

/// Thrown to leave GRDB's loop early.
struct StopIteration: Error {}

extension UnsafeMutableBufferPointer<Cell> {
    /// Fills the cells with the columns of the current row.
    ///
    /// The bytes of text and blobs belong to SQLite and are valid until the next step.
    func fill(from statement: OpaquePointer) {
        for index in indices {
            // One column lookup instead of three. GRDB opens connections without a mutex, so sqlite3_value functions
            // may be called on the unprotected value (sqlite.org/c3ref/value.html).
            let value = sqlite3_column_value(statement, CInt(index))
            switch sqlite3_value_type(value) {
            case SQLITE_INTEGER: self[index] = Cell(integer: sqlite3_value_int64(value))
            case SQLITE_FLOAT: self[index] = Cell(double: sqlite3_value_double(value))
            case SQLITE_TEXT:
                // The bytes are read before their count, as the manual advises.
                let start = sqlite3_value_text(value)
                self[index] = Cell(.text, start: start, count: Int(sqlite3_value_bytes(value)))
            case SQLITE_BLOB:
                let start = sqlite3_value_blob(value)
                self[index] = Cell(.blob, start: start, count: Int(sqlite3_value_bytes(value)))
            default: self[index] = Cell()
            }
        }
    }
}
