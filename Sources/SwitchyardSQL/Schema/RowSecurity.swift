/// The rules by which PostgreSQL keeps a role that serves devices to the rows of the household that a transaction is for.
package struct RowSecurity: Sendable, Hashable {
    /// A rule of one table.
    package struct Policy: Sendable, Hashable {
        /// The unquoted names of the table and the rule.
        package let table: String, name: String
        /// `SELECT`, `INSERT`, `UPDATE`, `DELETE` or `ALL`.
        package let command: String
        /// The role that it is for.
        package let role: String
        /// Which rows are there for the role; nil where none is asked for.
        package let rows: String?
        /// Which rows the role may make; nil where it makes none.
        package let newRows: String?
    }

    /// A function that rules ask.
    package struct Function: Sendable, Hashable {
        /// The unquoted name, and the types of the parameters.
        package let name: String, parameters: String
        /// Whether the role may call it, which then acts with the owner's rights; the others are for these functions alone.
        package let isGranted: Bool
        package let definition: String

        /// What it does, as the server keeps it.
        package var body: String {
            let parts = definition.split(separator: Self.quote, omittingEmptySubsequences: false)
            return parts.count > 1 ? String(parts[1]) : ""
        }

        /// What is before and after the body.
        static let quote = "$switchyard$"
    }

    /// The role that serves devices.
    package let role: String
    /// The role that owns the tables.
    package let owner: String
    /// The unquoted names of the store's tables.
    package let tables: [String]
    package let functions: [Function]
    package let policies: [Policy]
    /// What the role may do with each table at all, by the unquoted name.
    package let privileges: [String: [String]]
    /// The statements that set all this up, and again after the tables have changed.
    package let statements: [String]
    /// The statement that keeps others from the tables until the transaction ends; it waits for those that write first.
    package let lockTables: String
    /// The statement by which a transaction goes on as the role.
    package let becomeRole: String
    /// Queries of whether the role sees a row, by the unquoted names of the tables that it may read.
    package let probes: [String: String]

    /// An expression in a form that can be compared, whoever has printed it.
    package static func comparable(_ expression: String?) -> String? {
        expression.map { text in text.filter { !$0.isWhitespace && $0 != "\"" } }
    }
}
