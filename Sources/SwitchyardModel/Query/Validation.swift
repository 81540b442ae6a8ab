internal import Foundation

/// Calculates a figure over all rows of an entity that fulfil a condition; nil keeps the figure in the condition.
package typealias OverallFigure = (AggregateFunction, Entity, Condition) throws -> StoredValue?

/// The state of validating a condition or an operand.
///
/// It never recurses deeper than `Limits.conditionDepth`, whatever the input.
struct Validation {
    private let entity: Entity
    private let schema: Schema
    /// Whether constants are stored, in rows or in the schema, rather than only compared with.
    private let keepsConstants: Bool
    /// Whether Core may calculate what drivers do not.
    private let calculatesInCore: Bool
    private let overall: OverallFigure?
    private let types: [String: AttributeType]
    private var depth = 0
    private var constants = 0

    init(
        entity: Entity, schema: Schema, keepsConstants: Bool, calculatesInCore: Bool = false,
        overall: OverallFigure? = nil
    ) {
        self.entity = entity
        self.schema = schema
        self.keepsConstants = keepsConstants
        self.calculatesInCore = calculatesInCore
        self.overall = overall
        types = Dictionary(
            entity.attributes.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
    }

    mutating func condition(_ condition: Condition) throws -> Condition {
        try deeper { validation in
            switch condition {
            case .constant: condition
            case .all(let terms): .all(of: try terms.map { try validation.condition($0) })
            case .any(let terms): .any(of: try terms.map { try validation.condition($0) })
            case .not(.compare(let lhs, let comparison, let rhs)):
                try validation.compare(lhs, comparison, rhs, isNegated: true)
            case .not(let inner): !(try validation.condition(inner))
            case .compare(let lhs, let comparison, let rhs):
                try validation.compare(lhs, comparison, rhs)
            case .isIn(let operand, let values): try validation.isIn(operand, values)
            case .match(let text, let match, let other): try validation.match(text, match, other)
            case .search(let attribute, _, let text):
                try validation.search(condition, attribute: attribute, text: text)
            case .exists(let name, let inner): try validation.exists(name, inner)
            }
        }
    }

    /// Checks an operand.
    ///
    /// - Returns: The operand for the driver, and its type, which is nil if the operand is null.
    mutating func operand(
        _ operand: Operand, in context: CalculationContext = .condition
    ) throws -> (Operand, AttributeType?) {
        try deeper { validation in
            switch operand {
            case .attribute(let name): (operand, try validation.type(of: name))
            case .value(let value): (.value(try validation.constant(value)), value.type)
            case .arithmetic(let lhs, let calculation, let rhs):
                try validation.arithmetic(lhs, calculation, rhs, in: context)
            case .negated(let inner): try validation.negated(inner, in: context)
            case .coalesce(let first, let second): try validation.coalesce(first, second, in: context)
            case .conditional(let test, let yes, let no):
                try validation.conditional(test, yes, no, in: context)
            case .folded(let name):
                (operand, try validation.searchable(name))
            case .figure(let function, let name, let condition):
                try validation.figure(function, of: name, where: condition)
            case .referenced(let name, let inner):
                try validation.referenced(name, inner, in: context)
            case .overall(let function, let name, let condition):
                try validation.overall(function, of: name, where: condition)
            }
        }
    }

    private mutating func deeper<Result>(_ body: (inout Validation) throws -> Result) throws -> Result {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Limits.conditionDepth else { throw StoreError.conditionTooDeep }
        return try body(&self)
    }

    private func type(of name: String) throws -> AttributeType {
        guard let type = types[name] else {
            throw StoreError(
                .unsupported, "\(entity.name) has no attribute `\(name)`.", entity: entity.name,
                attribute: name)
        }
        return type
    }

    private func fault(_ message: String) -> StoreError {
        StoreError(.unsupported, message, entity: entity.name)
    }
}

extension Validation {
    /// Counts a constant, and converts it to its stored form.
    fileprivate mutating func constant(_ value: StoredValue) throws -> StoredValue {
        constants += 1
        guard constants <= Limits.conditionConstants else {
            throw fault(
                "A condition can have at most \(Limits.conditionConstants) constants; for a list of values use "
                    + "contains, which takes any number.")
        }
        if !keepsConstants, case .timestamp(let time) = value, Timestamp.comparable.contains(time) {
            return value
        }
        return try value.representable()
    }

