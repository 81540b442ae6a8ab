internal import SwitchyardCore

extension SQLGenerator {
    /// The text that adds a transaction to the history, at the place after the last; nil where the database cannot
    /// calculate it.
    ///
    /// Its parameters are the scope, if there is one, the id before the first transaction, the transaction's id, its time,
    /// which becomes that of the last one if that is later, and the values of the columns after it.
    var appendHistory: String? {
        guard let digest = dialect.historyDigest,
            let layout = try? layout(HistoryAddition.entity.name)
        else { return nil }
        var writer = SQLWriter(self)
        func parameter(_ number: Int) -> String {
            var writer = SQLWriter(self)
            writer.writePlaceholder(number + (isScoped ? 1 : 0))
            return writer.text
        }
        let columns = layout.entity.attributes.map { SQLDialect.quoted($0.column) }
        let values =
            [
                "coalesce(\"last\".\"id\", \(parameter(1))) + 1", parameter(2),
                digest.hash.filled(
                    with: "coalesce(\"last\".\"digest\", \(digest.first)) || "
                        + digest.bytes.filled(with: parameter(2))),
                // GREATEST leaves nulls out.
                "GREATEST(\(parameter(3)), \"last\".\"time\")",
            ] + (4..<columns.count).map(parameter)
        let scope = isScoped ? [parameter(0)] : []
        writer.write(
            """
            INSERT INTO \(layout.table) (\(key(columns))) SELECT \((scope + values).joined(separator: ", ")) \
            FROM (SELECT 1) AS "one" LEFT JOIN (\(lastOfHistory(in: layout))) AS "last" ON TRUE
            """)
        return writer.text
    }

    /// The query of the id, the digest and the time of the last transaction of the history.
    ///
    /// Its parameters are the scope, if there is one, and the id before the first transaction.
    var lastOfHistory: String {
        get throws { lastOfHistory(in: try layout(HistoryAddition.entity.name)) }
    }

    private func lastOfHistory(in layout: TableLayout) -> String {
        var writer = SQLWriter(self)
        writer.write("SELECT \"id\", \"digest\", \"time\" FROM \(layout.table) WHERE ")
        if isScoped {
            writer.write("\(Self.scopeColumn) = ")
            writer.writePlaceholder(1)
            writer.write(" AND ")
        }
        writer.write("\"id\" > ")
        writer.writePlaceholder(isScoped ? 2 : 1)
        writer.write(" ORDER BY \(key(["\"id\""]).replacing(",", with: " DESC,")) DESC LIMIT 1")
        return writer.text
    }
}
