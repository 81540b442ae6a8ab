import Foundation
import PostgresTestServer
import Switchyard
import SwitchyardConformance

/// A ledger that is switched to a server and back, again and again, while processes post to it wherever it is.
///
/// Every post that was confirmed must be there at the end, once.
struct LedgerJourney: Sendable {
    private let trial: Trial
    private let scratch: Scratch
    /// The store's two places.
    private let file: String, server: String
    /// The second place for the audit, on a connection that does not break.
    private let direct: String
    /// Makes the rehearsal before each switch; nil if there is none.
    private let rehearsal: LedgerRehearsal?
    /// Whether statements may run into their timeout, as where they wait for a connection that has fallen silent.
    private let mayTimeOut: Bool

    private var report: Report { trial.report }
    /// One writes to a large store, so that its own waiting is what is measured.
    private var writers: Range<Int> { 0..<(trial.rows == 0 ? 3 : 1) }

    /// Makes a journey.
    ///
    /// - Parameters:
    ///   - trial: The trial; its rows are in the store from the beginning.
    ///   - url: The way to the server.
    ///   - rehearsal: The rehearsal before each switch; nil if there is none.
    ///   - mayTimeOut: Whether statements may run into their timeout.
    ///   - goesOn: Whether the store is to be switched once more after so many switches.
    ///   - disturb: Does something during each attempt of a switch; it is cancelled when the attempt has ended. It is
    ///     told how many attempts of this switch were interrupted.
    /// - Throws: What making the store and looking at it throws.
    static func make(
        _ trial: Trial, through url: String, rehearsal: LedgerRehearsal? = nil, mayTimeOut: Bool = false,
        while goesOn: (Int) -> Bool,
        disturb: @escaping @Sendable (_ interruptions: Int) async throws -> Void = { _ in }
    ) async throws {
        let direct = try ServerScenarios.serverURL
        try await PostgresServer.withSchemaName { name in
            try await Scratch.with { scratch in
                try await LedgerJourney(
                    trial: trial, scratch: scratch, file: "sqlite:\(scratch.file("ledger.sqlite"))",
                    server: "\(url)&schema=\(name)&poolSize=4", direct: "\(direct)&schema=\(name)",
                    rehearsal: rehearsal, mayTimeOut: mayTimeOut
                ).run(while: goesOn, disturb)
            }
        }
        trial.report.require("posts done")
        trial.report.require("switches")
    }

    private func run(
        while goesOn: (Int) -> Bool, _ disturb: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await Ledger.fill(file, rows: trial.rows)
        let end = scratch.file("end")
        let processes = try writers.map { worker in
            try Child(
                CommandLine.arguments[0],
                [
                    "post", "--store", file, "--journal", scratch.journal(worker), "--worker", "\(worker)",
                    "--seed", "\(trial.seed &+ UInt64(worker) &+ 1)", "--end", end,
                ], output: scratch.file("writer-\(worker)"))
        }
        defer { for process in processes { process.kill() } }
        var (from, to, switches) = (file, server, 0)
        while goesOn(switches), try await go(from, to, disturb) {
            (from, to) = (to, from)
            switches += 1
        }
        report.count("switches", switches)
        _ = FileManager.default.createFile(atPath: end, contents: nil)
        for (worker, process) in zip(writers, processes) {
            let ending = await process.ended(within: .seconds(400))
            let output = try String(contentsOfFile: scratch.file("writer-\(worker)"), encoding: .utf8)
            if ending != .exit(0) {
                report.violation(
                    "writer \(worker) has ended as \(ending.map { "\($0)" } ?? "a hang"): \(output.suffix(600))"
                )
            }
            report.figure("writer \(worker): \(output.split(separator: "\n").last ?? "nothing")")
        }
        let audit = try LedgerAudit(workers: writers, in: scratch, report: report)
        audit.countWork()
        let store = try await Backends.open(from == file ? file : direct, createsIfMissing: false)
        try await audit.verify(store)
        try await store.close()
    }

    /// Switches the store, however often that is interrupted.
    ///
    /// - Returns: Whether it was switched.
    private func go(
        _ from: String, _ to: String, _ disturb: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> Bool {
        var interruptions = 0
        let follower = try await rehearsal?.make(from, to, in: scratch, report)
        while true {
            let start = ContinuousClock.now
            let attempt = try SwitchAttempt(.ledger, from, to, in: scratch)
            let disturbance = Task { [interruptions] in try await disturb(interruptions) }
            let ending = await attempt.ended
            disturbance.cancel()
            do { try await disturbance.value } catch is CancellationError {}
            if ending.isDone {
                if interruptions == 0 { report.figure("a switch took \(ContinuousClock.now - start)") }
                // Followers learn of the end.
                guard let following = await follower?.ended, !following.isDone else { return true }
                following.report(to: report)
                return false
            }
            guard let code = ending.code, Self.passing.contains(code) || mayTimeOut && code == "timedOut"
            else {
                ending.report(to: report)
                return false
            }
            interruptions += 1
            report.count("switches interrupted at \(ending.step ?? "the beginning")")
            let places = [from, to].map { $0 == server ? direct : $0 }
            try await SwitchModel.ledger.look(places[0], [places[1]], report)
        }
    }

    /// The codes of errors after which a switch is tried again.
    private static let passing: Set = [
        "connectionLost", "outcomeUnknown", "busy", "serialization", "transactionAborted",
    ]
}
