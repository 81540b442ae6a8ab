internal import SQLiteStore
internal import SwitchyardCore

extension VirtualTables {
    /// The most keys that a finding names.
    private static let mostKeys = 20

    /// Offers each column of dates as numbers in which a value is no date that a store can have, such as `Date.distantPast`: as
    /// times and numbers beside each other, its values would have two units.
    ///
    /// - Throws: The errors of reading.
    mutating func offerNumbers(for snapshot: FileSnapshot) throws {
        for index in tables.indices {
            let table = tables[index]
            let positions = table.columns.indices.filter { table.columns[$0].reading == .date }
            guard !positions.isEmpty else { continue }
            let terms = positions.map { table.columns[$0].expression }
            var found = [(rows: Int, keys: [ForeignValue])](repeating: (0, []), count: positions.count)
            let condition = terms.map(Self.mayBeNoDate).joined(separator: " OR ")
            try snapshot.forEachRow(table.query(terms + ["r.Z_PK"], joining: [], where: condition)) { cells in
                for term in terms.indices where cells[term].kind != .null && Reading.time(cells[term]) == nil
                {
                    found[term].rows += 1
                    if found[term].keys.count < Self.mostKeys {
                        found[term].keys.append(ForeignValue(cells[terms.count]))
                    }
                }
            }
            let columns = zip(positions, found).filter { $1.rows > 0 }
            guard !columns.isEmpty else { continue }
            note(
                columns.map { position, found in
                    let name = table.columns[position].description.name
                    return ForeignFinding(
                        .datesAsNumbers, table: table.description.name, rows: found.rows,
                        firstKeys: found.keys, needsAcknowledgement: true,
                        "\(found.rows) values of \(name) are no dates of the years 1 to 9999, so that all of its values are "
                            + "offered as numbers: seconds since 2001-01-01 UTC.")
                }, asNumbers: columns.map(\.0), at: index)
        }
    }

    /// The condition that all values meet which are no dates, and also those at the ends of the years.
    private static func mayBeNoDate(_ expression: String) -> String {
        let ends = [Timestamp.range.lowerBound, Timestamp.range.upperBound].map {
            $0 / 1_000_000 - 978_307_200
        }
        return """
            (\(expression) IS NOT NULL AND (typeof(\(expression)) NOT IN ('integer', 'real') \
            OR \(expression) NOT BETWEEN \(ends[0] + 1) AND \(ends[1] - 1)))
            """
    }
}
