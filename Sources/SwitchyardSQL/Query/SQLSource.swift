/// The table whose row a condition is about, and how its columns are named there.
struct SQLSource {
    let layout: TableLayout
    /// What stands before a column in the table's own clause; nil for the outermost table, whose columns
    /// stand alone.
    let alias: String?
    /// How many `EXISTS` this is inside.
    let depth: Int

    /// The outermost table.
    init(_ layout: TableLayout) {
        self.layout = layout
        alias = nil
        depth = 0
    }

    /// The table of an `EXISTS` inside another source.
    ///
    /// The alias is one that no entity can have as its name.
    init(_ layout: TableLayout, inside outer: SQLSource) {
        self.layout = layout
        depth = outer.depth + 1
        alias = SQLDialect.quoted("switchyard_\(depth)")
    }

    /// A column as the source's own clause names it.
    func column(_ name: String) -> String { alias.map { "\($0).\(name)" } ?? name }

    /// A column as a clause inside this one names it.
    func outerColumn(_ name: String) -> String { "\(alias ?? layout.qualifier).\(name)" }
}