    /// The common type of two operands; null goes with every type.
    fileprivate func common(_ lhs: AttributeType?, _ rhs: AttributeType?, _ purpose: String) throws
        -> AttributeType?
    {
        guard let lhs, let rhs else { return lhs ?? rhs }
        guard lhs == rhs else {
            throw fault("A value of type \(lhs) and one of type \(rhs) cannot be \(purpose).")
        }
        return lhs
    }

    fileprivate mutating func compare(
        _ lhs: Operand, _ comparison: Comparison, _ rhs: Operand, isNegated: Bool = false
    ) throws -> Condition {
        let compared = try checkedComparison(lhs, comparison, rhs)
        guard
            case .compare(.coalesce(let first, .value(let other)), let comparison, .value(let value)) =
                compared, case .attribute = first, !value.isNull
        else { return isNegated ? !compared : compared }
        return .comparing(first, else: other, isNegated ? comparison.opposite : comparison, value)
    }

    private mutating func checkedComparison(
        _ lhs: Operand, _ comparison: Comparison, _ rhs: Operand
    ) throws -> Condition {
        let original = rhs
        let (lhs, leftType) = try operand(lhs)
        let (rhs, rightType) = try operand(rhs)
        if case .overall = original, leftType == .int, rightType == .double {
            if case .value(.double(let figure)) = rhs { return .comparing(lhs, comparison, figure) }
        } else {
            _ = try common(leftType, rightType, "compared")
        }
        if case .value(let left) = lhs, case .value(let right) = rhs {
            return .constant(comparison.holds(left, right))
        }
        // An order comparison with nil is false for every row.
        if comparison != .equal, comparison != .notEqual, lhs == .value(.null) || rhs == .value(.null) {
            return .constant(false)
        }
        // Drivers expect null and constants on the right.
        if case .value = lhs { return .comparing(rhs, comparison.flipped, lhs) }
        return .comparing(lhs, comparison, rhs)
    }

    fileprivate mutating func isIn(_ tested: Operand, _ values: [StoredValue]) throws -> Condition {
        let (tested, type) = try operand(tested)
        var needsChange = false
        for value in values {
            guard let found = value.type else { continue }
            if let type, found != type {
                throw fault("A list cannot have values of both types \(found) and \(type).")
            }
            needsChange = try !value.isCanonical() || needsChange
        }
        let canonical = needsChange ? try values.map { try $0.representable() } : values
        if canonical.isEmpty { return .constant(false) }
        if case .value(let constant) = tested { return .constant(canonical.contains(constant)) }
        return .isIn(tested, canonical)
    }

    fileprivate mutating func match(_ text: Operand, _ match: TextMatch, _ other: Operand) throws -> Condition
    {
        let (text, textType) = try operand(text)
        let (other, otherType) = try operand(other)
        for type in [textType, otherType] where type != nil && type != .text {
            throw fault("A value of type \(type?.rawValue ?? "") cannot be searched for text.")
        }
        if case .value(.text(let left)) = text, case .value(.text(let right)) = other {
            return .constant(match.holds(left, right))
        }
        if text == .value(.null) || other == .value(.null) { return .constant(false) }
        return .match(text, match, other)
    }

    fileprivate mutating func search(_ condition: Condition, attribute: String, text: String) throws
        -> Condition
    {
        _ = try searchable(attribute)
        _ = try constant(.text(text))
        return condition
    }

    /// Checks that an attribute has a folded copy, which is text.
    fileprivate func searchable(_ name: String) throws -> AttributeType {
        let type = try type(of: name)
        guard entity.attribute(name)?.isSearchable == true else {
            throw StoreError(
                .unsupported,
                "The attribute cannot be searched regardless of case and diacritics. Declare it "
                    + "@Attribute(.searchable), or use contains(_:), which distinguishes them.",
                entity: entity.name, attribute: name)
        }
        return type
    }

    fileprivate mutating func exists(_ name: String, _ inner: Condition) throws -> Condition {
        guard let association = entity.association(name) else {
            throw fault("\(entity.name) has no to-many relationship or reference `\(name)`.")
        }
        let condition = try condition(inner, on: try schema.require(association.target))
        return condition == .constant(false) ? condition : .exists(relationship: name, condition)
    }

