/// Figures over related rows, and what else is calculated for each row where the driver does not.
extension ReadTransaction {
    /// Returns the condition to give to the driver.
    ///
    /// A comparison with a figure that no driver calculates becomes the list of the rows that fulfil it.
    ///
    /// - Throws: As `Condition.validated`, and as the driver's `select`.
    package func validated(_ condition: Condition, in entity: Entity) throws -> Condition {
        try settled(
            condition.validated(in: entity, schema: schema, calculatesInCore: true), in: entity,
            among: .constant(true))
    }

    private func settled(
        _ condition: Condition, in entity: Entity, among rows: Condition
    ) throws -> Condition {
        if try isDrivers(condition, in: entity) { return condition }
        switch condition {
        case .constant, .search: return condition
        case .all(let terms):
            let plain = Condition.all(try terms.filter { try isDrivers($0, in: entity) })
            return .all(try terms.map { try settled($0, in: entity, among: plain) })
        case .any(let terms): return .any(try terms.map { try settled($0, in: entity, among: rows) })
        case .not(let inner): return .not(try settled(inner, in: entity, among: rows))
        case .exists(let name, let inner):
            let target = try schema.require(entity.association(name)?.target ?? name)
            return .exists(
                relationship: name, try settled(inner, in: target, among: .constant(true)))
        case .compare, .isIn, .match:
            guard scopes.count < 2 else { throw StoreError.figureOverScopes(entity) }
            let test = Operand.conditional(condition, .value(.bool(true)), .value(.bool(false)))
            let values = try values(of: test, in: entity, where: rows)
            return .isIn(.attribute("id"), values.filter { $0.value == .bool(true) }.map(\.key.value))
        }
    }

    /// The values of an operand for the rows that fulfil a condition.
    ///
    /// - Throws: As the driver's `select`; `unsupported` for rows of several scopes whose value depends on which related
    ///   rows exist.
    func values(
        of operand: Operand, in entity: Entity, where condition: Condition,
        for context: CalculationContext = .condition
    ) throws -> [RelatedKey: StoredValue] {
        let columns = entity.attributes.filter {
            operand.mentions($0.name)
                || operand.needs.contains(.otherRows) && ($0.name == "id" || $0.reference != nil)
        }
        let places = columns.compactMap { entity.column($0.name) }
        let searchable = entity.attributes.indices.filter { entity.attributes[$0].isSearchable }
        var rows: [(key: RelatedKey, row: [StoredValue])] = []
        try selectKeyed(
            Selection(
                entity: entity, columns: columns.map { .attribute($0.name) }, condition: condition)
        ) { key, values in
            var row = [StoredValue](repeating: .null, count: entity.attributes.count)
            for (place, value) in zip(places, values) { row[place] = value }
            rows.append((key, row + searchable.map { row[$0].folded }))
        }
        var values: [RelatedKey: StoredValue] = [:]
        for (_, rows) in Dictionary(grouping: rows, by: \.key.scope) {
            let compiled = try CompiledOperand(
                comparing: operand, entity: entity, schema: schema, in: context, rows: wholeRows
            ) { function, relationship, condition in
                let keys = rows.map(\.key)
                let target = try self.schema.require(relationship.target)
                let condition = try self.settled(condition, in: target, among: .constant(true))
                let related = Selection.rows(
                    of: target,
                    where: condition && .isIn(.attribute(relationship.inverse), keys.map(\.value)))
                let figures = try self.figures(function, of: related, by: relationship.inverse, keys)
                return Dictionary(zip(keys.lazy.map(\.value), figures)) { first, _ in first }
            }
            for (key, row) in rows { values[key] = try compiled.value(row) }
        }
        return values
    }

    /// Calls the body with each row of an entity, in the layout that drivers receive.
    private func wholeRows(of entity: Entity, _ body: ([StoredValue]) throws -> Void) throws {
        guard scopes.count < 2 else { throw StoreError.figureOverScopes(entity) }
        let searchable = entity.attributes.indices.filter { entity.attributes[$0].isSearchable }
        try driver.select(.rows(of: entity)) { row in
            let values = try entity.attributes.map { try row.read($0.type) }
            try body(values + searchable.map { values[$0].folded })
            return true
        }
    }

    /// Whether the driver can limit a selection for each value of an attribute.
    package func limitsPartitions(of selection: Selection) throws -> Bool {
        try scopes.count < 2 && driver.capability((any PartitionLimiting).self) != nil
            && isOrderedByDriver(selection)
    }

