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
            let column = CInt(index)
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: self[index] = Cell(integer: sqlite3_column_int64(statement, column))
            case SQLITE_FLOAT: self[index] = Cell(double: sqlite3_column_double(statement, column))
            case SQLITE_TEXT:
                let start = sqlite3_column_text(statement, column)
                self[index] = Cell(.text, start: start, count: Int(sqlite3_column_bytes(statement, column)))
            case SQLITE_BLOB:
                let start = sqlite3_column_blob(statement, column)
                self[index] = Cell(.blob, start: start, count: Int(sqlite3_column_bytes(statement, column)))
            default: self[index] = Cell()
            }
        }
    }
}
