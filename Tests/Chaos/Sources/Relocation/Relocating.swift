import ArgumentParser
import Foundation
import SQLiteRelocation

/// `Chaos relocate`: a process that moves a file to another directory, and may be killed while it does.
struct Relocating: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relocate", abstract: "Moves a file to another directory.", shouldDisplay: false)

    @Option var from: String
    @Option var to: String
    @Flag var removeBackup = false

    func run() async throws {
        let relocation = StoreRelocation(from: from, to: to)
        if removeBackup { return try await relocation.removeBackup() }
        try await relocation.run()
    }
}
