internal import GRDB
package import SwitchyardCore

/// What SQLite stores for constants, determined by SQLite itself: the text of a number, for instance, depends
/// on its version.
package final class ConstantColumns {
    private let queue: DatabaseQueue

    /// - Throws: SQLite's error, if there is no memory for a database.
    package init() throws {
        queue = try DatabaseQueue()
        try queue.write { database in
            for type in ["INTEGER", "TEXT", "BLOB", "REAL", "NUMERIC"] {
                try database.execute(sql: "CREATE TABLE \(type.lowercased()) (value \(type))")
            }
        }
    }

    /// The value that a column stores, and compares with, for a constant.
    ///
    /// - Parameters:
    ///   - constant: A literal, perhaps with a sign.
    ///   - type: INTEGER, TEXT, BLOB, REAL or NUMERIC.
    /// - Returns: Nil for text that is not a literal.
    package func stored(_ constant: String, as type: String) -> ForeignValue? {
        let table = type.lowercased()
        let value = try? queue.write { database -> DatabaseValue? in
            try database.execute(sql: "DELETE FROM \(table)")
            try database.execute(sql: "INSERT INTO \(table) VALUES (\(constant))")
            return try Row.fetchOne(database, sql: "SELECT value FROM \(table)").map { $0[0] }
        }
        return switch value?.storage {
        case nil: nil
        case .null: .null
        case .int64(let integer): .integer(integer)
        case .double(let real): .real(real)
        case .string(let text): .text(text)
        case .blob(let data): .blob(data)
        }
    }
}
