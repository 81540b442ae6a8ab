/// Rows without their Swift types, for code that works from the schema alone: transfer, inspection, CSV of any entity.
extension ReadTransaction {
    /// Fetches rows as values, each in the order of the entity's attributes.
    ///
    /// - Throws: `schemaMismatch` for an unknown entity, `unsupported` or `invalidArgument` if the query makes no
    ///   sense, `corrupted` if a row cannot be read.
    public func fetchRows(
        of entityName: String, where condition: Condition = .constant(true), sortedBy order: [SortKey] = [],
        limit: Int? = nil, offset: Int = 0
    ) throws -> [[StoredValue]] {
        var rows: [[StoredValue]] = []
        try select(entityName, where: condition, sortedBy: order, limit: limit, offset: offset) {
            rows.append($0)
        }
        return rows
    }

    /// Calls the body with each row as values, in order, without keeping any of them in memory.
    ///
    /// The body cannot use the transaction, except in the code of a migration's stage, as with `forEach(_:_:)`; rows that
    /// are sorted are all in memory there.
    ///
    /// - Throws: As `fetchRows`, and what the body throws.
    /// - Complexity: Constant memory.
    public func forEachRow(
        of entityName: String, where condition: Condition = .constant(true), sortedBy order: [SortKey] = [],
        limit: Int? = nil, offset: Int = 0, _ body: ([StoredValue]) throws -> Void
    ) throws {
        guard readsInPages else {
            return try select(
                entityName, where: condition, sortedBy: order, limit: limit, offset: offset, body)
        }
        guard order.isEmpty, limit == nil, offset == 0 else {
            return try fetchRows(
                of: entityName, where: condition, sortedBy: order, limit: limit, offset: offset
            ).forEach(body)
        }
        var rest = condition
        while true {
            let rows = try fetchRows(of: entityName, where: rest, limit: 500)
            try rows.forEach(body)
            guard let last = rows.last?.first, rows.count == 500 else { return }
            rest = condition && .compare(.attribute("id"), .greater, .value(last))
        }
    }

    private func select(
        _ entityName: String, where condition: Condition, sortedBy order: [SortKey], limit: Int?,
        offset: Int, _ body: ([StoredValue]) throws -> Void
    ) throws {
        try perform {
            let entity = try schema.require(entityName)
            guard limit ?? 0 >= 0, offset >= 0 else {
                throw StoreError(
                    .invalidArgument, "A limit or an offset cannot be negative.", entity: entityName)
            }
            let order = try order.map { try $0.validated(in: entity, schema).key }
            let selection = Selection.rows(
                of: entity, where: try validated(condition, in: entity),
                order: totalOrder(order),
                limit: limit, offset: offset)
            let types = entity.attributes.map(\.type)
            try select(selection) { row in
                try body(try types.map { try row.read($0) })
                return true
            }
        }
    }

    /// Returns the number of rows of an entity that match a condition.
    ///
    /// - Throws: As `fetchRows`.
    public func countRows(of entityName: String, where condition: Condition = .constant(true)) throws -> Int {
        try perform {
            let entity = try schema.require(entityName)
            return try driver.count(
                of: entity, where: try validated(condition, in: entity))
        }
    }
}
