/// How a store carries out one part of a query.
///
/// ```swift
/// let plans = try tx.explain { try $0.fetch(Film.where(\.genre, .equal, .drama).sorted(by: \.year)) }
/// print(plans[0])  // The statement, the database's plan, and the index that is missing.
/// ```
public struct QueryPlan: Sendable, Hashable {
    /// The entity whose rows are read.
    public let entity: String
    /// The statement, with placeholders for values; nil for a store without statements, which tests each row.
    public let statement: String?
    /// The database's own plan, a line for each step, which may show the query's values; empty for a store without
    /// statements.
    public let steps: [String]
    /// The names of the indexes that the plan uses; a table's own order by id has none.
    public let indexes: [String]
    /// The attributes of an index that the schema lacks and that would find the rows in their order.
    ///
    /// Nil if there is an index, or if none could help, as where a condition calculates.
    public let missingIndex: [String]?
    /// The number of rows that the part returned.
    public let rows: Int
}

extension QueryPlan: CustomStringConvertible {
    /// The statement, the plan and the missing index, on several lines.
    public var description: String {
        var lines = [statement ?? "Every row of \(entity) is tested in memory."]
        lines += steps.map { "  \($0)" }
        if let missingIndex {
            let attributes = missingIndex.map { "\\.\($0)" }.joined(separator: ", ")
            lines.append("  No index serves it. `#Index<\(entity)>([\(attributes)])` would.")
        }
        return (lines + ["  \(rows) \(rows == 1 ? "row" : "rows")"]).joined(separator: "\n")
    }
}

extension ReadTransaction {
    /// Runs a body, and returns how the store carries out each part of its queries.
    ///
    /// A fetch with related rows has a part for each relationship, and a page up to three for each sort key.
    ///
    /// - Parameter body: Reads from the transaction, and really does.
    /// - Returns: A plan for each selection, in their order; none for a row that is found by its id alone.
    /// - Throws: What the body throws.
    public func explain(_ body: (ReadTransaction) throws -> some Any) throws -> [QueryPlan] {
        let driver = ExplainingDriver(driver)
        _ = try body(read(through: driver))
        return driver.plans.all
    }
}

/// Notes how each selection is carried out.
private final class ExplainingDriver: InterceptingDriver {
    let plans: Plans

    /// The plans of all views of a transaction.
    final class Plans {
        var all: [QueryPlan] = []
    }

    init(_ base: any TransactionDriver, noting plans: Plans = Plans()) {
        self.plans = plans
        super.init(base)
    }

    override func select(
        _ selection: Selection, onlyDoubtful: Bool, _ body: (inout RowReader) throws -> Bool
    ) throws {
        let plan = try capability((any SelectionExplaining).self)?.explain(selection)
        var rows = 0
        defer {
            plans.all.append(
                QueryPlan(
                    entity: selection.entity.name, statement: plan?.statement, steps: plan?.steps ?? [],
                    indexes: plan?.indexes ?? [],
                    missingIndex: plan == nil ? nil : selection.missingIndex, rows: rows))
        }
        try super.select(selection, onlyDoubtful: onlyDoubtful) { row in
            rows += 1
            return try body(&row)
        }
    }

    override func view(of schema: Schema) throws -> any TransactionDriver {
        ExplainingDriver(try base.view(of: schema), noting: plans)
    }
}
