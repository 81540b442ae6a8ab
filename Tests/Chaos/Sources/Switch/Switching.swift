import ArgumentParser
import Foundation
import Switchyard
import SwitchyardTransfer

/// `Chaos switch`: a process that switches a store to another place, and may be killed while it does.
struct Switching: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switch", abstract: "Switches a store to another place.", shouldDisplay: false)

    @Option var from: String
    @Option var to: String

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        try await Self.stores(from, to).run()
    }

    static func stores(_ from: String, _ to: String) throws -> StoreSwitch {
        let registry = try Backends.registry
        func place(_ url: String) throws -> StorePlace {
            StorePlace(url: url, registry: registry, schema: try ShelfSchema.schema)
        }
        return StoreSwitch(from: try place(from), to: try place(to))
    }
}
