internal import Foundation
internal import GRDBSQLite

/// How SQLite is given bytes.
enum SQLiteBytes {
    /// Tells SQLite to copy the bytes: `SQLITE_TRANSIENT`, a cast in the C header, which Swift does not import.
    static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    /// An address for empty text, because a null address would mean NULL.
    static var empty: UnsafePointer<CChar> {
        let empty: StaticString = ""
        return UnsafeRawPointer(empty.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
