public import Foundation

extension WriteTransaction {
    /// Replaces the row of an element's id by the element.
    ///
    /// - Returns: The row as it was stored.
    /// - Throws: `notFound` if there is no such row; otherwise as `insert(_:)`.
    @discardableResult
    public func update<Element: Model>(_ element: Element) throws -> Element {
        try perform {
            let entity = try entity(Element.self)
            var row = RowWriter(context: entity.rowContext)
            try element.encode(into: &row)
            try RowCheck(entity).complete(&row)
            let values = try row.storedValues(of: entity)
            let assignments = zip(entity.attributes, values).dropFirst().map { attribute, value in
                Assignment(attribute: attribute.name, value: .value(value))
            }
            let count = try driver.update(
                entity, set: assignments,
                where: .compare(.attribute("id"), .equal, .value(.uuid(element.id.uuid))))
            guard count == 1 else {
                throw StoreError(.notFound, "There is no row with this id to update.", entity: entity.name)
            }
            return try row.read(Element.self)
        }
    }

    /// Sets attributes of all rows that a query asks for.
    ///
    /// - Parameters:
    ///   - query: The rows. Its limit and offset are honoured, in its order.
    ///   - changes: The attributes and their new values.
    /// - Returns: The number of rows asked for.
    /// - Throws: As `fetch(_:)` for the query, and as `insert(_:)` for the values.
    @discardableResult
    public func update<Element: Model>(_ query: Query<Element>, set changes: [Change<Element>]) throws -> Int
    {
        try perform {
            let entity = try entity(Element.self)
            let assignments = try changes.map {
                try $0.assignment.get().validated(in: entity, schema: schema)
            }
            return try driver.update(entity, set: assignments, where: try target(of: query))
        }
    }

    /// The condition of a query; a limit, an offset and the order that they need are resolved to ids first.
    func target<Element: Model>(of query: Query<Element>) throws -> Condition {
        var selection = try selection(query)
        guard selection.limit != nil || selection.offset > 0 else { return selection.condition }
        selection.columns = [.attribute("id")]
        var ids: [StoredValue] = []
        try driver.select(selection) { row in
            ids.append(.uuid(try Identifier<Element>(from: &row).uuid))
            return true
        }
        return .isIn(.attribute("id"), ids)
    }
}

/// One attribute set by an update of many rows.
public struct Change<Element: Model>: Sendable {
    let assignment: Result<Assignment, StoreError>

    /// Sets an attribute to a value.
    public static func set<Value: Sendable>(_ keyPath: KeyPath<Element, Value>, to value: Value) -> Self {
        Change(
            assignment: Element.attribute(at: keyPath).flatMap { name in
                StoredValue.of(value).map { Assignment(attribute: name, value: .value($0)) }
            })
    }

    /// Sets an attribute to what an expression gives for the row as it was.
    ///
    /// ```swift
    /// try tx.update(FeedSession.all, set: [.set(\.count, to: #Expression { $0.count + 1 })])
    /// ```
    public static func set<Value>(
        _ keyPath: KeyPath<Element, Value>, to expression: Expression<Element, Value>
    ) -> Self {
        Change(
            assignment: Element.attribute(at: keyPath).flatMap { name in
                Operand.lowering(expression).map { Assignment(attribute: name, value: $0) }
            })
    }

    /// Sets an attribute to what an operand gives for the row as it was.
    public static func set<Value>(_ keyPath: KeyPath<Element, Value>, to operand: Operand) -> Self {
        Change(
            assignment: Element.attribute(at: keyPath).map { Assignment(attribute: $0, value: operand) })
    }
}
