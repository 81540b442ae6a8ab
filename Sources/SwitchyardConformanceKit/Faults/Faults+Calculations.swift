internal import Switchyard
internal import SwitchyardCore

extension Fault {
    /// Faults in calculations.
    static let calculations: [Fault] = [
        calculates("division-floor", "Integers divide towards the smaller number.") { calculation, lhs, rhs in
            guard calculation == .divide, rhs != 0, rhs != -1, lhs % rhs != 0, (lhs < 0) != (rhs < 0) else {
                return nil
            }
            return .int(lhs / rhs - 1)
        },
        calculates("remainder-sign", "A remainder has the sign of the divisor.") { calculation, lhs, rhs in
            guard calculation == .remainder, rhs != 0, rhs != -1, lhs % rhs != 0, (lhs < 0) != (rhs < 0)
            else {
                return nil
            }
            return .int(lhs % rhs + rhs)
        },
        calculates("overflow-wraps", "Integers wrap around when they overflow.") { calculation, lhs, rhs in
            switch calculation {
            case .add: .int(lhs &+ rhs)
            case .subtract: .int(lhs &- rhs)
            case .multiply: .int(lhs &* rhs)
            case .divide, .remainder: nil
            }
        },
        calculates("overflow-saturates", "An integer that overflows stays at the end of its range.") {
            calculation, lhs, rhs in
            guard try calculation.result(.int(lhs), .int(rhs), in: .condition).isNull, rhs != 0 else {
                return nil
            }
            let isNegative = calculation == .add ? lhs < 0 : (lhs < 0) != (rhs < 0)
            return .int(calculation != .subtract ? (isNegative ? .min : .max) : (lhs < 0 ? .min : .max))
        },
        calculates("overflow-early", "The ends of the range of integers count as overflows.") {
            calculation, lhs, rhs in
            let result = try calculation.result(.int(lhs), .int(rhs), in: .condition)
            return result == .int(.max) || result == .int(.min) ? .null : nil
        },
        calculates("overflow-fails", "An integer that overflows in a condition is an error.") {
            calculation, lhs, rhs in
            guard rhs != 0 else { return nil }
            return try calculation.result(.int(lhs), .int(rhs), in: .assignment)
        },
        calculates("division-by-zero-fails", "A division by zero in a condition is an error.") {
            calculation, lhs, rhs in
            guard rhs == 0 else { return nil }
            return try calculation.result(.int(lhs), .int(rhs), in: .assignment)
        },
        calculates("division-by-zero", "A division by zero gives 0.") { calculation, _, rhs in
            [.divide, .remainder].contains(calculation) && rhs == 0 ? .int(0) : nil
        },
        calculatesDoubles("division-infinite", "A double divided by zero is infinite.") {
            calculation, lhs, rhs in
            guard calculation == .divide, rhs == 0, lhs != 0 else { return nil }
            return .double(lhs < 0 ? -.infinity : .infinity)
        },
        calculatesDoubles("double-overflow-infinite", "A double beyond the range is infinite.") {
            calculation, lhs, rhs in
            guard lhs.isFinite, rhs.isFinite else { return nil }
            switch calculation {
            case .add where !(lhs + rhs).isFinite: return .double(lhs + rhs)
            case .multiply where !(lhs * rhs).isFinite: return .double(lhs * rhs)
            default: return nil
            }
        },
        calculatesDoubles("double-underflow-zero", "A double that is too small is 0.") {
            calculation, lhs, rhs in
            guard lhs != 0, lhs.isFinite, rhs != 0, rhs.isFinite else { return nil }
            switch calculation {
            case .multiply where lhs * rhs == 0, .divide where lhs / rhs == 0: return .double(0)
            default: return nil
            }
        },
        rewrites("failing-rows", "A row for which a calculation has no result fulfils no condition.") {
            condition, entity, driver in
            guard case .compare(let lhs, let comparison, let rhs) = condition,
                lhs.isCalculated || rhs.isCalculated
            else { return condition }
            let evaluation = FaultyEvaluation(entity: entity, driver: driver)
            return try driver.rows(of: entity) { row in
                let (lhs, rhs) = (try evaluation.value(lhs, row), try evaluation.value(rhs, row))
                return !lhs.isNull && !rhs.isNull && comparison.holds(lhs, rhs)
            }
        },
        updates("update-failing-nil", "An update to a calculation that has no result sets nil.") {
            driver, entity, assignments, condition in
            let evaluation = FaultyEvaluation(entity: entity, driver: driver)
            return try driver.updateEach(of: entity, where: condition) { row in
                try assignments.map {
                    Assignment(attribute: $0.attribute, value: .value(try evaluation.value($0.value, row)))
                }
            }
        },
        updates(
            "update-failing-skipped", "An update leaves out the rows for which its calculation has no result."
        ) {
            driver, entity, assignments, condition in
            let evaluation = FaultyEvaluation(entity: entity, driver: driver, context: .assignment)
            return try driver.updateEach(of: entity, where: condition) { row in
                do {
                    for assignment in assignments { _ = try evaluation.value(assignment.value, row) }
                } catch let error as StoreError where error.code == .arithmetic { return [] }
                return assignments
            }
        },
        updates("update-calculates-all", "An update calculates for all rows, those that it leaves alone too.")
        {
            driver, entity, assignments, condition in
            let evaluation = FaultyEvaluation(entity: entity, driver: driver, context: .assignment)
            for row in try driver.rows(of: entity) {
                for assignment in assignments { _ = try evaluation.value(assignment.value, row) }
            }
            return try driver.base.update(try driver.stored(entity.name), set: assignments, where: condition)
        },
    ]

