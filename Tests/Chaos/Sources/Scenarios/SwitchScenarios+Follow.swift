import Foundation
import PostgresTestServer
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import SwitchyardTransfer

extension SwitchScenarios {
    /// A store that is switched to a server and back, again and again, while tasks post to it wherever it is.
    ///
    /// Connections break, and the server is killed. Every post that was confirmed must be there, once.
    static let follow = Scenario(
        name: "switch-follow",
        summary: "a store goes to a server and back under tasks that write to it, on a way that breaks",
        usualCount: 4
    ) { trial in
        // A connection that always broke would let no part of a copy pass. In a large store nothing breaks: what is of
        // interest is how long a write waits.
        let draw = { @Sendable (generator: inout SeededGenerator) -> FaultProxy.Fault? in
            trial.rows == 0 && Int.random(in: 0..<4, using: &generator) == 0
                ? .breaking(using: &generator) : nil
        }
        try await ServerScenarios.withProxy(trial, settings: "&statementTimeout=20", draw) { _, url in
            try await PostgresServer.withSchemaName { name in
                try await Scratch.with { scratch in
                    let server = "\(url)&schema=\(name)&poolSize=4"
                    let file = "sqlite:\(scratch.file("ledger.sqlite"))"
                    try await fill(file, rows: trial.rows)
                    let last = try await posting(trial, in: scratch, at: file) {
                        try await goBackAndForth(trial, file, server)
                    }
                    let audit = try LedgerAudit(workers: 0..<tasks(trial), in: scratch, report: trial.report)
                    audit.countWork()
                    let direct = "\(try ServerScenarios.serverURL)&schema=\(name)"
                    let store = try await Backends.open(
                        last == file ? file : direct, createsIfMissing: false)
                    try await audit.verify(store)
                    for fault in try await store.check() { trial.report.violation("check: \(fault)") }
                    try await store.close()
                }
            }
        }
        trial.report.require("posts done")
        trial.report.require("switches")
    }

    /// How many tasks write: one to a large store, so that its own waiting is what is measured.
    private static func tasks(_ trial: Trial) -> Int { trial.rows == 0 ? 3 : 1 }

    /// Makes a store with posts of nobody's.
    private static func fill(_ url: String, rows: Int) async throws {
        let store = try await Backends.open(url)
        try await store.write { tx in
            guard rows > 0 else { return }
            let account = try tx.insert(Account(number: 0, balance: rows))
            try tx.insert(
                contentsOf: (0..<rows).lazy.map {
                    Post(account: account.id, worker: -1, number: $0, text: "")
                })
        }
        try await store.close()
    }

    /// Lets tasks post through stores that follow, until the work is done.
    private static func posting<Result>(
        _ trial: Trial, in scratch: Scratch, at url: String, _ work: () async throws -> Result
    ) async throws -> Result {
        let isOver = Latch()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<tasks(trial) {
                let journal = try Journal(path: scratch.journal(worker))
                group.addTask {
                    let store = try await SwitchableStore.open(
                        try place(url), patience: .seconds(100), place: { try place($0) })
                    var generator = SeededGenerator(seed: trial.seed &+ UInt64(worker) &+ 1)
                    let work = LedgerWork(
                        store: store, worker: worker, journal: journal, bound: .seconds(120))
                    var (number, longest) = (0, Duration.zero)
                    while !isOver.isRaised {
                        let start = ContinuousClock.now
                        await work.post(number, using: &generator)
                        longest = max(longest, ContinuousClock.now - start)
                        number += 1
                        // About 200 posts in a second.
                        try? await Task.sleep(for: .milliseconds(5))
                    }
                    trial.report.figure("the longest write of worker \(worker) took \(longest)")
                    try await store.close()
                }
            }
            defer { isOver.raise() }
            let result = try await work()
            isOver.raise()
            try await group.waitForAll()
            return result
        }
    }

    /// Switches the store as often as the trial says.
    ///
    /// - Returns: The URL of where it is afterwards.
    private static func goBackAndForth(_ trial: Trial, _ file: String, _ server: String) async throws
        -> String
    {
        var generator = SeededGenerator(seed: trial.seed)
        var (from, to, done) = (file, server, 0)
        while trial.effort.goesOn(after: done) {
            let change = StoreSwitch(from: try place(from), to: try place(to), replacingBackup: true)
            let restart = trial.rows == 0 && done % 4 == 3 ? PostgresServer.restartCommand : nil
            let delay = Int.random(in: 50...600, using: &generator)
            async let restarting: Void = kill(restart, after: delay)
            while true {
                do {
                    try await change.run()
                    break
                } catch let error as StoreError where Self.isOfTheWay(error) {
                    trial.report.count("switches interrupted")
                }
            }
            try await restarting
            if restart != nil { trial.report.count("servers killed") }
            trial.report.count("switches")
            (from, to) = (to, from)
            done += 1
        }
        return from
    }

    private static func isOfTheWay(_ error: StoreError) -> Bool {
        [.connectionLost, .outcomeUnknown, .busy, .serialization, .transactionAborted].contains(error.code)
    }

    /// Kills the server after a number of milliseconds, and starts it again.
    private static func kill(_ command: String?, after milliseconds: Int) async throws {
        guard let command else { return }
        try await Task.sleep(for: .milliseconds(milliseconds))
        guard await (try Child(command, [])).ended == .exit(0) else {
            throw MissingPart(description: "the server has not started again.")
        }
    }

    static func place(_ url: String) throws -> StorePlace {
        StorePlace(url: url, registry: try Backends.registry, schema: try LedgerSchema.schema)
    }
}
