internal import GRDBSQLite
internal import SwitchyardCore

/// The functions and collations that the store's statements need on a connection.
enum SQLiteExtensions {
    /// Registers all of them.
    ///
    /// - Throws: `backend` if SQLite refuses.
    static func register(on connection: OpaquePointer) throws {
        for register in [
            DecimalCollation.register, ArithmeticFunctions.register, SumFunction.register,
            SuffixFunction.register,
            ListTable.register,
        ] {
            let code = register(connection)
            guard code == SQLITE_OK else { throw StoreError(sqlite: code, on: connection) }
        }
    }
}
