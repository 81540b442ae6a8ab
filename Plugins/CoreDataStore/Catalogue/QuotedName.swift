internal import SwitchyardCore

extension String {
    /// The name of a table or column as SQLite reads it in a statement.
    var quotedName: String { "\"" + replacingBytes(of: "\"", with: "\"\"") + "\"" }
}
