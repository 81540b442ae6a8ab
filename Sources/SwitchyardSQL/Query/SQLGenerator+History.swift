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
                arithmetic.id.filled(with: "\"last\".\"place\" + 1"), parameter(3),
                arithmetic.digest.filled(
                    with: "\"last\".\"digest\" || \(arithmetic.bytes.filled(with: parameter(3)))"),
            ] + (4..<columns.count + 1).map(parameter)
        let scope = isScoped ? [parameter(0)] : []
        let isHere = isScoped ? "\(Self.scopeColumn) = \(parameter(0)) AND " : ""
        let order = key(["\"id\""]).replacing(",", with: " DESC,")
        writer.write(
            """
            INSERT INTO \(layout.table) (\(key(columns))) SELECT \((scope + values).joined(separator: ", ")) FROM (\
            (SELECT \(arithmetic.place.filled(with: "\"id\"")) AS "place", "digest" FROM \(layout.table) \
            WHERE \(isHere)"id" > \(parameter(1)) ORDER BY \(order) DESC LIMIT 1) \
            UNION ALL SELECT \(parameter(2)), \(arithmetic.firstDigest) ORDER BY "place" DESC LIMIT 1) AS "last"
            """)
        return writer.text
    }
}
