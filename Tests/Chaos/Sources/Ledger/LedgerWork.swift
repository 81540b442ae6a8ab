import Foundation
import Switchyard
import SwitchyardConformance

/// Posts, one after the other, each noted before and after.
struct LedgerWork: Sendable {
    let store: any Store
    let worker: Int
    let journal: Journal
    /// No write may take longer, whatever happens to it.
    let bound: Duration

    /// Posts once.
    ///
    /// - Returns: Whether the store is closed, so that there is nothing more to do.
    @discardableResult
    func post(_ number: Int, using generator: inout SeededGenerator) async -> Bool {
        let account = Int.random(in: 1...LedgerSchema.accounts, using: &generator)
        let text = String(repeating: "x", count: Int.random(in: 0...2_000, using: &generator))
        let operation = OperationID()
        journal.begin(number)
        let start = ContinuousClock.now
        var isClosed = false
        do {
            try await store.write(WriteOptions(operation: operation)) { [worker] tx in
                try tx.post(worker: worker, number: number, to: account, text: text)
            }
            journal.end(number, .done)
            journal.operation(operation)
        } catch let error as StoreError where error.code == .outcomeUnknown {
            await settle(number, operation, error)
        } catch let error as StoreError {
            journal.end(number, .failed, error.code.description)
            isClosed = error.code == .closed
            if error.code == .backend || error.code == .corrupted {
                journal.violation("a write failed with \(error.debugDescription)")
            }
        } catch {
            journal.end(number, .failed, "untyped")
            journal.violation("a write threw what is no StoreError: \(String(reflecting: error))")
        }
        let time = ContinuousClock.now - start
        if time > bound { journal.violation("a write took \(time), longer than \(bound)") }
        return isClosed
    }

    /// Asks whether a write was committed, until somebody answers or it has taken too long.
    private func settle(_ number: Int, _ operation: OperationID, _ error: StoreError) async {
        if error.operation != operation { journal.violation("an unknown outcome names no operation") }
        var pause = Duration.milliseconds(10)
        for _ in 0..<40 {
            do {
                let wasCommitted = try await store.wasCommitted(operation)
                return journal.end(number, wasCommitted ? .committed : .absent)
            } catch {
                // A server that is starting again is asked again a little later.
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, .milliseconds(500))
            }
        }
        journal.end(number, .unsettled)
    }

    /// Reads once, and notes if the snapshot is torn.
    func read() async {
        do {
            for wrong in try await store.read({ try Ledger.wrongBalances(in: $0) }) {
                journal.violation("one snapshot: \(wrong)")
            }
        } catch let error as StoreError {
            journal.refusal(error.code)
            if [.backend, .corrupted].contains(error.code) {
                journal.violation("a read failed with \(error.debugDescription)")
            }
        } catch {
            journal.violation("a read threw what is no StoreError: \(String(reflecting: error))")
        }
    }
}
