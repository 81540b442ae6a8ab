public import Foundation

extension WriteTransaction {
    /// Inserts a row for each row of a query, in its order.
    ///
    /// ```swift
    /// let count = try tx.insert(
    ///     Revival.self, from: Film.where(#Predicate { $0.year < 1970 }).sorted(by: \.title),
    ///     setting: [.set(\.title, to: \.title), .set(\.seats, to: 90), .set(\.age, to: #Expression { 2030 - $0.year })])
    /// ```
    ///
    /// The query is read before the first row is inserted, so that it may be about the same model. A row gets a new id, unless
    /// `.sameID` is among the values; ids ascend in the query's order. An optional attribute without a value is nil.
    ///
    /// - Parameters:
    ///   - model: The model of the new rows.
    ///   - query: The rows from which they are made. Its limit and offset apply.
    ///   - values: The values of a new row's attributes, each named at most once.
    /// - Returns: The number of rows inserted.
    /// - Throws: As `fetch(_:)` for the query, as `insert(contentsOf:)` for the rows, `arithmetic` for a calculation without a
    ///   result, and `notNull` for a required attribute without a value; nothing is inserted then.
    /// - Complexity: One statement for the query, one for each calculation, and a statement for each batch of new rows, whose
    ///   values are held in memory. With `.sameID`, in a store without a history, an SQL database does all of it by one statement,
    ///   if the new rows have no searchable attributes and no index over texts, and the database calculates the values.
    @discardableResult
    public func insert<Target: Model, Source: Model>(
        _ model: Target.Type, from query: Query<Source>, setting values: [InsertedValue<Target, Source>]
    ) throws -> Int {
        let (count, rows) = try perform { try select(model, from: query, setting: values) }
        return try count ?? insertRows(into: Target.entityName, rows)
    }

    /// Inserts the rows by one statement, or selects their values, in the order of their attributes.
    private func select<Target: Model, Source: Model>(
        _ model: Target.Type, from query: Query<Source>, setting values: [InsertedValue<Target, Source>]
    ) throws -> (count: Int?, rows: [[StoredValue]]) {
        let target = try entity(model)
        var selection = try selection(query)
        let source = selection.entity
        var operands: [String: Operand] = [:]
        for value in values {
            let assignment = try value.assignment.get()
            guard operands.updateValue(assignment.value, forKey: assignment.attribute) == nil else {
                throw StoreError(
                    .invalidArgument, "An insert can set each attribute only once.", entity: target.name,
                    attribute: assignment.attribute)
            }
        }
        let columns = try target.attributes.map { attribute in
            try operands[attribute.name].map { try validated($0, for: attribute, of: target, from: source) }
        }
        if let values = try driverValues(columns, of: target, from: selection),
            let driver = driver as? any SelectionInserting
        {
            var rows = selection
            if rows.limit == nil, rows.offset == 0 { rows.order = [] }
            if let count = try driver.insert(into: target, values, from: rows) { return (count, []) }
        }
        let names = columns.compactMap { $0?.attribute }
        let types = names.map { source.attribute($0)?.type ?? .text }
        selection.columns = (names + ["id"]).map { .attribute($0) }
        var (read, keys): ([[StoredValue]], [RelatedKey]) = ([], [])
        try select(selection) { row in
            read.append(try types.map { try row.read($0) })
            keys.append(RelatedKey(value: try row.read(.uuid), scope: .null))
            return true
        }
        var rows = keys.map { _ in [StoredValue]() }
        for (attribute, operand) in zip(target.attributes, columns) {
            let found: [StoredValue] =
                switch operand {
                case .value(let constant): keys.map { _ in constant }
                case .attribute(let name):
                    names.firstIndex(of: name).map { place in read.map { $0[place] } } ?? []
                case let calculated?:
                    try self.values(of: calculated, for: keys, in: source)
                case nil where attribute.name == "id": keys.map { _ in .uuid(Identifier<Target>().uuid) }
                case nil: keys.map { _ in attribute.defaultValue ?? .null }
                }
            for (row, value) in found.enumerated() { rows[row].append(value) }
        }
        return (nil, rows)
    }

