import Foundation
import Synchronization

/// Compares what readers of a feed were told with what its writers have committed.
final class FeedCheck: Sendable {
    private struct Write {
        let scope: Int
        let began: ContinuousClock.Instant
        var ended: ContinuousClock.Instant?
        var isCommitted = false
    }

    private struct State {
        var writes: [UUID: Write] = [:]
        var committed = 0
        /// What was told of each scope, in order.
        var told: [Int: [UUID]] = [:]
    }

    private let state = Mutex(State())

    /// The number of writes that were committed.
    var committed: Int { state.withLock(\.committed) }

    func begin(_ id: UUID, in scope: Int) {
        state.withLock { $0.writes[id] = Write(scope: scope, began: .now) }
    }

    func end(_ id: UUID, isCommitted: Bool) {
        state.withLock { state in
            state.writes[id]?.ended = .now
            state.writes[id]?.isCommitted = isCommitted
            if isCommitted { state.committed += 1 }
        }
    }

    func tell(_ ids: [UUID], of scope: Int) {
        state.withLock { $0.told[scope, default: []] += ids }
    }

    /// What was found wrong.
    struct Findings {
        /// The number of committed writes that no reader was told of.
        var lost = 0
        /// All other faults, in a sentence each.
        var others: [String] = []
    }

    /// Looks for writes that are lost, told twice, told but not committed, or told in another order than they were
    /// committed in, once all of them have ended and have been read.
    func findings() -> Findings {
        state.withLock { state in
            var findings = Findings()
            var seen: Set<UUID> = []
            for (scope, ids) in state.told.sorted(by: { $0.key < $1.key }) {
                // A write that had ended before another one began was committed before it.
                var lastBegin: ContinuousClock.Instant?
                for id in ids {
                    guard seen.insert(id).inserted else {
                        findings.others.append("\(id) was told twice")
                        continue
                    }
                    guard let write = state.writes[id], let ended = write.ended, write.isCommitted,
                        write.scope == scope
                    else {
                        findings.others.append("\(id) was told of scope \(scope) and not committed there")
                        continue
                    }
                    if let lastBegin, ended < lastBegin {
                        findings.others.append("\(id) was told after one that began when it had ended")
                    }
                    lastBegin = max(lastBegin ?? write.began, write.began)
                }
            }
            findings.lost = state.writes.count { $1.isCommitted && !seen.contains($0) }
            return findings
        }
    }
}