    /// Checks a condition on the rows of another entity.
    private mutating func condition(_ inner: Condition, on target: Entity) throws -> Condition {
        try within(target) { try $0.condition(inner) }
    }

    /// Checks a part that is about the rows of another entity.
    private mutating func within<Result>(
        _ target: Entity, _ body: (inout Validation) throws -> Result
    ) rethrows -> Result {
        var other = Validation(
            entity: target, schema: schema, keepsConstants: keepsConstants,
            calculatesInCore: calculatesInCore,
            overall: overall)
        other.depth = depth
        other.constants = constants
        defer { constants = other.constants }
        return try body(&other)
    }

    fileprivate mutating func referenced(
        _ name: String, _ inner: Operand, in context: CalculationContext
    ) throws -> (Operand, AttributeType?) {
        guard let target = entity.attribute(name)?.reference else {
            throw fault("\(entity.name) has no reference `\(name)`.")
        }
        let (value, type) = try within(try schema.require(target)) { try $0.operand(inner, in: context) }
        return (.referenced(name, value), type)
    }

    /// Replaces a figure over all rows by its value, unless it is to be kept.
    fileprivate mutating func overall(
        _ function: AggregateFunction, of name: String, where condition: Condition
    ) throws -> (Operand, AttributeType?) {
        guard let overall else { throw fault("A figure over all rows cannot be part of this.") }
        let target = try schema.require(name)
        let function = try within(target) { try $0.function(function) }
        let condition = try self.condition(condition, on: target)
        let type = function.type(in: target, of: schema)
        guard let figure = try overall(function, target, condition) else {
            return (.overall(function, of: name, where: condition), type)
        }
        return (.value(try constant(figure)), type)
    }
}

extension Validation {
    fileprivate mutating func arithmetic(
        _ lhs: Operand, _ calculation: ArithmeticOperator, _ rhs: Operand, in context: CalculationContext
    ) throws -> (Operand, AttributeType?) {
        let (lhs, leftType) = try operand(lhs, in: context)
        let (rhs, rightType) = try operand(rhs, in: context)
        let type = try type(of: calculation, leftType, rightType)
        if case .value(let left) = lhs, case .value(let right) = rhs {
            guard let result = try? calculation.result(left, right, in: context) else {
                return (.arithmetic(.ofEachRow(lhs), calculation, rhs), type)
            }
            return (.value(result), type)
        }
        return (.arithmetic(lhs, calculation, rhs), type)
    }

    fileprivate mutating func negated(
        _ inner: Operand, in context: CalculationContext
    ) throws -> (Operand, AttributeType?) {
        let (inner, type) = try operand(inner, in: context)
        _ = try self.type(of: .multiply, type, type)
        if case .value(let constant) = inner {
            guard let result = try? constant.negated(in: context) else {
                return (.negated(.ofEachRow(inner)), type)
            }
            return (.value(result), type)
        }
        return (.negated(inner), type)
    }

    fileprivate mutating func coalesce(
        _ first: Operand, _ second: Operand, in context: CalculationContext
    ) throws -> (Operand, AttributeType?) {
        let (first, firstType) = try operand(first, in: context)
        let (second, secondType) = try operand(second, in: context)
        let type = try common(firstType, secondType, "alternatives")
        switch (first, second) {
        case (.value(.null), _): return (second, type)
        case (.value, _), (_, .value(.null)): return (first, type)
        default: return (.coalesce(first, second), type)
        }
    }

    fileprivate mutating func conditional(
        _ test: Condition, _ yes: Operand, _ no: Operand, in context: CalculationContext
    ) throws -> (Operand, AttributeType?) {
        let test = try condition(test)
        let (yes, yesType) = try operand(yes, in: context)
        let (no, noType) = try operand(no, in: context)
        let type = try common(yesType, noType, "alternatives")
        if case .constant(let value) = test { return (value ? yes : no, type) }
        return yes == no ? (yes, type) : (.conditional(test, yes, no), type)
    }

    fileprivate mutating func figure(
        _ function: AggregateFunction, of name: String, where inner: Condition
    ) throws -> (Operand, AttributeType?) {
        guard let relationship = entity.relationship(name) else {
            throw fault("\(entity.name) has no to-many relationship `\(name)`.")
        }
        let target = try schema.require(relationship.target)
        let function = try within(target) { try $0.function(function) }
        return (
            .figure(function, of: name, where: try condition(inner, on: target)),
            function.type(in: target, of: schema)
        )
    }

