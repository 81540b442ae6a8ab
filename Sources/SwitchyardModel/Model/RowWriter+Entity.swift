extension RowWriter {
    /// The values of a finished row's attributes.
    ///
    /// - Throws: `corrupted` if a cell does not fit its attribute's type.
    public mutating func storedValues(of entity: Entity) throws -> [StoredValue] {
        let context = context
        return try withCells { cells in
            guard let start = cells.baseAddress else { return [] }
            var reader = RowReader(cells: start, count: cells.count, context: context)
            return try entity.attributes.map { try reader.read($0.type) }
        }
    }
}
