extension ReadTransaction {
    /// Decodes the rows of a selection, whose columns need not include the id; the error of a row that cannot be
    /// decoded names its id.
    ///
    /// The id is only selected after a row has failed, so that queries of an intact store do not pay for it.
    package func decode<Row>(
        _ selection: Selection, _ decode: (inout RowReader) throws -> Row, taking take: (Row) throws -> Void
    ) throws {
        var damage: StoreError?
        try select(selection) { row in
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

    /// Checks that all rows of a selection can be decoded.
    ///
    /// - Throws: The error of the first row that cannot, which names its id.
    package func requireDecodable(_ selection: Selection, _ decode: (inout RowReader) throws -> Void) throws {
        var identified = selection
        identified.columns.insert(.attribute("id"), at: 0)
        if identified.order.isEmpty { identified.order = [SortKey("id")] }
        try select(identified) { row in
            _ = try row.next()
            try decode(&row)
            return true
        }
    }
}
