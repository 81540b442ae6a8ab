internal import Foundation
internal import GRDBSQLite
internal import SwitchyardCore
internal import SwitchyardSQL

/// Binds values to the parameters of a statement without GRDB's conversions, which truncate text at U+0000 and times to
/// milliseconds.
enum SQLiteBinding {
    /// Binds the cells of a row to consecutive parameters, starting with `first`.
    ///
    /// Text and blobs are not copied: run the statement, and clear or replace its bindings, while the cells are valid.
    static func bind(
        _ cells: UnsafeBufferPointer<Cell>, to statement: OpaquePointer, from first: CInt
    ) -> CInt {
        var index = first
        for cell in cells {
            let code =
                switch cell.kind {
                case .null: sqlite3_bind_null(statement, index)
                case .integer: sqlite3_bind_int64(statement, index, cell.word)
                case .double: sqlite3_bind_double(statement, index, cell.double)
                case .text:
                    sqlite3_bind_text64(
                        statement, index,
                        cell.start?.assumingMemoryBound(to: CChar.self) ?? SQLiteBytes.empty,
                        UInt64(cell.count), nil, UInt8(SQLITE_UTF8))
                case .blob:
                    cell.count == 0
                        ? sqlite3_bind_zeroblob(statement, index, 0)
                        : sqlite3_bind_blob64(statement, index, cell.start, UInt64(cell.count), nil)
                }
            guard code == SQLITE_OK else { return code }
            index += 1
        }
        return SQLITE_OK
    }

    /// Binds the parameters of an SQL statement.
    ///
    /// Text and blobs are copied.
    static func bind(_ parameters: [SQLParameter], to statement: OpaquePointer) -> CInt {
        var index: CInt = 1
        for parameter in parameters {
            let code =
                switch parameter {
                case .value(let value, _): bind(value, to: statement, at: index)
                case .list(let values, _): ListTable.bind(values, to: statement, at: index)
                }
            guard code == SQLITE_OK else { return code }
            index += 1
        }
        return SQLITE_OK
    }

    static func bind(_ value: StoredValue, to statement: OpaquePointer, at index: CInt) -> CInt {
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .bool(let bool): sqlite3_bind_int(statement, index, bool ? 1 : 0)
        case .int(let integer), .timestamp(let integer): sqlite3_bind_int64(statement, index, integer)
        case .day(let day): sqlite3_bind_int64(statement, index, Int64(day.daysSince1970))
        case .double(let double): sqlite3_bind_double(statement, index, double)
        case .decimal(let decimal):
            bind(CanonicalDecimal.text(decimal) ?? "", to: statement, at: index)
        case .text(let text), .json(let text): bind(text, to: statement, at: index)
        case .blob(let data):
            data.isEmpty
                ? sqlite3_bind_zeroblob(statement, index, 0)
                : data.withUnsafeBytes {
                    sqlite3_bind_blob64(
                        statement, index, $0.baseAddress, UInt64($0.count), SQLiteBytes.copied)
                }
        case .uuid(let uuid):
            withUnsafeBytes(of: uuid.uuid) {
                sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), SQLiteBytes.copied)
            }
        }
    }

    private static func bind(_ text: String, to statement: OpaquePointer, at index: CInt) -> CInt {
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_bind_text64(
                    statement, index, $0.baseAddress ?? SQLiteBytes.empty, UInt64($0.count),
                    SQLiteBytes.copied,
                    UInt8(SQLITE_UTF8))
            }
        }
    }
}