    /// Checks a figure over rows of the entity.
    mutating func function(_ function: AggregateFunction) throws -> AggregateFunction {
        var checked = function
        if let calculated = function.calculated {
            checked = .calculated(function.plain, of: try operand(calculated, in: .assignment).0)
        }
        guard checked.type(in: entity, of: schema) != nil else {
            let subject =
                function.attribute.map { "The attribute `\($0)`" } ?? "What is calculated for each row"
            throw StoreError(
                .unsupported, "\(subject) has no \(function.word).", entity: entity.name,
                attribute: function.attribute)
        }
        return checked
    }

    /// The type of a calculation's result.
    private func type(
        of calculation: ArithmeticOperator, _ lhs: AttributeType?, _ rhs: AttributeType?
    ) throws -> AttributeType? {
        if calculation == .remainder, lhs != nil, lhs == rhs, lhs != .int {
            throw fault("A remainder is only defined for integers.")
        }
        guard let type = calculation.type(lhs, rhs) else {
            let common = try common(lhs, rhs, "calculated with")
            throw fault(
                "A value of type \(common?.rawValue ?? "") cannot be calculated with; integers, doubles and decimals "
                    + "can, and times and seconds.")
        }
        guard calculatesInCore || ArithmeticOperator.isDrivers(lhs, rhs) else {
            throw fault("Only integers and doubles can be calculated with here.")
        }
        return type
    }
}

extension Operand {
    /// A constant disguised as depending on the row, for a calculation that is an error: an update that assigns it must
    /// not fail if it updates no row.
    ///
    /// Databases evaluate calculations with constants before they read a row, PostgreSQL even in a branch of a `CASE`
    /// that is never taken.
    fileprivate static func ofEachRow(_ constant: Operand) -> Operand {
        .conditional(.compare(.attribute("id"), .equal, .value(.uuid(.zero))), constant, constant)
    }
}

extension Condition {
    /// A comparison of an integer with a double, as numbers.
    fileprivate static func comparing(_ lhs: Operand, _ comparison: Comparison, _ number: Double) -> Condition
    {
        if comparison == .equal || comparison == .notEqual, Int64(exactly: number) == nil {
            return .constant(comparison == .notEqual)
        }
        let isBelow = comparison == .lessOrEqual || comparison == .greater
        let bound = number.rounded(isBelow ? .down : .up)
        guard let integer = Int64(exactly: bound) else {
            let isAbove = comparison == .less || comparison == .lessOrEqual
            return isAbove == (number > 0) ? .compare(lhs, .notEqual, .value(.null)) : .constant(false)
        }
        return .comparing(lhs, comparison, .value(.int(integer)))
    }

    /// A comparison; a count that only tests whether a relationship has rows becomes an `exists`.
    fileprivate static func comparing(_ lhs: Operand, _ comparison: Comparison, _ rhs: Operand) -> Condition {
        if case (.figure(.count, of: let name, where: let inner), .value(.int(let number))) = (lhs, rhs) {
            let exists =
                inner == .constant(false) ? inner : Condition.exists(relationship: name, inner)
            switch (comparison, number) {
            case (.greater, 0), (.notEqual, 0), (.greaterOrEqual, 1): return exists
            case (.lessOrEqual, 0), (.equal, 0), (.less, 1): return !exists
            default: break
            }
        }
        return .compare(lhs, comparison, rhs)
    }

    /// `(attribute ?? other) comparison value` with two non-nil constants, as comparisons of the attribute alone, which
    /// can use an index.
    fileprivate static func comparing(
        _ operand: Operand, else other: StoredValue, _ comparison: Comparison, _ value: StoredValue
    ) -> Condition {
        let present = Condition.compare(operand, comparison, .value(value))
        switch (comparison, comparison.holds(other, value)) {
        // Nil differs from every value.
        case (.notEqual, true): return present
        case (.notEqual, false): return .all([.compare(operand, .notEqual, .value(.null)), present])
        // Nil equals no value and is neither before nor after one.
        case (_, true): return .any([present, .compare(operand, .equal, .value(.null))])
        case (_, false): return present
        }
    }
}

extension UUID {
    fileprivate static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