    /// Whether the driver can sort by a key.
    func isDrivers(_ key: SortKey, in entity: Entity) throws -> Bool {
        let source = try key.references.reduce(entity) { source, name in
            try schema.require(source.association(name)?.target ?? name)
        }
        return try isDrivers(key.value, in: source)
    }

    /// Whether a condition has only figures that drivers calculate.
    private func isDrivers(_ condition: Condition, in entity: Entity) throws -> Bool {
        switch condition {
        case .constant, .search: true
        case .all(let terms), .any(let terms): try terms.allSatisfy { try isDrivers($0, in: entity) }
        case .not(let inner): try isDrivers(inner, in: entity)
        case .compare(let lhs, _, let rhs), .match(let lhs, _, let rhs):
            try isDrivers(lhs, in: entity) && isDrivers(rhs, in: entity)
        case .isIn(let operand, _): try isDrivers(operand, in: entity)
        case .exists(let name, let inner):
            try isDrivers(inner, in: try schema.require(entity.association(name)?.target ?? name))
        }
    }

    func isDrivers(_ operand: Operand, in entity: Entity) throws -> Bool {
        switch operand {
        case .attribute, .folded, .value: return true
        case .negated(let inner):
            let type = inner.type(in: entity, of: schema)
            return try ArithmeticOperator.isDrivers(type, type) && isDrivers(inner, in: entity)
        case .arithmetic(let lhs, _, let rhs):
            let types = (lhs.type(in: entity, of: schema), rhs.type(in: entity, of: schema))
            return try ArithmeticOperator.isDrivers(types.0, types.1) && isDrivers(lhs, in: entity)
                && isDrivers(rhs, in: entity)
        case .coalesce(let lhs, let rhs):
            return try isDrivers(lhs, in: entity) && isDrivers(rhs, in: entity)
        case .conditional(let test, let yes, let no):
            return try isDrivers(test, in: entity) && isDrivers(yes, in: entity)
                && isDrivers(no, in: entity)
        case .figure(let function, let name, let condition):
            let target = try schema.require(entity.association(name)?.target ?? name)
            return try function.isDrivers(in: target) && isDrivers(condition, in: target)
        }
    }

    /// Calculates a figure over the selected rows that each key leads to.
    ///
    /// - Returns: A value for each key, in their order.
    package func figures(
        _ function: AggregateFunction, of rows: Selection, by attribute: String, _ keys: [RelatedKey]
    ) throws -> [StoredValue] {
        try rows.entity.requireOrder(for: function)
        var figures: [RelatedKey: StoredValue] = [:]
        for group in try aggregate(rows, by: attribute, function) { figures[group.key] = group.figure }
        let type = function.attribute.flatMap { rows.entity.attribute($0)?.type }
        let none = try Accumulator(function, of: type).value()
        return keys.map { figures[$0] ?? none }
    }

    private func aggregate(
        _ rows: Selection, by attribute: String, _ function: AggregateFunction
    ) throws -> [(key: RelatedKey, figure: StoredValue)] {
        guard scopes.count > 1 else {
            return try aggregate(rows, by: [.attribute(attribute)], figures: [function]).map {
                (RelatedKey(value: $0[0], scope: .null), $0[1])
            }
        }
        // No backend groups by scope.
        let type = function.attribute.flatMap { rows.entity.attribute($0)?.type }
        var aggregation = Aggregation(
            keys: [.column(0), .column(1)],
            figures: [Aggregation.Figure(function: function, type: type, column: type == nil ? 0 : 2)],
            columns: [.key(0), .key(1), .figure(0)])
        let names = [attribute, StoreScope.attribute.name] + [function.attribute].compactMap { $0 }
        let types = [.uuid, .uuid] + [type].compactMap { $0 }
        try decode(
            Selection(
                entity: rows.entity, columns: names.map { .attribute($0) }, condition: rows.condition)
        ) { row in
            try types.map { try row.read($0) }
        } taking: {
            try aggregation.add($0)
        }
        return try aggregation.rows().map { (RelatedKey(value: $0[0], scope: $0[1]), $0[2]) }
    }
}

extension StoreError {
    fileprivate static func figureOverScopes(_ entity: Entity) -> StoreError {
        StoreError(
            .unsupported,
            "This figure or calculation is worked out for the rows of one scope at a time. Ask each scope by itself.",
            entity: entity.name)
    }
}
