internal import GRDBSQLite
internal import SwitchyardCore

/// Text in the internal tables of SQLite and of the store.
enum StoredText {
    /// The text in a column of the current row; empty for NULL.
    ///
    /// - Throws: `corrupted` for bytes that are not UTF-8, which another program must have written.
    static func read(_ column: CInt, of statement: OpaquePointer?) throws -> String {
        // The bytes are read before their count, as the manual advises.
        guard let start = sqlite3_column_text(statement, column) else { return "" }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "?"
            throw StoreError(
                .corrupted,
                "The store's own tables hold text that is not UTF-8, in the column \(name). Restore the store from a "
                    + "backup; nothing was changed.")
        }
        return text
    }
}
