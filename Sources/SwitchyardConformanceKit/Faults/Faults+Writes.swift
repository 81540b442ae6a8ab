internal import Foundation
internal import Switchyard
internal import SwitchyardCore

extension Fault {
    /// Faults in what inserts, updates and deletes do and report.
    static let writes: [Fault] = [
        Fault(
            "insert-of-all", "Rows that are made of others are made of all rows, whatever the condition.",
            needs: .durability,
            FaultHooks(insertion: { selection in
                var all = selection
                all.condition = .constant(true)
                return all
            })),
        updates("update-count-unchanged", "A row that an update leaves as it was is not counted.") {
            driver, entity, assignments, condition in
            let before = try driver.rows(of: entity, where: condition)
            _ = try driver.base.update(try driver.stored(entity.name), set: assignments, where: condition)
            let after = Set(try driver.rows(of: entity))
            return before.count { !after.contains($0) }
        },
        updates("update-missing", "An update of a missing row is reported as done.") {
            driver, entity, assignments, condition in
            max(1, try driver.base.update(try driver.stored(entity.name), set: assignments, where: condition))
        },
        updates("update-in-turn", "An assignment sees what those before it have set.") {
            driver, entity, assignments, condition in
            let ids = Condition.isIn(
                .attribute("id"), try driver.rows(of: entity, where: condition).map { $0[0] })
            for assignment in assignments {
                _ = try driver.base.update(try driver.stored(entity.name), set: [assignment], where: ids)
            }
            return try driver.rows(of: entity, where: ids).count
        },
        updates("update-to-nil", "An update to nil leaves the value.") {
            driver, entity, assignments, condition in
            let kept = assignments.filter { $0.value != .value(.null) }
            return try driver.update(entity, kept, condition)
        },
        updates("update-to-empty", "An update to empty text or an empty blob leaves the value.") {
            driver, entity, assignments, condition in
            let kept = assignments.filter {
                $0.value != .value(.text("")) && $0.value != .value(.blob(Data()))
            }
            return try driver.update(entity, kept, condition)
        },
        updates("update-first", "An update of several rows changes only the first, and counts all.") {
            driver, entity, assignments, condition in
            let ids = try driver.rows(of: entity, where: condition).map { $0[0] }
            _ = try driver.update(entity, assignments, .isIn(.attribute("id"), Array(ids.prefix(1))))
            return ids.count
        },
        updates("update-1000", "An update changes the first 1,000 rows, and counts all.") {
            driver, entity, assignments, condition in
            let ids = try driver.rows(of: entity, where: condition).map { $0[0] }
            _ = try driver.update(entity, assignments, .isIn(.attribute("id"), Array(ids.prefix(1_000))))
            return ids.count
        },
        reports("report-nothing", "The rows that an update or a delete changes are not reported.") { report in
            ChangeReport(report.content) { _ in }
        },
        reports("report-first", "Of the rows that an update or a delete changes, only the first is reported.")
        {
            report in
            var isFirst = true
            return ChangeReport(report.content) { row in
                defer { isFirst = false }
                if isFirst { try report.body(&row) }
            }
        },
        deletes("delete-count", "A delete reports no row.") { driver, entity, condition in
            _ = try driver.base.delete(from: try driver.stored(entity.name), where: condition)
            return 0
        },
        deletes("delete-missing", "A delete of a missing row reports one.") {
            driver, entity, condition in
            max(1, try driver.base.delete(from: try driver.stored(entity.name), where: condition))
        },
        deletes("delete-first", "A delete of several rows deletes only the first, and counts all.") {
            driver, entity, condition in
            let ids = try driver.rows(of: entity, where: condition).map { $0[0] }
            _ = try driver.base.delete(
                from: try driver.stored(entity.name), where: .isIn(.attribute("id"), Array(ids.prefix(1))))
            return ids.count
        },
        deletes("delete-1000", "A delete deletes the first 1,000 rows, and counts all.") {
            driver, entity, condition in
            let ids = try driver.rows(of: entity, where: condition).map { $0[0] }
            _ = try driver.base.delete(
                from: try driver.stored(entity.name), where: .isIn(.attribute("id"), Array(ids.prefix(1_000)))
            )
            return ids.count
        },
        inserts("insert-replaces", "A row whose id already exists is replaced.") {
            driver, entity, conflict, rows in
            if conflict == .fail {
                _ = try driver.base.delete(
                    from: try driver.stored(entity.name), where: .isIn(.attribute("id"), rows.map { $0[0] }))
            }
            return try driver.insertRows(rows, into: entity, onConflict: conflict)
        },
        inserts("insert-skips", "A row whose id already exists is skipped silently.") {
            driver, entity, conflict, rows in
            let isPlain = conflict == .fail
            return try driver.insertRows(
                rows, into: entity, onConflict: isPlain ? .ignore(key: ["id"]) : conflict)
        },
        inserts("skip-counts", "Rows that are skipped because their ids exist are counted.") {
            driver, entity, conflict, rows in
            let count = try driver.insertRows(rows, into: entity, onConflict: conflict)
            if case .ignore = conflict { return rows.count }
            return count
        },
        inserts("skip-updates", "Rows whose ids exist are updated instead of skipped.") {
            driver, entity, conflict, rows in
            guard case .ignore(let key) = conflict else {
                return try driver.insertRows(rows, into: entity, onConflict: conflict)
            }
            let new = rows.count - (try driver.present(rows, entity).count)
            _ = try driver.insertRows(
                rows, into: entity,
                onConflict: .update(key: key, set: entity.attributes.dropFirst().map(\.name)))
            return new
        },
        inserts(
            "upsert-replaces", "An upsert deletes the row that is there, and its id, and inserts the new one."
        ) {
            driver, entity, conflict, rows in
            guard case .update(let key, _) = conflict else {
                return try driver.insertRows(rows, into: entity, onConflict: conflict)
            }
            for row in rows {
                let agrees = key.compactMap { name in
                    entity.column(name).map {
                        Condition.compare(.attribute(name), .equal, .value(row[$0]))
                    }
                }
                let hasNil = key.contains { name in entity.column(name).map { row[$0].isNull } ?? false }
                if !hasNil {
                    _ = try driver.base.delete(from: try driver.stored(entity.name), where: .all(agrees))
                }
            }
            return try driver.insertRows(rows, into: entity)
        },
        inserts("upsert-to-nil", "An upsert leaves the values for which the new row has nil.") {
            driver, entity, conflict, rows in
            guard case .update(let key, let set) = conflict else {
                return try driver.insertRows(rows, into: entity, onConflict: conflict)
            }
            return try rows.reduce(0) { count, row in
                let kept = set.filter { name in entity.column(name).map { !row[$0].isNull } ?? true }
                return count
                    + (try driver.insertRows(
                        [row], into: entity,
                        onConflict: kept.isEmpty ? .ignore(key: key) : .update(key: key, set: kept)))
            }
        },
        inserts("upsert-leaves", "An upsert leaves the existing row unchanged.") {
            driver, entity, conflict, rows in
            guard case .update(let key, _) = conflict else {
                return try driver.insertRows(rows, into: entity, onConflict: conflict)
            }
            return try driver.insertRows(rows, into: entity, onConflict: .ignore(key: key))
        },
        staleCopies("folded-update-one", "The searchable copy stays behind when one row is updated.") {
            condition in
            if case .compare(.attribute("id"), .equal, _) = condition { true } else { false }
        },
        staleCopies("folded-update-many", "The searchable copy stays behind when many rows are updated.") {
            condition in
            if case .compare(.attribute("id"), .equal, _) = condition { false } else { true }
        },
    ]

