extension ReadTransaction {
    /// Decodes the rows of a selection that need not have the id among its columns, and where one cannot be
    /// decoded names it.
    ///
    /// The id is asked for once a row has failed: it would cost every query what only a damaged store needs.
    func decode<Row>(
        _ selection: Selection, _ decode: (inout RowReader) throws -> Row, taking take: (Row) throws -> Void
    ) throws {
        var damage: StoreError?
        try driver.select(selection) { row in
            do {
                try take(try decode(&row))
                return true
            } catch let error as StoreError where error.code == .corrupted {
                damage = error
                return false
            }
        }
        guard let damage else { return }
        try requireDecodable(selection) { row in _ = try decode(&row) }
        throw damage
    }

    /// Looks for a row of a selection that cannot be decoded.
    ///
    /// - Throws: The error of the first one, which names it by its id.
    func requireDecodable(_ selection: Selection, _ decode: (inout RowReader) throws -> Void) throws {
        var identified = selection
        identified.columns.insert(.attribute("id"), at: 0)
        if identified.order.isEmpty { identified.order = [SortKey("id")] }
        try driver.select(identified) { row in
            _ = try row.next()
            try decode(&row)
            return true
        }
    }
}
