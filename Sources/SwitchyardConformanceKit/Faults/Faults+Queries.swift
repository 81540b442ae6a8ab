internal import Foundation
internal import Switchyard
internal import SwitchyardCore

extension Fault {
    /// Faults that show in plans and budgets, in values that Core calculates from rows, and in rows that are written again.
    static let queries: [Fault] = [
        explains("explain-values", "The statement of a plan shows the query's values.") { selection in
            ("SELECT … WHERE \(selection.condition)", ["SCAN"], [])
        },
        explains("explain-no-steps", "A plan has a statement and no steps.") { _ in ("SELECT …", [], []) },
        Fault(
            "error-budget", "A read beyond its budget is an error of the backend.",
            FaultHooks(error: { error, _ in
                error.code == .budgetExceeded ? StoreError(.backend, "The database failed.") : error
            })),
        Fault(
            "count-cancelled", "A count that is cancelled is 0, and its transaction goes on.",
            FaultHooks(select: { driver, selection in
                guard selection.columns == [.aggregate(.count)] else { return nil }
                do { return try driver.answer(to: selection) } catch let error as StoreError
                    where error.code == .cancelled
                { return [[.int(0)]] }
            })),
        answers("answer-distinct", "Rows of a single column are returned once for each of its values.") {
            rows, selection in
            guard selection.columns.count == 1, !selection.isAggregate else { return rows }
            var known: Set<[StoredValue]> = []
            return rows.filter { known.insert($0).inserted }
        },
        answers("column-twice", "A column that is asked for twice is nil the second time.") {
            rows, selection in
            let columns = selection.columns
            let repeated = columns.indices.filter { columns[..<$0].contains(columns[$0]) }
            return rows.map { row in
                var row = row
                for column in repeated { row[column] = .null }
                return row
            }
        },
        answers("group-running", "The sums of groups are sums of the groups before them as well.") {
            rows, selection in
            guard !selection.groups.isEmpty else { return rows }
            var totals = [Int64](repeating: 0, count: selection.columns.count)
            return rows.map { row in
                row.indices.map { column in
                    guard case .aggregate(.sum) = selection.columns[column],
                        case .int(let number) = row[column]
                    else { return row[column] }
                    totals[column] += number
                    return .int(totals[column])
                }
            }
        },
        asks("order-unselected", "Rows are not sorted by keys that are not among their columns.") {
            selection in
            guard !selection.isAggregate else { return }
            let columns = selection.columns
            selection.order = selection.order.filter { key in
                key.attribute.map { columns.contains(.attribute($0)) } ?? true
            }
        },
        rewrites("referenced-own", "A value of the row that a reference points at is that of the row itself.")
        {
            condition, entity, _ in
            guard case .compare(let lhs, let comparison, let rhs) = condition else { return condition }
            return .compare(lhs.ownValue(of: entity), comparison, rhs.ownValue(of: entity))
        },
        rewrites("in-self-one", "A list of rows finds one of those of their own kind that refer to each.") {
            condition, entity, driver in
            guard case .isIn(.attribute(let name), _) = condition,
                entity.attribute(name)?.reference == entity.name, let column = entity.column(name)
            else { return condition }
            var known: Set<StoredValue> = []
            return .isIn(
                .attribute("id"),
                try driver.rows(of: entity, where: condition).filter { known.insert($0[column]).inserted }.map
                {
                    $0[0]
                })
        },
        Fault(
            "figure-remembered", "The extremes of all rows are looked up once.",
            FaultHooks(select: { driver, selection in
                let isExtreme = selection.columns.allSatisfy {
                    switch $0 {
                    case .aggregate(.minimum), .aggregate(.maximum): true
                    default: false
                    }
                }
                guard isExtreme, selection.groups.isEmpty, selection.condition == .constant(true) else {
                    return nil
                }
                let key = "\(selection.entity.name) \(selection.columns)"
                if let known = driver.place.remember({ $0.figures[key] }) { return known }
                let answer = try driver.answer(to: selection)
                driver.place.remember { $0.figures[key] = answer }
                return answer
            })),
        Fault(
            "upsert-time-seconds", "An upsert rounds times to seconds.",
            FaultHooks(insert: { driver, entity, conflict, rows in
                guard case .update = conflict else {
                    return try driver.insertRows(rows, into: entity, onConflict: conflict)
                }
                let rounded = rows.map { row in
                    row.map { value -> StoredValue in
                        guard case .timestamp(let time) = value else { return value }
                        return .timestamp(time - time % 1_000_000)
                    }
                }
                return try driver.insertRows(rounded, into: entity, onConflict: conflict)
            })),
        again("id-kept-after-delete", "The id of a deleted row is taken until the end of the transaction.") {
            driver, entity, row, _ in
            throw StoreError(.unique, "The id is taken.", entity: entity.name)
        },
        again("insert-restores", "A row that is inserted again has the values that it had before.") { $3 },
    ]

    private static func explains(
        _ name: String, _ summary: String,
        _ explain: @escaping @Sendable (Selection) -> (statement: String, steps: [String], indexes: [String])
    ) -> Fault { Fault(name, summary, FaultHooks(explain: explain)) }

    /// A fault in inserting a row that the transaction has deleted; the closure receives the new row and the deleted one.
    private static func again(
        _ name: String, _ summary: String,
        _ change:
            @escaping @Sendable (FaultyDriver, Entity, [StoredValue], [StoredValue]) throws -> [StoredValue]
    ) -> Fault {
        Fault(
            name, summary,
            FaultHooks(
                insert: { driver, entity, conflict, rows in
                    let rows = try rows.map { row in
                        guard let deleted = driver.deletedRows[row[0]] else { return row }
                        return try change(driver, entity, row, deleted)
                    }
                    return try driver.insertRows(rows, into: entity, onConflict: conflict)
                },
                delete: { driver, entity, condition in
                    for row in try driver.rows(of: entity, where: condition) {
                        driver.deletedRows[row[0]] = driver.folded(row, entity)
                    }
                    return try driver.base.delete(from: try driver.stored(entity.name), where: condition)
                }))
    }
}

extension Operand {
    /// The value without its first reference, if the entity itself has such an attribute.
    fileprivate func ownValue(of entity: Entity) -> Operand {
        guard case .referenced(_, .attribute(let name)) = self, entity.attribute(name) != nil else {
            return self
        }
        return .attribute(name)
    }
}
