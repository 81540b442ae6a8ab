internal import Switchyard
internal import SwitchyardCore

extension Fault {
    /// What calculations in conditions give, and which rows they are tried on.
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
        calculates("division-by-zero", "A division by zero gives nil.") { calculation, _, rhs in
            [.divide, .remainder].contains(calculation) && rhs == 0 ? .null : nil
        },
        rewrites("failing-rows", "A row for which a calculation fails does not fulfil the condition.") {
            condition, entity, driver in
            guard case .compare(let lhs, let comparison, let rhs) = condition, condition.canFail else {
                return condition
            }
            let evaluation = FaultyEvaluation(entity: entity, schema: driver.schema) { _, _, _ in nil }
            return try driver.rows(of: entity) { row in
                guard let lhs = try? evaluation.value(lhs, row), let rhs = try? evaluation.value(rhs, row)
                else {
                    return false
                }
                return comparison.holds(lhs, rhs)
            }
        },
        Fault(
            "limit-spares-rows", "Rows behind a limit are not tried where trying them fails.",
            FaultHooks(select: { driver, selection in
                guard let limit = selection.limit, limit > 0, selection.condition.canFail,
                    selection.order == [SortKey("id")]
                else { return nil }
                return selection.cut(
                    try driver.firstRows(selection.offset + limit, of: selection.entity, selection.condition))
            })),
        Fault(
            "extreme-spares-rows", "The smallest id is that of the first row that fulfils a condition.",
            FaultHooks(select: { driver, selection in
                guard selection.columns == [.aggregate(.minimum("id"))], selection.groups.isEmpty else {
                    return nil
                }
                let first = try driver.firstRows(1, of: selection.entity, selection.condition)
                return [[first.first?[0] ?? .null]]
            })),
    ]

    /// A fault in calculations with integers in a comparison; nil where the result is as it should be.
    private static func calculates(
        _ name: String, _ summary: String,
        _ result: @escaping @Sendable (ArithmeticOperator, Int64, Int64) -> StoredValue?
    ) -> Fault {
        rewrites(name, summary) { condition, entity, driver in
            guard case .compare(let lhs, let comparison, let rhs) = condition, condition.canFail else {
                return condition
            }
            let evaluation = FaultyEvaluation(entity: entity, schema: driver.schema, result: result)
            do {
                return try driver.rows(of: entity) { row in
                    comparison.holds(try evaluation.value(lhs, row), try evaluation.value(rhs, row))
                }
            } catch let error as StoreError where error.code == .arithmetic {
                // Which rows are tried is for the backend to say.
                return condition
            }
        }
    }
}

/// Works operands out with another arithmetic.
private struct FaultyEvaluation {
    let entity: Entity
    let schema: Schema
    let result: (ArithmeticOperator, Int64, Int64) -> StoredValue?

    func value(_ operand: Operand, _ row: [StoredValue]) throws -> StoredValue {
        switch operand {
        case .attribute(let name): return entity.column(name).map { row[$0] } ?? .null
        case .value(let constant): return constant
        case .arithmetic(let lhs, let calculation, let rhs):
            let (lhs, rhs) = (try value(lhs, row), try value(rhs, row))
            if case .int(let left) = lhs, case .int(let right) = rhs,
                let changed = result(calculation, left, right)
            {
                return changed
            }
            return try calculation.result(lhs, rhs)
        case .negated(let inner): return try value(inner, row).negated()
        case .coalesce(let first, let second):
            let found = try value(first, row)
            return found.isNull ? try value(second, row) : found
        case .conditional(let condition, let yes, let no):
            let test = try CompiledCondition(condition, entity: entity, schema: schema) { _, _ in }
            return try value(try test.holds(row) ? yes : no, row)
        case .count:
            return try CompiledOperand(operand, entity: entity, schema: schema) { _, _ in }.value(row)
        }
    }
}

extension FaultyDriver {
    /// The first rows by id that fulfil a condition; those after them are not tried.
    fileprivate func firstRows(
        _ count: Int, of entity: Entity, _ condition: Condition
    ) throws -> [[StoredValue]] {
        let test = try CompiledCondition(condition, entity: entity, schema: schema) { [self] entity, body in
            for row in try rows(of: entity) { try body(folded(row, entity)) }
        }
        var found: [[StoredValue]] = []
        for row in try rows(of: entity) where found.count < count {
            if try test.holds(folded(row, entity)) { found.append(row) }
        }
        return found
    }
}
