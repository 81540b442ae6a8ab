extension Condition {
    /// Checks a condition against an entity.
    ///
    /// Each attribute and relationship must exist, operands must have comparable types, searched attributes must be
    /// searchable, and depth and size must stay within the limits of all backends.
    ///
    /// Comparisons of two constants and calculations with them are evaluated, and nested lists flattened, so that
    /// drivers never see them. A calculation that fails is kept, and fails for the rows that reach it.
    ///
    /// - Parameters:
    ///   - entity: The entity whose rows the condition tests.
    ///   - schema: The schema.
    ///   - isKept: Whether the condition becomes part of the schema, as the filter of an index does: its times must
    ///     then be storable.
    ///   - calculatesInCore: Whether it may calculate with decimals and times, which `ReadTransaction` does instead of a
    ///     driver.
    ///   - overall: Calculates a figure over all rows of an entity, or keeps it; nil where the condition cannot have one.
    /// - Returns: The condition to give to a driver; if Core calculates, it may be deeper than `Limits.calculationDepth`.
    /// - Throws: `unsupported`, with the faulty part; `valueNotRepresentable` for a constant that no backend can store.
    package func validated(
        in entity: Entity, schema: Schema, isKept: Bool = false, calculatesInCore: Bool = false,
        overall: OverallFigure? = nil
    ) throws -> Condition {
        var validation = Validation(
            entity: entity, schema: schema, keepsConstants: isKept, calculatesInCore: calculatesInCore,
            overall: overall)
        let condition = try validation.condition(self)
        guard calculatesInCore || condition.calculationDepth <= Limits.calculationDepth else {
            throw StoreError.calculationTooDeep
        }
        return condition
    }
}

extension Assignment {
    /// Checks an assignment against an entity.
    ///
    /// - Throws: `unsupported` or `valueNotRepresentable`, with the name of the attribute.
    package func validated(in entity: Entity, schema: Schema) throws -> Assignment {
        guard let target = entity.attribute(attribute), attribute != "id" else {
            throw StoreError(
                .unsupported,
                attribute == "id"
                    ? "The id of a row cannot be changed; insert a new row and delete the old one."
                    : "\(entity.name) has no attribute `\(attribute)`.", entity: entity.name,
                attribute: attribute)
        }
        var validation = Validation(
            entity: entity, schema: schema, keepsConstants: true, calculatesInCore: true)
        let (operand, type) = try validation.operand(value, in: .assignment)
        guard operand.calculationDepth <= Limits.calculationDepth else { throw StoreError.calculationTooDeep }
        guard type == nil || type == target.type else {
            throw StoreError(
                .unsupported,
                "The attribute has the type \(target.type), the value has \(type?.rawValue ?? "none").",
                entity: entity.name, attribute: attribute)
        }
        if case .value(let constant) = operand {
            try target.requireAllowed(constant, in: entity)
        }
        return Assignment(attribute: attribute, value: operand)
    }
}

extension AggregateFunction {
    /// Checks what is calculated for each row of an entity.
    ///
    /// - Returns: The function with the value to calculate.
    /// - Throws: `unsupported` or `valueNotRepresentable`; also for a value that has no such figure.
    package func validated(in entity: Entity, schema: Schema) throws -> AggregateFunction {
        var validation = Validation(
            entity: entity, schema: schema, keepsConstants: false, calculatesInCore: true)
        let function = try validation.function(self)
        guard function.calculated?.calculationDepth ?? 0 <= Limits.calculationDepth else {
            throw StoreError.calculationTooDeep
        }
        return function
    }
}

extension Attribute {
    /// Checks a constant that an update assigns to all rows.
    fileprivate func requireAllowed(_ value: StoredValue, in entity: Entity) throws {
        if value.isNull, !isOptional { throw StoreError.missingValue(self, of: entity) }
        guard allows(value) else { throw StoreError.disallowedValue(self, of: entity) }
    }
}

extension UniqueConstraint {
    /// Whether the constraint or its filter uses an attribute.
    package func concerns(_ attribute: String) -> Bool {
        attributes.contains(attribute) || filter?.mentions(attribute) == true
    }
}

extension Condition {
    /// Whether the condition depends on an attribute of the row itself.
    fileprivate func mentions(_ attribute: String) -> Bool {
        switch self {
        case .constant, .exists: false
        case .all(let parts), .any(let parts): parts.contains { $0.mentions(attribute) }
        case .not(let inner): inner.mentions(attribute)
        case .compare(let lhs, _, let rhs), .match(let lhs, _, let rhs):
            lhs.mentions(attribute) || rhs.mentions(attribute)
        case .isIn(let operand, _): operand.mentions(attribute)
        case .search(let name, _, _): name == attribute
        }
    }
}

extension Operand {
    /// Whether each of its possible values has a folded copy, as constants and searchable attributes do.
    package func isFolded(in entity: Entity) -> Bool {
        switch self {
        case .attribute(let name): entity.attribute(name)?.isSearchable == true
        case .value: true
        case .coalesce(let first, let second), .conditional(_, let first, let second):
            first.isFolded(in: entity) && second.isFolded(in: entity)
        case .arithmetic, .negated, .folded, .figure, .referenced, .overall: false
        }
    }

    /// Whether the value depends on an attribute of the row itself, if not by which rows belong to it.
    package func mentions(_ attribute: String) -> Bool {
        switch self {
        case .attribute(let name), .folded(let name): name == attribute
        case .value, .figure, .overall: false
        case .referenced(let name, _): name == attribute
        case .negated(let inner): inner.mentions(attribute)
        case .arithmetic(let lhs, _, let rhs), .coalesce(let lhs, let rhs):
            lhs.mentions(attribute) || rhs.mentions(attribute)
        case .conditional(let test, let yes, let no):
            test.mentions(attribute) || yes.mentions(attribute) || no.mentions(attribute)
        }
    }
}
