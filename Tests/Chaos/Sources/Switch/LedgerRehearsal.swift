import Foundation
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import SwitchyardTransfer
import Synchronization

/// The rehearsal of a switch of a ledger, whose process is killed a few times.
final class LedgerRehearsal: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    /// Rehearses a switch, while others write, and reads what an app would.
    ///
    /// - Returns: The process that follows the store, and goes on until the switch is committed.
    func make(
        _ from: String, _ to: String, in scratch: Scratch, _ report: Report
    ) async throws -> SwitchAttempt {
        for _ in 0..<3 {
            let attempt = try SwitchAttempt(.ledger, from, to, in: scratch, isRehearsal: true)
            try await Task.sleep(
                for: .milliseconds(generator.withLock { Int.random(in: 100...2_500, using: &$0) }))
            attempt.kill()
            let ending = await attempt.ended
            if !ending.wasKilled { ending.report(to: report) }
            report.count("rehearsals killed at \(ending.step ?? "the beginning")")
        }
        let follower = try SwitchAttempt(.ledger, from, to, in: scratch, isRehearsal: true)
        // It says so itself: until it begins, the store tells how far the attempt before it had come.
        if try await !follower.hasCome(to: .rehearsing) {
            report.violation("a store is not being rehearsed after a minute")
        }
        try await read(from)
        let status = try await SwitchModel.ledger.change(from, to).status()
        if status.phase != .rehearsing {
            report.violation("a rehearsal that is followed is \(status.phase?.rawValue ?? "no switch")")
        }
        let findings = status.findings ?? RehearsalFindings()
        report.count("reads compared", findings.compared)
        report.count("reads not compared", findings.skipped)
        if findings.differing > 0 { report.violation("reads differ: \(findings.differences)") }
        return follower
    }

    /// Reads a store, each time after the answers of the last read have been compared.
    private func read(_ url: String) async throws {
        let reads: [@Sendable (ReadTransaction) throws -> Int] = [
            { try $0.count(Post.all) },
            { try $0.fetch(Account.sorted(by: \.number)).map(\.balance).reduce(0, +) },
            { try $0.fetch(Post.sorted(by: \.worker).sorted(by: \.number, .descending).limit(50)).count },
        ]
        for index in 0..<12 {
            let store = RehearsedStore(
                try await SwitchModel.ledger.place(url).open(OpenOptions(createsIfMissing: false)),
                sampleRate: 1
            ) { try SwitchModel.ledger.place($0) }
            _ = try await store.read(reads[index % reads.count])
            try await store.close()
        }
    }
}
