import ArgumentParser
import Foundation
import Switchyard
import SwitchyardConformance
import SwitchyardCore

/// `Chaos post`: a process that posts to a ledger, wherever that is switched to, until it is told to end.
struct Posting: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "post", abstract: "Posts to a ledger that is switched.", shouldDisplay: false)

    @Option var store: String
    @Option var journal: String
    @Option var worker: Int
    @Option var seed: UInt64
    /// The file whose existence ends the work.
    @Option var end: String

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let store = try await SwitchableStore.open(
            try SwitchModel.ledger.place(self.store), timeout: .seconds(300),
            place: { try SwitchModel.ledger.place($0) })
        let work = LedgerWork(
            store: store, worker: worker, journal: try Journal(path: journal), bound: .seconds(320))
        var generator = SeededGenerator(seed: seed)
        var (number, longest, next) = (0, Duration.zero, ContinuousClock.now)
        while access(end, F_OK) != 0 {
            let start = ContinuousClock.now
            await work.post(number, using: &generator)
            longest = max(longest, .now - start)
            number += 1
            // 200 posts in a second, if the store lets them in.
            next = max(next + .milliseconds(5), .now)
            try await Task.sleep(until: next, clock: .continuous)
        }
        print("\(number) posts, the longest of which took \(longest)")
        try await store.close()
    }
}
