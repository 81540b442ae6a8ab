import ArgumentParser
import Foundation
import MemoryStore
import PostgresStore
import SQLiteStore
import Switchyard
import SwitchyardConformance

/// The stores that scenarios open.
enum Backends {
    static var registry: PluginRegistry {
        get throws { try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self, MemoryPlugin.self]) }
    }

    static func open(
        _ url: String, _ schema: any VersionedSchema.Type = LedgerSchema.self,
        access: OpenOptions.Access = .readWrite, createsIfMissing: Bool = true, keepsHistory: Bool = false,
        role: StoreRole = .active, scope: StoreScope? = nil
    ) async throws -> any Store {
        try await registry.open(
            url: url, schema: schema,
            options: OpenOptions(
                access: access, createsIfMissing: createsIfMissing, role: role, scope: scope,
                keepsHistory: keepsHistory))
    }
}

/// `Chaos work`: a process that writes to a store, and may be killed while it does.
struct Work: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Posts to a ledger until it is killed.", shouldDisplay: false)

    @Option var store: String
    @Option var journal: String
    @Option var worker: Int
    @Option var seed: UInt64
    /// The number of the first post.
    @Option var first = 0
    /// How many posts; the default never ends.
    @Option var posts = Int.max
    /// How many reads come between two posts.
    @Option var reads = 0
    /// The longest time that a write may take, in seconds.
    @Option var bound = 60.0
    /// What the process runs out of, once it is at work.
    @Option var scarcity: Scarcity?

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        var generator = SeededGenerator(seed: seed)
        let journal = try Journal(path: self.journal)
        let store: any Store
        do {
            store = try await Backends.open(self.store)
        } catch let error as StoreError {
            // A lock that others hold for too long is what an opening may fail for; nothing else.
            if error.code != .busy { journal.violation("opening failed with \(error.debugDescription)") }
            throw ExitCode.failure
        }
        let work = LedgerWork(store: store, worker: worker, journal: journal, bound: .seconds(bound))
        for number in first..<(posts == .max ? .max : first + posts) {
            if let scarcity, Bool.random(using: &generator) {
                try await scarcity.around(work, number, at: self.store, using: &generator)
            } else {
                await work.post(number, using: &generator)
            }
            for _ in 0..<reads { await work.read() }
        }
        try await store.close()
    }
}

/// Starts workers on a store.
struct Workforce: Sendable {
    let url: String
    let scratch: Scratch
    /// A command that runs the worker, with its own arguments.
    var wrapper: [String] = []

    /// Starts a worker.
    func start(
        _ worker: Int, seed: UInt64, first: Int = 0, posts: Int? = nil, reads: Int = 0,
        bound: Double = 60, scarcity: Scarcity? = nil, environment: [String: String] = [:]
    ) throws -> Child {
        var arguments = [
            "work", "--store", url, "--journal", scratch.journal(worker), "--worker", "\(worker)", "--seed",
            "\(seed)", "--first", "\(first)", "--reads", "\(reads)", "--bound", "\(bound)",
        ]
        if let posts { arguments += ["--posts", "\(posts)"] }
        if let scarcity { arguments += ["--scarcity", scarcity.rawValue] }
        let words = wrapper + [CommandLine.arguments[0]] + arguments
        return try Child(
            words[0], Array(words.dropFirst()), environment: environment,
            output: scratch.file("journal-\(worker).output"))
    }
}
