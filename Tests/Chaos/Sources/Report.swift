import Synchronization

/// What a scenario did, how often, and what should not have happened.
final class Report: Sendable {
    private struct State {
        var tally: [String: Int] = [:]
        var figures: [String] = []
        var violations: [String] = []
    }

    private let state = Mutex(State())

    func count(_ what: String, _ number: Int = 1) {
        state.withLock { $0.tally[what, default: 0] += number }
    }

    /// A measurement, for the reader of the report.
    func figure(_ text: String) { state.withLock { $0.figures.append(text) } }

    func violation(_ text: String) { state.withLock { $0.violations.append(text) } }

    func count(of what: String) -> Int { state.withLock { $0.tally[what, default: 0] } }

    /// A scenario in which something never happened has shown nothing of it.
    func require(_ what: String) {
        if count(of: what) == 0 { violation("no \(what): the scenario has shown nothing") }
    }

    var violations: [String] { state.withLock(\.violations) }

    var figures: [String] { state.withLock(\.figures) }

    var summary: String {
        state.withLock { state in
            let counts = state.tally.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            return (counts + ["\(state.violations.count) violations"]).joined(separator: ", ")
        }
    }
}