    /// The values of each attribute, for a driver; nil if rows must be checked or completed here.
    private func driverValues(
        _ columns: [Operand?], of target: Entity, from selection: Selection
    ) throws -> [Operand]? {
        let source = selection.entity
        guard RowCheck(target).indexEntries.isEmpty, !target.attributes.contains(where: \.isSearchable),
            try selection.limit == nil && selection.offset == 0 || isOrderedByDriver(selection)
        else { return nil }
        // A row is no larger than the one that it is made of, if each of its texts and blobs is used once.
        var large: Set<String> = []
        var values: [Operand] = []
        for (attribute, operand) in zip(target.attributes, columns) {
            switch operand {
            case .attribute(let name):
                guard let other = source.attribute(name), attribute.isOptional || !other.isOptional,
                    attribute.cases == nil || attribute.cases == other.cases,
                    attribute.domain == nil || attribute.domain == other.domain,
                    !attribute.type.hasVariableLength || large.insert(name).inserted
                else { return nil }
                values.append(.attribute(name))
            case .value(.null), nil:
                guard attribute.isOptional, operand != nil || attribute.defaultValue == nil else {
                    return nil
                }
                values.append(.value(.null))
            case let value?:
                guard attribute.isOptional, attribute.domain == nil,
                    attribute.type == .int || attribute.type == .double,
                    !value.needs.contains(.otherRows), try isDrivers(value, in: source)
                else { return nil }
                values.append(value)
            }
        }
        return values
    }

    private func values(
        of operand: Operand, for keys: [RelatedKey], in source: Entity
    ) throws -> [StoredValue] {
        let found = try values(
            of: operand, in: source, where: .isIn(.attribute("id"), keys.map(\.value)), for: .assignment)
        return keys.map { found[$0] ?? .null }
    }

    /// Checks the value of an attribute: a constant is checked when it is inserted.
    private func validated(
        _ operand: Operand, for attribute: Attribute, of target: Entity, from source: Entity
    ) throws -> Operand {
        if case .value = operand { return operand }
        let function = try AggregateFunction.calculated(.countOf("id"), of: operand)
            .validated(in: source, schema: schema)
        let value = function.calculated ?? operand
        let type = value.type(in: source, of: schema)
        guard type == attribute.type else {
            throw StoreError(
                .unsupported,
                "The attribute has the type \(attribute.type), the value has \(type?.rawValue ?? "none").",
                entity: target.name, attribute: attribute.name)
        }
        return value
    }
}

/// A value of the rows that `WriteTransaction.insert(_:from:setting:)` makes of other rows.
public struct InsertedValue<Target: Model, Source: Model>: Sendable {
    fileprivate let assignment: Result<Assignment, StoreError>

    /// The id is that of the other row.
    public static var sameID: Self {
        InsertedValue(assignment: .success(Assignment(attribute: "id", value: .attribute("id"))))
    }

    /// Sets an attribute to one of the other row.
    public static func set<Value>(
        _ keyPath: KeyPath<Target, Value>, to attribute: KeyPath<Source, Value>
    ) -> Self {
        set(keyPath, Source.attribute(at: attribute).map { .attribute($0) })
    }

    /// Sets an optional attribute to one of the other row that is not optional.
    public static func set<Value>(
        _ keyPath: KeyPath<Target, Value?>, to attribute: KeyPath<Source, Value>
    ) -> Self {
        set(keyPath, Source.attribute(at: attribute).map { .attribute($0) })
    }

    /// Sets an attribute to a value.
    public static func set<Value: Sendable>(_ keyPath: KeyPath<Target, Value>, to value: Value) -> Self {
        set(keyPath, StoredValue.of(value).map { .value($0) })
    }

    /// Sets an attribute to what is calculated from the other row.
    public static func set<Value>(
        _ keyPath: KeyPath<Target, Value>, to expression: Expression<Source, Value>
    ) -> Self {
        set(keyPath, Operand.lowering(expression))
    }

    /// Sets an optional attribute to what is calculated from the other row and is never nil.
    public static func set<Value>(
        _ keyPath: KeyPath<Target, Value?>, to expression: Expression<Source, Value>
    ) -> Self {
        set(keyPath, Operand.lowering(expression))
    }

    private static func set(
        _ keyPath: PartialKeyPath<Target>, _ value: Result<Operand, StoreError>
    ) -> Self {
        InsertedValue(
            assignment: Target.attribute(at: keyPath).flatMap { name in
                value.map { Assignment(attribute: name, value: $0) }
            })
    }
}
