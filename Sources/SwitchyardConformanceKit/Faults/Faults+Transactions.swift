internal import Switchyard
internal import SwitchyardCore

extension Fault {
    /// Faults in savepoints, whole transactions, and their isolation.
    static let transactions: [Fault] = [
        Fault(
            "savepoint-forgotten", "Changes of a nested part that failed are kept.",
            FaultHooks(rollback: { driver, depth in try driver.base.release(savepoint: depth) })),
        Fault(
            "savepoint-inner-forgotten", "Changes of a part that failed inside another one are kept.",
            FaultHooks(rollback: { driver, depth in
                if depth > 1 {
                    try driver.base.release(savepoint: depth)
                } else {
                    try driver.base.rollback(toSavepoint: depth)
                }
            })),
        Fault(
            "savepoint-too-far", "A part that fails undoes the part around it, too.",
            FaultHooks(rollback: { driver, depth in
                try driver.base.rollback(toSavepoint: depth)
                guard depth > 1 else { return }
                try driver.base.rollback(toSavepoint: depth - 1)
                try driver.base.savepoint(depth - 1)
            })),
        Fault(
            "savepoint-release-undoes", "A nested part that succeeds is undone.",
            FaultHooks(release: { driver, depth in try driver.base.rollback(toSavepoint: depth) })),
        whole("write-forgotten", "Every 20th write is reported as done and is not kept.", .forgetsEvery(20)),
        whole("rollback-lost", "Changes of a body that threw are kept.", .keepsFailures),
        whole(
            "rollback-lost-on-refusal", "Changes of a body are kept when an operation fails.", .keepsRefusals),
        whole(
            "cancellation-ignored", "A cancelled task's transaction goes on to its end.", .ignoresCancellation
        ),
        whole(
            "cancellation-kept", "A cancelled task's write is kept, and reported as cancelled.",
            .keepsCancelled),
        whole("cancellation-read", "A cancelled task's read goes on to its end.", .readsOn),
        whole("read-stale", "A read misses the last committed write.", .readsStale),
        whole(
            "read-unrepeatable", "Each query of a read sees what has been committed by then.",
            .readsUnrepeatably),
        uncommitted,
        whole(
            "lost-update", "Two writers read the same rows, and the second overwrites the first.",
            .losesUpdates),
        whole("busy-at-once", "A write that meets another one fails immediately.", .isBusyAtOnce),
    ]

    private static let uncommitted = Fault(
        "read-uncommitted", "A read sees the rows that a running write has inserted.",
        FaultHooks(
            select: { driver, selection in
                guard selection.condition == .constant(true), selection.groups.isEmpty, !driver.isWriting
                else {
                    return nil
                }
                let rows = driver.place.remember { $0.uncommitted[selection.entity.name] } ?? []
                guard !rows.isEmpty else { return nil }
                if selection.columns == [.aggregate(.count)] {
                    return try driver.answer(to: selection).map { row in
                        guard case .int(let count) = row[0] else { return row }
                        return [.int(count + Int64(rows.count))]
                    }
                }
                guard !selection.isAggregate else { return nil }
                var plain = Selection.rows(of: selection.entity)
                plain.order = selection.order
                return selection.cut(try driver.answer(to: plain) + rows)
            }, transactions: .readsUncommitted))

    private static func whole(_ name: String, _ summary: String, _ fault: TransactionFault) -> Fault {
        Fault(name, summary, FaultHooks(transactions: fault))
    }
}
