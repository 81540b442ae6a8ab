/// A condition compiled for evaluation on rows in memory.
///
/// Rows have the layout that drivers receive: the entity's attributes in order, then the folded copy of each searchable
/// one. The condition must have been validated, which also limits its depth.
public struct CompiledCondition {
    /// Whether a row fulfils the condition.
    ///
    /// - Throws: `arithmetic` if a calculation leaves the range of doubles.
    public let holds: ([StoredValue]) throws -> Bool

    /// Compiles a condition.
    ///
    /// - Parameters:
    ///   - condition: A validated condition on an entity's attributes.
    ///   - entity: The entity of the rows.
    ///   - schema: The schema, for the entities on the other side of relationships.
    ///   - rows: Returns all rows of another entity, for conditions on related rows. It is called at most once for each
    ///     such condition, when the first row is tested.
    /// - Throws: `unsupported` for a name that the entity lacks.
    public init(
        _ condition: Condition, entity: Entity, schema: Schema,
        rows: @escaping (Entity, ([StoredValue]) throws -> Void) throws -> Void
    ) throws {
        holds = try Compiler(entity: entity, schema: schema, rows: rows).test(condition)
    }
}

/// An assigned operand compiled for evaluation on rows in memory, under the same terms as `CompiledCondition`.
public struct CompiledOperand {
    /// The value for a row.
    ///
    /// - Throws: `arithmetic` if a calculation has no result.
    public let value: ([StoredValue]) throws -> StoredValue

    /// Compiles an operand; the parameters are those of `CompiledCondition`.
    public init(
        _ operand: Operand, entity: Entity, schema: Schema,
        rows: @escaping (Entity, ([StoredValue]) throws -> Void) throws -> Void
    ) throws {
        value = try Compiler(entity: entity, schema: schema, rows: rows).value(operand, in: .assignment)
    }

    /// Compiles an operand by which rows are chosen or sorted.
    ///
    /// - Parameters:
    ///   - operand: A validated operand.
    ///   - entity: The entity of the rows.
    ///   - schema: The schema.
    ///   - context: What happens to a calculation without a result.
    ///   - rows: As for `CompiledCondition`.
    ///   - figures: Returns a figure over the related rows of each row that has any, by the row's id. It is called at
    ///     most once for each figure, when the first row is evaluated.
    /// - Throws: `unsupported` for a name that the entity lacks.
    package init(
        comparing operand: Operand, entity: Entity, schema: Schema,
        in context: CalculationContext = .condition,
        rows: @escaping (Entity, ([StoredValue]) throws -> Void) throws -> Void,
        figures: @escaping RelatedFigures
    ) throws {
        value = try Compiler(entity: entity, schema: schema, rows: rows, figures: figures).value(
            operand, in: context)
    }
}

/// Calculates a figure over the rows of a relationship that fulfil a condition, by the id of the row that they belong to.
package typealias RelatedFigures = (AggregateFunction, Relationship, Condition) throws -> [StoredValue:
    StoredValue]

/// Compiles conditions to closures, so that names are looked up once and not for each row.
private struct Compiler {
    let schema: Schema
    let entity: Entity
    let columns: [String: Int]
    let searchColumns: [String: Int]
    let rows: (Entity, ([StoredValue]) throws -> Void) throws -> Void
    /// Nil if figures are calculated from the rows.
    let figures: RelatedFigures?

