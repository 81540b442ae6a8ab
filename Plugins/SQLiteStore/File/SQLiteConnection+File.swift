internal import GRDB
internal import SwitchyardCore
internal import SwitchyardSQL

extension SQLiteConnection {
    /// Another connection reads what was committed last while this one holds the lock.
    func backUp(as name: String) throws -> String? {
        try StoreError.file(of: database.sqliteConnection).map { try StoreFile(path: $0).backUp(as: name) }
    }

    func catalog() throws -> SQLiteCatalog {
        func ask(_ text: String) throws -> [[String]] { try values(SQLStatement(text: text)) }
        return SQLiteCatalog(texts: try ask(SQLiteCatalog.query), rows: ask)
    }
}
