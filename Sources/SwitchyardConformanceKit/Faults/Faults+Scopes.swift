internal import Switchyard

extension Fault {
    /// Faults that mix up scopes.
    static let scopes: [Fault] = [
        scope("scope-reads-own", "A read is of the store's own scope, whatever it names.", .readsOwn),
        scope("scope-writes-own", "A write goes to the store's own scope, whatever it names.", .writesOwn),
        scope("scope-reads-first", "A read of several scopes reads the first.", .readsFirst),
        scope("scope-reads-all", "A read of one scope sees the rows of all.", .readsAll),
        scope("scope-operations", "An operation of one scope is known in all.", .sharesOperations),
        scope("scope-order", "Rows of several scopes with one id come in the wrong order.", .turnsOrder),
        scope("scope-hidden", "A scope without a history is not among those of the store.", .hidesEmpty),
        scope("scope-told", "Followers of every scope are told of every commit.", .tellsAll),
    ]

    private static func scope(_ name: String, _ summary: String, _ fault: ScopeFault) -> Fault {
        Fault(name, summary, needs: .scopes, FaultHooks(scopes: fault))
    }
}
