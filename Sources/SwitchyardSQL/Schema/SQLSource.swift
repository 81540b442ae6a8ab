/// The table whose rows a condition tests, and how to name its columns.
struct SQLSource {
    let layout: TableLayout
    /// The qualifier of columns in the table's own clause; nil for the outermost table, whose columns need none.
    let alias: String?
    /// The number of `EXISTS` around this table.
    let depth: Int

    /// Creates the outermost table, whose columns are qualified if others stand beside it.
    init(_ layout: TableLayout, isQualified: Bool = false) {
        self.layout = layout
        alias = isQualified ? layout.qualifier : nil
        depth = 0
    }

    /// Creates the table of an `EXISTS` inside another source.
    ///
    /// No entity can have the alias as its name.
    init(_ layout: TableLayout, inside outer: SQLSource) {
        self.layout = layout
        depth = outer.depth + 1
        alias = SQLDialect.quoted("switchyard_\(depth)")
    }

    /// The name of a column in the source's own clause.
    func column(_ name: String) -> String { alias.map { "\($0).\(name)" } ?? name }

    /// The name of a column in a clause nested in this one.
    func outerColumn(_ name: String) -> String { "\(alias ?? layout.qualifier).\(name)" }
}
