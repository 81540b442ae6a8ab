internal import Switchyard
internal import SwitchyardCore

extension Fault {
    /// Savepoints, whole transactions, and what others see of them.
    static let transactions: [Fault] = [
        Fault(
            "savepoint-forgotten", "What a nested part did before it failed is kept.",
            FaultHooks(rollback: { driver, depth in try driver.base.release(savepoint: depth) })),
        Fault(
            "savepoint-inner-forgotten", "What a part nested in another one did before it failed is kept.",
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
        whole("rollback-lost", "What a body did before it threw is kept.", .keepsFailures),
        whole(
            "rollback-lost-on-refusal", "What a body did before an operation failed is kept.", .keepsRefusals),
        whole(
            "cancellation-ignored", "A cancelled task's transaction goes on to its end.", .ignoresCancellation
        ),
        whole(
            "cancellation-kept", "A cancelled task's write is kept, and reported as cancelled.",
            .keepsCancelled),
        whole("cancellation-read", "A cancelled task's read goes on to its end.", .readsOn),
        whole("read-stale", "A read sees the rows as they were before the last write.", .readsStale),
        whole(
            "read-unrepeatable", "Each question of a read sees what was committed by then.",
            .readsUnrepeatably),
        uncommitted,
        whole(
            "lost-update", "Two writers read the same, and the second undoes what the first has stored.",
            .losesUpdates),
        whole("busy-at-once", "A write that comes beside another one is turned away at once.", .isBusyAtOnce),
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
