internal import GRDB
internal import GRDBSQLite
internal import SwitchyardCore

/// Steps a statement for GRDB, so that cancellation and transaction observers see the work, and gives the
/// bare statement to read from.
///
/// Bindings are the caller's.
final class CellCursor: DatabaseCursor {
    typealias Element = SQLiteStatement

    let _statement: Statement
    var _isDone = false

    init(_ statement: Statement) { _statement = statement }

    func _element(sqliteStatement: SQLiteStatement) -> SQLiteStatement { sqliteStatement }

    /// Runs the statement to its end once more.
    func run() throws {
        _isDone = false
        try forEach { _ in }
    }
}

/// Thrown through GRDB's loop to leave it early.
struct EndOfInterest: Error {}

extension UnsafeMutableBufferPointer<Cell> {
    /// Takes the columns of the present row.
    ///
    /// The bytes of text and blobs are SQLite's, until the next step.
    func fill(from statement: OpaquePointer) {
        for index in indices {
            // One look-up of the column instead of three. GRDB opens connections without a mutex, and then a
            // column's value may be asked directly (sqlite.org/c3ref/value.html).
            let value = sqlite3_column_value(statement, CInt(index))
            switch sqlite3_value_type(value) {
            case SQLITE_INTEGER: self[index] = Cell(integer: sqlite3_value_int64(value))
            case SQLITE_FLOAT: self[index] = Cell(double: sqlite3_value_double(value))
            case SQLITE_TEXT:
                // The bytes are asked for before their number, as the manual advises.
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
