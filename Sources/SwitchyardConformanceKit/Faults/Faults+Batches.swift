internal import Switchyard
internal import SwitchyardCore

extension Fault {
    /// Faults in inserts of many rows at a time.
    static let batches: [Fault] =
        [32, 64, 256, 1_000].map { size in
            inserts("batch-\(size)-last", "The last row of a batch of \(size) is not stored.") { rows, _ in
                rows.count == size ? rows.dropLast() : rows
            }
        }
        + [32, 64, 256].map { size in
            inserts("batch-\(size)-next", "The row after the first \(size) of a batch is not stored.") {
                rows, _ in
                rows.enumerated().filter { $0.offset != size }.map(\.element)
            }
        }
        + [32, 256].map { size in
            inserts(
                "batch-\(size)-repeat",
                "The row after the first \(size) of a batch repeats the values of the one before."
            ) { rows, entity in
                guard rows.count > size else { return rows }
                var changed = rows
                for (column, attribute) in entity.attributes.enumerated() where column > 0 {
                    let isUnique = entity.uniqueConstraints.contains {
                        $0.attributes.contains(attribute.name)
                    }
                    if !isUnique { changed[size][column] = rows[size - 1][column] }
                }
                return changed
            }
        } + [
            inserts("batch-first", "The first row of a batch is not stored.") { rows, _ in
                rows.count > 1 ? Array(rows.dropFirst()) : rows
            },
            inserts("batch-remainder", "The rows after the last full 256 of a batch are not stored.") {
                rows, _ in
                rows.count > 256 ? Array(rows.prefix(rows.count / 256 * 256)) : rows
            },
            inserts("batch-stale-nil", "A nil in a batch keeps the value of the row before.") {
                rows, entity in
                keepingLast(rows, entity) { $0.isNull }
            },
            inserts(
                "batch-stale-empty", "An empty text or blob in a batch keeps the value of the row before."
            ) {
                rows, entity in
                keepingLast(rows, entity) { value in
                    switch value {
                    case .text(let text): text.isEmpty
                    case .blob(let data): data.isEmpty
                    default: false
                    }
                }
            },
            inserts("batch-wide", "The columns after the 16th of a batch are those of its first row.") {
                rows, entity in
                rows.map { row in
                    row.enumerated().map { $0 >= 16 && $0 < entity.attributes.count ? rows[0][$0] : $1 }
                }
            },
            inserts("batch-folded", "The searchable copies in a batch are those of its first row.") {
                rows, entity in
                rows.map { row in
                    Array(row.prefix(entity.attributes.count)) + rows[0].dropFirst(entity.attributes.count)
                }
            },
            Fault(
                "batch-count", "An insert of more than 256 rows reports those after the last full 256.",
                FaultHooks(insert: { driver, entity, conflict, rows in
                    let count = try driver.insertRows(rows, into: entity, onConflict: conflict)
                    return count > 256 ? count % 256 : count
                })),
        ]

    private static func inserts(
        _ name: String, _ summary: String,
        _ change: @escaping @Sendable ([[StoredValue]], Entity) -> [[StoredValue]]
    ) -> Fault { Fault(name, summary, FaultHooks(rows: change)) }

    /// Rows in which values of a kind are replaced by the column's previous value.
    private static func keepingLast(
        _ rows: [[StoredValue]], _ entity: Entity, _ isKept: (StoredValue) -> Bool
    ) -> [[StoredValue]] {
        var changed = rows
        for index in rows.indices.dropFirst() {
            for (column, attribute) in entity.attributes.enumerated()
            where column > 0 && isKept(changed[index][column]) && attribute.reference == nil {
                let isUnique = entity.uniqueConstraints.contains { $0.attributes.contains(attribute.name) }
                if !isUnique { changed[index][column] = changed[index - 1][column] }
            }
        }
        return changed
    }
}
