internal import GRDBSQLite
internal import SwitchyardCore

/// What a connection must offer beyond SQLite itself for the statements of a store to run on it.
enum SQLiteExtensions {
    /// Registers all of it.
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
