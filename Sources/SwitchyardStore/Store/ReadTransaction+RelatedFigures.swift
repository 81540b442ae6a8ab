/// Figures over related rows, and what else is calculated for each row where the driver does not.
extension ReadTransaction {
    /// Returns the condition to give to the driver.
    ///
    /// A comparison with a figure that no driver calculates becomes the list of the rows that fulfil it.
    ///
    /// - Throws: As `Condition.validated`, and as the driver's `select`.
    package func validated(_ condition: Condition, in entity: Entity) throws -> Condition {
        let condition = try condition.validated(in: entity, schema: schema, calculatesInCore: true) {
            function, target, condition in
            let rows = Selection.rows(
                of: target, where: try self.settled(condition, in: target, among: .constant(true)))
            let function = try self.validated(function, in: target)
            return try self.aggregate(rows, by: [], figures: [function]).first?.first ?? .null
        }
        return try shallow(try settled(condition, in: entity, among: .constant(true)), in: entity)
    }

    /// Returns a condition that is no deeper than drivers take: beyond that, the rows that fulfil a part of it are found first.
    ///
    /// - Throws: As the driver's `select`; `unsupported` for a calculation that is too deep, and over several scopes.
    private func shallow(
        _ condition: Condition, in entity: Entity, _ limit: Int = Limits.calculationDepth
    ) throws -> Condition {
        guard condition.calculationDepth > limit else { return condition }
        switch condition {
        case .all(let terms): return .all(try terms.map { try shallow($0, in: entity, limit) })
        case .any(let terms): return .any(try terms.map { try shallow($0, in: entity, limit) })
        case .not(let inner): return .not(try shallow(inner, in: entity, limit))
        case .exists(let name, let inner):
            guard let association = entity.association(name), scopes.count < 2 else {
                throw StoreError.calculationTooDeep
            }
            let target = try schema.require(association.target)
            guard limit < 6 else {
                return .exists(relationship: name, try shallow(inner, in: target, limit - 3))
            }
            var keys: Set<StoredValue> = []
            try selectKeyed(
                Selection(
                    entity: target, columns: [.attribute(association.key)],
                    condition: try shallow(inner, in: target))
            ) { keys.insert($1[0]) }
            return .isIn(.attribute(association.local), Array(keys.subtracting([.null])))
        default: throw StoreError.calculationTooDeep
        }
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
    package func values(
        of operand: Operand, in entity: Entity, where condition: Condition,
        for context: CalculationContext = .condition
    ) throws -> [RelatedKey: StoredValue] {
        var values: [RelatedKey: StoredValue] = [:]
        try calculate([operand], in: entity, where: condition, for: context) { values[$0] = $2[0] }
        return values
    }

    /// Calculates operands for the rows that fulfil a condition.
    ///
    /// - Parameters:
    ///   - operands: What to calculate.
    ///   - names: Attributes to read besides; the scope may be among them.
    ///   - entity: The entity of the rows.
    ///   - condition: Which rows.
    ///   - context: What happens to a calculation without a result.
    ///   - take: Receives each row's key, the values of the named attributes, and those of the operands.
    /// - Throws: As `values(of:in:where:for:)`.
    func calculate(
        _ operands: [Operand], besides names: [String] = [], in entity: Entity, where condition: Condition,
        for context: CalculationContext,
        _ take: (RelatedKey, [StoredValue], [StoredValue]) throws -> Void
    ) throws {
        let columns = entity.attributes.filter { attribute in
            operands.contains {
                $0.mentions(attribute.name)
                    || $0.needs.contains(.otherRows) && (attribute.name == "id" || attribute.reference != nil)
            }
        }
        let places = columns.compactMap { entity.column($0.name) }
        let searchable = entity.attributes.indices.filter { entity.attributes[$0].isSearchable }
        var rows: [(key: RelatedKey, row: [StoredValue])] = []
        var named: [[StoredValue]] = []
        try selectKeyed(
            Selection(
                entity: entity, columns: (columns.map(\.name) + names).map { .attribute($0) },
                condition: condition)
        ) { key, values in
            var row = [StoredValue](repeating: .null, count: entity.attributes.count)
            for (place, value) in zip(places, values) { row[place] = value }
            rows.append((key, row + searchable.map { row[$0].folded }))
            named.append(Array(values.dropFirst(columns.count)))
        }
        let values = try operands.map { try value(of: $0, in: entity, rows, for: context) }
        for (position, row) in rows.enumerated() {
            try take(row.key, named[position], values.map { $0[position] })
        }
    }

    /// The value of an operand for each of some rows.
    private func value(
        of operand: Operand, in entity: Entity, _ rows: [(key: RelatedKey, row: [StoredValue])],
        for context: CalculationContext
    ) throws -> [StoredValue] {
        if case .referenced(let name, let inner) = operand, let place = entity.column(name) {
            // Only the rows that are referred to are read.
            let locals = rows.map { RelatedKey(value: $0.row[place], scope: $0.key.scope) }
            let ids = Set(locals.lazy.map(\.value).filter { !$0.isNull })
            let found = try values(
                of: inner, in: try schema.require(entity.attribute(name)?.reference ?? name),
                where: .isIn(.attribute("id"), Array(ids)), for: context)
            return locals.map { found[$0] ?? .null }
        }
        var values = [StoredValue](repeating: .null, count: rows.count)
        for (_, positions) in Dictionary(grouping: rows.indices, by: { rows[$0].key.scope }) {
            let compiled = try CompiledOperand(
                comparing: operand, entity: entity, schema: schema, in: context, rows: wholeRows
            ) { function, relationship, condition in
                let rows = positions.map { rows[$0] }
                let keys = rows.map(\.key)
                let target = try self.schema.require(relationship.target)
                let condition = try self.settled(condition, in: target, among: .constant(true))
                let related = Selection.rows(
                    of: target,
                    where: condition && .isIn(.attribute(relationship.inverse), keys.map(\.value)))
                let figures = try self.figures(function, of: related, by: relationship.inverse, keys)
                return Dictionary(zip(keys.lazy.map(\.value), figures)) { first, _ in first }
            }
            for position in positions { values[position] = try compiled.value(rows[position].row) }
        }
        return values
    }

    /// Calls the body with each row of an entity, in the layout that drivers receive, once all are read: the body may read
    /// other rows, and a connection that is delivering rows can do nothing else.
    private func wholeRows(of entity: Entity, _ body: ([StoredValue]) throws -> Void) throws {
        guard scopes.count < 2 else { throw StoreError.figureOverScopes(entity) }
        let searchable = entity.attributes.indices.filter { entity.attributes[$0].isSearchable }
        var rows: [[StoredValue]] = []
        try driver.select(.rows(of: entity)) { row in
            let values = try entity.attributes.map { try row.read($0.type) }
            rows.append(values + searchable.map { values[$0].folded })
            return true
        }
        for row in rows { try body(row) }
    }

    /// Whether the driver can limit a selection for each value of an attribute.
    package func limitsPartitions(of selection: Selection) throws -> Bool {
        try scopes.count < 2 && driver.capability((any PartitionLimiting).self) != nil
            && isOrderedByDriver(selection)
    }

    /// Whether the driver can sort by a key; a reference is as deep as an `exists`.
    func isDrivers(_ key: SortKey, in entity: Entity) throws -> Bool {
        let depth = 3 * key.references.count + key.value.calculationDepth
        guard depth <= Limits.calculationDepth else { return false }
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

    /// Whether drivers calculate an operand.
    package func isDrivers(_ operand: Operand, in entity: Entity) throws -> Bool {
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
        case .referenced(let name, let inner):
            return try isDrivers(inner, in: try schema.require(entity.association(name)?.target ?? name))
        case .overall: return false
        }
    }

    /// Calculates a figure over the selected rows that each key leads to.
    ///
    /// - Returns: A value for each key, in their order.
    package func figures(
        _ function: AggregateFunction, of rows: Selection, by attribute: String, _ keys: [RelatedKey]
    ) throws -> [StoredValue] {
        let function = try validated(function, in: rows.entity)
        var figures: [RelatedKey: StoredValue] = [:]
        for group in try aggregate(rows, by: attribute, function) { figures[group.key] = group.figure }
        let none = try Accumulator(function, of: function.valueType(in: rows.entity, of: schema)).value()
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
        return try aggregation(of: rows, by: [.attribute(attribute)], [function], isByScope: true)
            .unsortedGroups().map { (RelatedKey(value: $0.key[0], scope: $0.key[1]), $0.figures[0]) }
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
