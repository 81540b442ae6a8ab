internal import Foundation
internal import Switchyard
internal import Synchronization

/// Requirement T3 for two writers whose bodies both read before either one writes.
///
/// A backend that runs writers one after another never has two active bodies. The first one then waits for the
/// second until a timeout and continues, and the requirement reports that nothing was retried.
enum OverlapChecks {
    static func verify(_ contract: Contract) async throws {
        try await lostUpdate(contract)
        try await writeSkew(contract)
    }

    /// Both add 1 to the number they have read, and insert a row.
    private static func lostUpdate(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let counter = try await store.write { try $0.insert(Ticket(number: 0)) }
        let meeting = Meeting(contract)
        try await both { writer in
            try await store.write { tx in
                var ticket = try contract.require(try tx.find(counter.id), "the counter")
                meeting.hasRead(writer)
                ticket.count += 1
                try tx.insert(Ticket(number: 1 + writer))
                try tx.update(ticket)
            }
        }
        let (count, rows) = try await store.read { tx in
            (try tx.find(counter.id)?.count, try tx.count(Ticket.all))
        }
        try contract.expectEqual(count, 2, "a counter after two writers that had both read 0")
        try contract.expectEqual(rows, 3, "the rows, one from each writer however often its body ran")
        try requireSecondRun(contract, meeting)
    }

    /// Each reads both rows and writes one: without serializable isolation both could commit.
    private static func writeSkew(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        try await store.write { tx in try tx.insert(contentsOf: [Ticket(number: 0), Ticket(number: 1)]) }
        let meeting = Meeting(contract)
        try await both { writer in
            try await store.write { tx in
                let total = try tx.fetch(Ticket.all).reduce(0) { $0 + $1.count }
                meeting.hasRead(writer)
                guard total == 0 else { return }
                try tx.update(
                    Ticket.where(#Predicate { $0.number == writer }), set: [.set(\.count, to: 1)])
            }
        }
        let total = try await store.read { try $0.fetch(Ticket.all).reduce(0) { $0 + $1.count } }
        try contract.expectEqual(total, 1, "the sum after two writers that each write only if it is 0")
        try requireSecondRun(contract, meeting)
    }

    private static func requireSecondRun(_ contract: Contract, _ meeting: Meeting) throws {
        guard meeting.tookPlace else {
            return contract.note("Each write begins when the one before has ended, so none loses to another.")
        }
        try contract.expect(
            meeting.runs > 2, "runs of two bodies that had both read before either wrote",
            expected: "more than 2", found: "\(meeting.runs)")
    }

    private static func both(_ write: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<2 { group.addTask { try await write(writer) } }
            try await group.waitForAll()
        }
    }
}

/// Makes two bodies wait for each other between reading and writing.
private final class Meeting: Sendable {
    private let arrivals: [Signal]
    private let state = Mutex((runs: 0, met: 0))

    init(_ contract: Contract) {
        arrivals = ["first", "second"].map { contract.signal("the \($0) of two writers has read") }
    }

    /// How often a body has reached this point.
    var runs: Int { state.withLock(\.runs) }

    /// Whether both had read before either one wrote.
    var tookPlace: Bool { state.withLock { $0.met == 2 } }

    /// Waits for the other body, but no longer than tests can afford if it cannot come.
    func hasRead(_ writer: Int) {
        let isFirstRun = !arrivals[writer].isRaised
        state.withLock { $0.runs += 1 }
        arrivals[writer].raise()
        guard isFirstRun, arrivals[1 - writer].waitOnThread(atMost: .seconds(2)) else { return }
        state.withLock { $0.met += 1 }
    }
}