    /// Makes a fault in calculations with integers in a comparison; the calculation returns nil for a correct result.
    private static func calculates(
        _ name: String, _ summary: String,
        _ result: @escaping @Sendable (ArithmeticOperator, Int64, Int64) throws -> StoredValue?
    ) -> Fault {
        compares(name, summary) { calculation, lhs, rhs in
            guard case .int(let lhs) = lhs, case .int(let rhs) = rhs else { return nil }
            return try result(calculation, lhs, rhs)
        }
    }

    /// Makes a fault in calculations with doubles in a comparison; the calculation returns nil for a correct result.
    private static func calculatesDoubles(
        _ name: String, _ summary: String,
        _ result: @escaping @Sendable (ArithmeticOperator, Double, Double) throws -> StoredValue?
    ) -> Fault {
        compares(name, summary) { calculation, lhs, rhs in
            guard case .double(let lhs) = lhs, case .double(let rhs) = rhs else { return nil }
            return try result(calculation, lhs, rhs)
        }
    }

    private static func compares(
        _ name: String, _ summary: String, _ result: @escaping FaultyEvaluation.Calculation
    ) -> Fault {
        rewrites(name, summary) { condition, entity, driver in
            guard case .compare(let lhs, let comparison, let rhs) = condition,
                lhs.isCalculated || rhs.isCalculated
            else { return condition }
            let evaluation = FaultyEvaluation(entity: entity, driver: driver, result: result)
            return try driver.rows(of: entity) { row in
                comparison.holds(try evaluation.value(lhs, row), try evaluation.value(rhs, row))
            }
        }
    }

    private static func updates(
        _ name: String, _ summary: String,
        _ update: @escaping @Sendable (FaultyDriver, Entity, [Assignment], Condition) throws -> Int
    ) -> Fault {
        Fault(
            name, summary,
            FaultHooks(update: { driver, entity, assignments, condition in
                guard assignments.contains(where: \.value.isCalculated) else {
                    return try driver.base.update(
                        try driver.stored(entity.name), set: assignments, where: condition)
                }
                return try update(driver, entity, assignments, condition)
            }))
    }
}

/// Evaluates operands with a faulty arithmetic.
private struct FaultyEvaluation {
    /// Returns a faulty result, or nil for the correct one.
    typealias Calculation = @Sendable (ArithmeticOperator, StoredValue, StoredValue) throws -> StoredValue?

    let entity: Entity
    let driver: FaultyDriver
    var context = CalculationContext.condition
    var result: Calculation = { _, _, _ in nil }

    func value(_ operand: Operand, _ row: [StoredValue]) throws -> StoredValue {
        switch operand {
        case .attribute(let name): return entity.column(name).map { row[$0] } ?? .null
        case .value(let constant): return constant
        case .arithmetic(let lhs, let calculation, let rhs):
            let (lhs, rhs) = (try value(lhs, row), try value(rhs, row))
            return try result(calculation, lhs, rhs) ?? calculation.result(lhs, rhs, in: context)
        case .negated(let inner): return try value(inner, row).negated(in: context)
        case .coalesce(let first, let second):
            let found = try value(first, row)
            return found.isNull ? try value(second, row) : found
        case .conditional(let condition, let yes, let no):
            let test = try CompiledCondition(condition, entity: entity, schema: driver.schema, rows: related)
            return try value(try test.holds(row) ? yes : no, row)
        case .folded, .figure, .referenced, .overall:
            return try CompiledOperand(operand, entity: entity, schema: driver.schema, rows: related)
                .value(row)
        }
    }

    private func related(_ entity: Entity, _ body: ([StoredValue]) throws -> Void) throws {
        for row in try driver.rows(of: entity) { try body(driver.folded(row, entity)) }
    }
}

extension Operand {
    /// Whether its value is, or may be, the result of a calculation.
    fileprivate var isCalculated: Bool {
        switch self {
        case .arithmetic, .negated: true
        case .attribute, .folded, .value, .figure, .overall: false
        case .referenced(_, let inner): inner.isCalculated
        case .coalesce(let first, let second), .conditional(_, let first, let second):
            first.isCalculated || second.isCalculated
        }
    }
}

extension FaultyDriver {
    /// Updates each row that fulfils a condition to its own values.
    fileprivate func updateEach(
        of entity: Entity, where condition: Condition, _ assignments: ([StoredValue]) throws -> [Assignment]
    ) throws -> Int {
        let rows = try rows(of: entity, where: condition)
        for row in rows {
            let changes = try assignments(row)
            guard !changes.isEmpty else { continue }
            _ = try base.update(
                try stored(entity.name), set: changes,
                where: .compare(.attribute("id"), .equal, .value(row[0])))
        }
        return rows.count
    }
}
