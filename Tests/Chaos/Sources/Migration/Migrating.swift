import ArgumentParser
import Foundation
import Switchyard
import SwitchyardCore
import Synchronization

/// `Chaos migrate`: a process that opens a store by its plan, and may be killed while it does.
struct Migrating: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Opens a store in the newest version.", shouldDisplay: false)

    @Option var store: String
    /// Whether the store has the scopes of a larder.
    @Flag var isScoped = false
    /// At which piece of news of the migration the process ends itself, as by `kill -9`; the default is never.
    @Option var endsAt: Int?

    func run() async throws {
        let news = Mutex(0)
        let options = OpenOptions(scope: isScoped ? Larder.scopes[0] : nil)
        let store = try await Backends.registry.open(
            url: store, migrating: LarderPlan.self, options: options
        ) { _ in
            let number = news.withLock { number in
                number += 1
                return number
            }
            if number == endsAt { kill(getpid(), SIGKILL) }
        }
        try await store.close()
    }
}
