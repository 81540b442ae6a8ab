public import Foundation

extension WriteTransaction {
    /// Replaces the row with an element's id by the element.
    ///
    /// - Returns: The row as it was stored.
    /// - Throws: `notFound` if there is no such row; otherwise as `insert(_:)`.
    @discardableResult
    public func update<Element: Model>(_ element: Element) throws -> Element {
        try perform {
            let entity = try entity(Element.self)
            var row = RowWriter(context: entity.errorContext)
            try element.encode(into: &row)
            try check(of: entity).complete(&row)
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

    /// Sets attributes of all rows of a query.
    ///
    /// - Parameters:
    ///   - query: The rows. Its limit and offset apply, in its order.
    ///   - changes: The attributes and their new values.
    /// - Returns: The number of rows of the query.
    /// - Throws: As `fetch(_:)` for the query, and as `insert(_:)` for the values.
    /// - Complexity: One statement. Where a value is calculated with decimals, times or related rows, or is part of a
    ///   unique key, the rows are read and held in memory, and written in batches.
    @discardableResult
    public func update<Element: Model>(_ query: Query<Element>, set changes: [Change<Element>]) throws -> Int
    {
        try perform {
            let entity = try entity(Element.self)
            return try update(
                entity, set: try changes.map { try $0.assignment.get() }, where: try target(of: query))
        }
    }

    /// Sets attributes of all rows that match a condition.
    ///
    /// The condition has been validated, the assignments have not.
    func update(_ entity: Entity, set assignments: [Assignment], where condition: Condition) throws -> Int {
        guard Set(assignments.map(\.attribute)).count == assignments.count else {
            throw StoreError(
                .invalidArgument, "An update can set each attribute only once.", entity: entity.name)
        }
        let assignments = try assignments.map { try $0.validated(in: entity, schema: schema) }
        guard try assignments.allSatisfy({ try isDrivers($0, in: entity) }) else {
            return try updateRows(of: entity, set: assignments, where: condition)
        }
        try requireSizes(assignments, of: entity, where: condition)
        return try driver.update(entity, set: assignments, where: condition)
    }

    /// Returns the condition of a query.
    ///
    /// If the query has a limit or an offset, its rows are looked up first, and the condition names their ids.
    func target<Element: Model>(of query: Query<Element>) throws -> Condition {
        var selection = try selection(query)
        guard selection.limit != nil || selection.offset > 0 else { return selection.condition }
        selection.columns = [.attribute("id")]
        var ids: [StoredValue] = []
        try select(selection) { row in
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

    /// Sets an attribute to the value of an expression over the row before the update.
    ///
    /// ```swift
    /// try tx.update(FeedSession.all, set: [.set(\.count, to: #Expression { $0.count + 1 })])
    /// ```
    public static func set<Value>(
        _ keyPath: KeyPath<Element, Value>, to expression: Expression<Element, Value>
    ) -> Self {
        Change(
            assignment: Element.attribute(at: keyPath).flatMap { name in
                .calculated(name, Operand.lowering(expression), as: Value.self)
            })
    }

    /// Sets an optional attribute to the value of a non-optional expression over the row before the update.
    public static func set<Value>(
        _ keyPath: KeyPath<Element, Value?>, to expression: Expression<Element, Value>
    ) -> Self {
        Change(
            assignment: Element.attribute(at: keyPath).flatMap { name in
                .calculated(name, Operand.lowering(expression), as: Value.self)
            })
    }

    /// Sets an attribute to the value of an operand over the row before the update.
    public static func set<Value>(_ keyPath: KeyPath<Element, Value>, to operand: Operand) -> Self {
        Change(
            assignment: Element.attribute(at: keyPath).flatMap {
                .calculated($0, .success(operand), as: Value.self)
            })
    }
}

extension Result where Success == Assignment, Failure == StoreError {
    /// Sets an attribute to an operand.
    ///
    /// Stores calculate with 64-bit integers, doubles and decimals, so the result might not fit into a narrower attribute.
    fileprivate static func calculated<Value>(
        _ name: String, _ operand: Result<Operand, StoreError>, as _: Value.Type
    ) -> Self {
        let type: Any.Type = (Value.self as? any OptionalValue.Type)?.wrappedType ?? Value.self
        return operand.flatMap { operand in
            guard ArithmeticOperator.takes(type) || type == Date.self || !operand.isCalculated else {
                return .failure(
                    StoreError(
                        .unsupported,
                        "A calculation could leave the range of \(type). Set the attribute to constants, or make it "
                            + "an Int, a Double or a Decimal."))
            }
            return .success(Assignment(attribute: name, value: operand))
        }.mapError { error in
            var error = error
            error.attribute = error.attribute ?? name
            return error
        }
    }
}

extension Operand {
    /// Whether the value is the result of arithmetic, and not only chosen among other values.
    fileprivate var isCalculated: Bool {
        switch self {
        case .attribute, .folded, .value: false
        case .arithmetic, .negated, .figure, .overall: true
        case .referenced(_, let inner): inner.isCalculated
        case .coalesce(let first, let second): first.isCalculated || second.isCalculated
        case .conditional(_, let yes, let no): yes.isCalculated || no.isCalculated
        }
    }
}