    init(
        entity: Entity, schema: Schema,
        rows: @escaping (Entity, ([StoredValue]) throws -> Void) throws -> Void,
        figures: RelatedFigures? = nil
    ) {
        self.figures = figures
        self.schema = schema
        self.entity = entity
        self.rows = rows
        columns = Dictionary(
            entity.attributes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        searchColumns = entity.searchColumns
    }

    func test(_ condition: Condition) throws -> ([StoredValue]) throws -> Bool {
        switch condition {
        case .constant(let value): return { _ in value }
        case .all(let terms):
            let tests = try terms.map(test)
            return { row in try tests.allSatisfy { try $0(row) } }
        case .any(let terms):
            let tests = try terms.map(test)
            return { row in try tests.contains { try $0(row) } }
        case .not(let inner):
            let inner = try test(inner)
            return { row in try !inner(row) }
        case .compare(let lhs, let comparison, let rhs):
            let (lhs, rhs) = (try value(lhs), try value(rhs))
            return { row in comparison.holds(try lhs(row), try rhs(row)) }
        case .isIn(let operand, let values):
            let operand = try value(operand)
            let values = Set(values)
            return { row in values.contains(try operand(row)) }
        case .match(let text, let match, let other):
            let (text, other) = (try value(text), try value(other))
            return { row in
                guard case .text(let text) = try text(row), case .text(let other) = try other(row) else {
                    return false
                }
                return match.holds(text, other)
            }
        case .search(let attribute, let match, let text): return try search(attribute, match, text)
        case .exists(let name, let inner): return try exists(name, inner)
        }
    }

    func value(
        _ operand: Operand, in context: CalculationContext = .condition
    ) throws -> ([StoredValue]) throws -> StoredValue {
        switch operand {
        case .attribute(let name):
            let column = try column(name, in: columns)
            return { row in row[column] }
        case .value(let constant): return { _ in constant }
        case .arithmetic(let lhs, let calculation, let rhs):
            let (lhs, rhs) = (try value(lhs, in: context), try value(rhs, in: context))
            return { row in try calculation.result(try lhs(row), try rhs(row), in: context) }
        case .negated(let inner):
            let inner = try value(inner, in: context)
            return { row in try inner(row).negated(in: context) }
        case .coalesce(let first, let second):
            let (first, second) = (try value(first, in: context), try value(second, in: context))
            return { row in
                let value = try first(row)
                return value.isNull ? try second(row) : value
            }
        case .conditional(let condition, let yes, let no):
            let condition = try test(condition)
            let (yes, no) = (try value(yes, in: context), try value(no, in: context))
            return { row in try condition(row) ? try yes(row) : try no(row) }
        case .folded(let name):
            let column = try column(name, in: searchColumns)
            return { row in row[column] }
        case .figure(let function, let name, let condition):
            return try figure(function, of: name, where: condition)
        case .referenced(let name, let inner): return try referenced(name, inner, in: context)
        case .overall:
            throw StoreError(
                .unsupported, "A figure over all rows is calculated before the rows are read.",
                entity: entity.name)
        }
    }

    /// The rows are read once, and the value is calculated for those that are referred to.
    private func referenced(
        _ name: String, _ inner: Operand, in context: CalculationContext
    ) throws -> ([StoredValue]) throws -> StoredValue {
        guard let target = entity.attribute(name)?.reference else { throw unknown(name) }
        let other = Compiler(entity: try schema.require(target), schema: schema, rows: rows)
        let value = try other.value(inner, in: context)
        let local = try column(name, in: columns)
        var known: [StoredValue: [StoredValue]]?
        return { row in
            if row[local].isNull { return .null }
            var found = known ?? [:]
            if known == nil { try rows(other.entity) { found[$0[0]] = $0 } }
            known = found
            return try found[row[local]].map { try value($0) } ?? .null
        }
    }

    /// The figures are calculated once, for all rows of this entity.
    private func figure(
        _ function: AggregateFunction, of name: String, where condition: Condition
    ) throws -> ([StoredValue]) throws -> StoredValue {
        guard let relationship = entity.relationship(name) else { throw unknown(name) }
        let target = try schema.require(relationship.target)
        let other = Compiler(entity: target, schema: schema, rows: rows)
        let inverse = try other.column(relationship.inverse, in: other.columns)
        let column = try function.attribute.map { try other.column($0, in: other.columns) }
        let calculated = try function.calculated.map { try other.value($0, in: .assignment) }
        let test = condition == .constant(true) ? nil : try other.test(condition)
        let none = Accumulator(function, of: function.valueType(in: target, of: schema))
        let nothing = try none.value()
        func calculate() throws -> [StoredValue: StoredValue] {
            if let figures { return try figures(function, relationship, condition) }
            var found: [StoredValue: Accumulator] = [:]
            try rows(target) { element in
                guard try test?(element) != false else { return }
                let value = try calculated?(element) ?? column.map { element[$0] } ?? .null
                found[element[inverse], default: none].add(value)
            }
            return try found.mapValues { try $0.value() }
        }
        var known: [StoredValue: StoredValue]?
        return { row in
            let found = try known ?? calculate()
            known = found
            return found[row[0]] ?? nothing
        }
    }

    private func search(
        _ attribute: String, _ match: TextMatch, _ text: String
    ) throws -> ([StoredValue]) throws -> Bool {
        let column = try column(attribute, in: searchColumns)
        return { row in
            guard case .text(let folded) = row[column] else { return false }
            return match.holds(folded, text)
        }
    }

    /// The inner condition does not depend on the outer row, so the related rows are tested once, and the values are
    /// kept by which outer rows refer to those that fulfil it.
    private func exists(_ name: String, _ inner: Condition) throws -> ([StoredValue]) throws -> Bool {
        guard let association = entity.association(name) else { throw unknown(name) }
        let target = try schema.require(association.target)
        let other = Compiler(entity: target, schema: schema, rows: rows)
        let test = try other.test(inner)
        let key = try other.column(association.key, in: other.columns)
        let local = try column(association.local, in: columns)
        var fulfilling: Set<StoredValue>?
        return { row in
            if let fulfilling { return fulfilling.contains(row[local]) }
            var found: Set<StoredValue> = []
            try rows(target) { element in
                if !element[key].isNull, try test(element) { found.insert(element[key]) }
            }
            fulfilling = found
            return found.contains(row[local])
        }
    }

    private func column(_ name: String, in columns: [String: Int]) throws -> Int {
        guard let column = columns[name] else { throw unknown(name) }
        return column
    }

    private func unknown(_ name: String) -> StoreError {
        StoreError(
            .unsupported, "\(entity.name) has no attribute or relationship `\(name)`.", entity: entity.name,
            attribute: name)
    }
}
