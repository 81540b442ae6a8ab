import ArgumentParser
import Foundation
import Switchyard
import SwitchyardConformance

/// `Chaos shelve`: a process that changes a store with a history until it is killed or the store is out of service.
struct Shelve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Changes shelves until it is killed.", shouldDisplay: false)

    @Option var store: String
    @Option var journal: String
    @Option var worker: Int
    @Option var seed: UInt64
    /// The milliseconds between two writes.
    @Option var pause = 0
    /// The scope to write to, in a store with scopes.
    @Option(transform: { StoreScope($0) }) var scope: StoreScope?

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        var generator = SeededGenerator(seed: seed)
        let journal = try Journal(path: self.journal)
        let store = try await Backends.open(
            self.store, ShelfSchema.self, createsIfMissing: false, scope: scope)
        for number in 0..<Int.max {
            if pause > 0 { try await Task.sleep(for: .milliseconds(pause)) }
            let seed = generator.next()
            journal.begin(number)
            do {
                try await store.write(WriteOptions(author: Self.author(worker, number))) { [worker] tx in
                    var generator = SeededGenerator(seed: seed)
                    try tx.shelve(worker * 1_000_000_000 + number * 10_000, using: &generator)
                }
                journal.end(number, .done)
            } catch let error as StoreError where [.serialization, .busy].contains(error.code) {
                journal.end(number, .failed, error.code.description)
            } catch let error as StoreError where error.code == .outOfService {
                // Somebody has switched it to another place.
                journal.end(number, .failed, error.code.description)
                return try await store.close()
            } catch {
                journal.violation("a write failed with \(String(reflecting: error))")
                throw ExitCode.failure
            }
        }
    }

    /// How the history names the author of a write.
    static func author(_ worker: Int, _ number: Int) -> String { "\(worker)/\(number)" }
}