    private static func updates(
        _ name: String, _ summary: String,
        _ change: @escaping @Sendable (FaultyDriver, Entity, [Assignment], Condition) throws -> Int
    ) -> Fault { Fault(name, summary, FaultHooks(update: change)) }

    private static func deletes(
        _ name: String, _ summary: String,
        _ change: @escaping @Sendable (FaultyDriver, Entity, Condition) throws -> Int
    ) -> Fault { Fault(name, summary, FaultHooks(delete: change)) }

    private static func reports(
        _ name: String, _ summary: String, _ change: @escaping @Sendable (ChangeReport) -> ChangeReport
    ) -> Fault { Fault(name, summary, FaultHooks(report: change)) }

    private static func inserts(
        _ name: String, _ summary: String,
        _ change:
            @escaping @Sendable (FaultyDriver, Entity, ConflictResolution, [[StoredValue]]) throws -> Int
    ) -> Fault { Fault(name, summary, FaultHooks(insert: change)) }

    /// A fault in which an update does not change the folded copies of some rows: their former copies are
    /// remembered, and searched in place of the stored ones.
    private static func staleCopies(
        _ name: String, _ summary: String, _ isStale: @escaping @Sendable (Condition) -> Bool
    ) -> Fault {
        Fault(
            name, summary,
            FaultHooks(
                update: { driver, entity, assignments, condition in
                    let searched = assignments.map(\.attribute).filter {
                        entity.attribute($0)?.isSearchable ?? false
                    }
                    for name in searched where isStale(condition) {
                        let column = entity.column(name) ?? 0
                        for row in try driver.rows(of: entity, where: condition) {
                            driver.place.remember { memory in
                                let key = "\(entity.name).\(name)"
                                if memory.folded[key]?[row[0]] == nil {
                                    memory.folded[key, default: [:]][row[0]] = row[column].folded
                                }
                            }
                        }
                    }
                    return try driver.update(entity, assignments, condition)
                },
                condition: { condition, entity, driver in
                    guard case .search(let name, let match, let other) = condition,
                        let column = entity.column(name)
                    else { return condition }
                    let kept = driver.place.remember { $0.folded["\(entity.name).\(name)"] } ?? [:]
                    return try driver.rows(of: entity) { row in
                        guard case .text(let text) = kept[row[0]] ?? row[column].folded else { return false }
                        return match.holds(text, other)
                    }
                }))
    }
}

extension FaultyDriver {
    /// Sets attributes, if any are left, with the backend's own update.
    fileprivate func update(
        _ entity: Entity, _ assignments: [Assignment], _ condition: Condition
    ) throws -> Int {
        guard !assignments.isEmpty else { return try rows(of: entity, where: condition).count }
        return try base.update(try stored(entity.name), set: assignments, where: condition)
    }

    /// The stored rows that have the same ids as these.
    fileprivate func present(_ rows: [[StoredValue]], _ entity: Entity) throws -> [[StoredValue]] {
        try self.rows(of: entity, where: .isIn(.attribute("id"), rows.map { $0[0] }))
    }
}
