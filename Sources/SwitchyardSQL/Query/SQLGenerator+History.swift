internal import SwitchyardCore

/// How a database calculates the next place in a history from the last one.
struct HistoryArithmetic: Sendable {
    /// The first half of an id as an integer, with `$` for the id.
    let place: String
    /// The id whose first half is an integer, with `$` for that.
    let id: String
    /// The bytes of a transaction's id, with `$` for it.
    let bytes: String
    /// The digest of bytes, with `$` for them.
    let digest: String
    /// The digest before the first transaction.
    let firstDigest: String
}

extension SQLGenerator {
    /// The text that adds a transaction to the history, at the place after the last; nil where the database cannot
    /// calculate it.
    ///
    /// Its parameters are the scope, if there is one, the id and the first half of the id before the first transaction,
    /// the transaction's id, and the values of the columns after the digest.
    var appendHistory: String? {
        guard let arithmetic = dialect.historyArithmetic,
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
                arithmetic.id.filled(with: "coalesce(\"last\".\"place\", \(parameter(2))) + 1"), parameter(3),
                arithmetic.digest.filled(
                    with: "coalesce(\"last\".\"digest\", \(arithmetic.firstDigest)) || "
                        + arithmetic.bytes.filled(with: parameter(3))),
            ] + (4..<columns.count + 1).map(parameter)
        let scope = isScoped ? [parameter(0)] : []
        writer.write(
            """
            INSERT INTO \(layout.table) (\(key(columns))) SELECT \((scope + values).joined(separator: ", ")) \
            FROM (SELECT 1) AS "one" LEFT JOIN \
            (\(lastOfHistory(in: layout, place: "\(arithmetic.place.filled(with: "\"id\"")) AS \"place\""))) AS "last" ON TRUE
            """)
        return writer.text
    }

    /// The query of the id and the digest of the last transaction of the history.
    ///
    /// Its parameters are the scope, if there is one, and the id before the first transaction.
    var lastOfHistory: String {
        get throws { lastOfHistory(in: try layout(HistoryAddition.entity.name), place: "\"id\"") }
    }

    private func lastOfHistory(in layout: TableLayout, place: String) -> String {
        var writer = SQLWriter(self)
        writer.write("SELECT \(place), \"digest\" FROM \(layout.table) WHERE ")
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
