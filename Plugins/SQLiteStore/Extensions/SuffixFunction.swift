internal import Foundation
internal import GRDBSQLite

/// The function `switchyard_has_suffix(text, suffix)`, which compares bytes.
enum SuffixFunction {
    static func register(on connection: OpaquePointer) -> CInt {
        sqlite3_create_function_v2(
            connection, "switchyard_has_suffix", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
            { context, _, arguments in
                guard let text = arguments?[0], let suffix = arguments?[1],
                    sqlite3_value_type(text) == SQLITE_TEXT, sqlite3_value_type(suffix) == SQLITE_TEXT
                else { return sqlite3_result_null(context) }
                // The text is read before its size, as the manual requires if a conversion may happen.
                guard let whole = sqlite3_value_text(text), let end = sqlite3_value_text(suffix) else {
                    return sqlite3_result_error_nomem(context)
                }
                let (size, endSize) = (Int(sqlite3_value_bytes(text)), Int(sqlite3_value_bytes(suffix)))
                let isSuffix = endSize <= size && memcmp(whole + (size - endSize), end, endSize) == 0
                sqlite3_result_int(context, isSuffix ? 1 : 0)
            }, nil, nil, nil)
    }
}
