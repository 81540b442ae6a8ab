import Foundation
import PostgresTestServer
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import SwitchyardMirror
import Synchronization

/// Some files that are mirrored to one server, with the processes that write to them.
final class Household: Sendable {
    /// How a process comes to its end.
    enum Life: Sendable {
        /// It is killed at any moment.
        case killed
        /// It works until everything is over.
        case whole
    }

    /// What a household is like.
    struct Nature: Sendable {
        /// The file of each process; some share one.
        var files: [String]
        /// How many rows the server has before anybody mirrors it; nil if the first process makes its store.
        var rows: Int?
        var scope: StoreScope?
        /// The longest pause between two writes, in milliseconds.
        var pause = 20
        /// One of how many writes is followed by an exchange that is waited for.
        var exchanges = 10
        /// How long a process may go on writing before it is killed, in milliseconds.
        var life = 400
        /// Commands that the processes of some files run in.
        var wrappers: [String: [String]] = [:]

        static func drawn(rows: Int, using generator: inout SeededGenerator) -> Nature {
            let processes = Int.random(in: 2...4, using: &generator)
            var files = (0..<processes).map { "device-\($0).sqlite" }
            // Some pairs share a file.
            if processes > 2, Bool.random(using: &generator) { files[processes - 1] = files[0] }
            let isFilled = Bool.random(using: &generator)
            // Sometimes more than come with one page.
            let usual = Int.random(in: 0..<6, using: &generator) == 0 ? 11_000 : 100
            return Nature(
                files: files, rows: isFilled ? (rows > 0 ? rows : usual) : nil,
                scope: Int.random(in: 0..<3, using: &generator) == 0 ? StoreScope() : nil)
        }
    }

    /// The values up to this one are those of rows that the server has had from the beginning.
    static let filled = 999_999

    let nature: Nature
    let scratch: Scratch
    private let report: Report
    /// The server, as nothing disturbs it.
    private let server: String
    /// The server, as the processes reach it.
    private let way: String
    private let state: Mutex<State>

    private struct State {
        var files: [String]
        var workers = 0
        /// How many processes, conflicts and rejections have been reported.
        var reported = 0
        /// How many places still have processes that are to be killed.
        var killing = 0
        var conflicts = 0
        var rejections = 0
        /// Of files that were replaced by an older copy afterwards.
        var forgotten: Set<Int> = []
        /// The processes of each file since its copy was made.
        var sinceCopy: [String: [Int]] = [:]
        var next: UInt64
    }

    init(
        _ nature: Nature, server: String, way: String? = nil, seed: UInt64, in scratch: Scratch,
        report: Report
    ) {
        (self.nature, self.server, self.way) = (nature, server, way ?? server)
        (self.scratch, self.report) = (scratch, report)
        state = Mutex(State(files: nature.files, next: seed))
    }

    static func place(_ url: String) throws -> StorePlace {
        StorePlace(url: url, registry: try Backends.registry, schema: try KitchenSchema.schema)
    }

    private func openServer() async throws -> any Store {
        try await Backends.open(server, KitchenSchema.self, keepsHistory: true, scope: nature.scope)
    }

    /// Lets a process on another file take part from now on.
    func add(_ file: String) { state.withLock { $0.files.append(file) } }

    /// Makes the server's store, if it is to have rows.
    func fill() async throws {
        guard let rows = nature.rows else { return }
        let store = try await openServer()
        try await store.write { tx in
            let tray = try tx.insert(Tray(mark: 1, twin: 1))
            try tx.insert(
                contentsOf: (2..<rows).lazy.map {
                    Cup(hook: 1_000 + $0, tray: tray.id, mark: $0, twin: $0, shade: $0)
                })
        }
        try await store.close()
    }

    // MARK: Processes

    /// Starts a process.
    private func start(_ file: String, _ lives: Life) throws -> (child: Child, worker: Int) {
        let (worker, seed) = state.withLock { state in
            state.workers += 1
            state.sinceCopy[file, default: []].append(state.workers)
            state.next = state.next &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state.workers, state.next)
        }
        var generator = SeededGenerator(seed: seed)
        var arguments = [
            "mirror", "--store", url(of: file), "--journal", scratch.journal(worker), "--worker", "\(worker)",
            "--seed", "\(seed)", "--pause", "\(nature.pause)", "--exchanges", "\(nature.exchanges)", "--end",
            endFile,
        ]
        if let scope = nature.scope { arguments += ["--scope", "\(scope)"] }
        // Some that are soon followed by others open the file alone, as a widget does.
        if lives == .whole || Int.random(in: 0..<8, using: &generator) > 0 { arguments += ["--server", way] }
        let words = (nature.wrappers[file] ?? []) + [CommandLine.arguments[0]] + arguments
        let child = try Child(
            words[0], Array(words.dropFirst()), environment: ["DONT_FAKE_MONOTONIC": "1"],
            output: output(of: worker))
        return (child, worker)
    }

    private func url(of file: String) -> String { "sqlite:\(scratch.file(file))" }
    private var endFile: String { scratch.file("journal-end") }
    private func output(of worker: Int) -> String { scratch.journal(worker) + ".output" }

    /// Lets the processes work, one after the other on each place, and ends them all when enough has happened.
    ///
    /// - Parameters:
    ///   - lives: How the processes end before that.
    ///   - seed: Decides the moments.
    ///   - goesOn: Whether more is to happen; it is asked after each life.
    ///   - faults: What happens meanwhile; it returns when enough has happened.
    /// - Throws: What the system says of a program that cannot be started; as `faults`.
    func live(
        _ lives: Life, seed: UInt64, while goesOn: @escaping @Sendable () -> Bool,
        beside faults: @escaping @Sendable () async throws -> Void = {}
    ) async throws {
        try? FileManager.default.removeItem(atPath: endFile)
        let files = state.withLock(\.files)
        state.withLock { $0.killing = files.count }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (slot, file) in files.enumerated() {
                group.addTask { [self] in
                    var generator = SeededGenerator(seed: seed &+ UInt64(slot))
                    while lives == .killed, goesOn() { try await kill(try start(file, lives), &generator) }
                    state.withLock { $0.killing -= 1 }
                    try await awaitEnd(of: try start(file, lives))
                }
            }
            group.addTask { [self] in
                defer { _ = FileManager.default.createFile(atPath: endFile, contents: nil) }
                try await faults()
                // A process that is to be killed must not end by itself.
                while goesOn() || state.withLock({ $0.killing > 0 }) {
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            try await group.waitForAll()
        }
    }

    /// Kills a process while it starts, or while it works.
    private func kill(
        _ process: (child: Child, worker: Int), _ generator: inout SeededGenerator
    ) async throws {
        if Int.random(in: 0..<4, using: &generator) == 0 {
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...300, using: &generator)))
        } else {
            let deadline = ContinuousClock.now + .seconds(10)
            while ContinuousClock.now < deadline, size(of: scratch.journal(process.worker)) == 0 {
                try await Task.sleep(for: .milliseconds(5))
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...nature.life, using: &generator)))
        }
        process.child.kill()
        let ending = await process.child.ended
        guard ending == .signal(SIGKILL) else { return fault(ending, of: process.worker) }
        report.count("kills")
    }

    private func size(of path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    private func awaitEnd(of process: (child: Child, worker: Int)) async throws {
        let ending = await process.child.ended(within: .seconds(120))
        if ending != .exit(0) { fault(ending, of: process.worker) }
    }

    private func fault(_ ending: Child.Ending?, of worker: Int) {
        let text = (try? String(contentsOfFile: output(of: worker), encoding: .utf8)) ?? ""
        report.violation(
            "process \(worker) has ended with \(ending.map { "\($0)" } ?? "a hang"): \(text.suffix(600))")
    }

    // MARK: Copies

    /// Copies a file that no process has open.
    func copy(_ file: String, to copy: String) throws {
        for suffix in ["", "-wal", "-shm"] {
            let paths = [scratch.file(file) + suffix, scratch.file(copy) + suffix]
            try? FileManager.default.removeItem(atPath: paths[1])
            // The processes that share a log keep its index, which the next one makes anew.
            guard suffix != "-shm", FileManager.default.fileExists(atPath: paths[0]) else { continue }
            try FileManager.default.copyItem(atPath: paths[0], toPath: paths[1])
        }
        state.withLock { $0.sinceCopy[file] = [] }
    }

    /// Puts an older copy in the place of a file: what its processes have written since may be lost.
    func restore(_ file: String, from copy: String) throws {
        let workers = state.withLock { state in
            defer { state.sinceCopy[file] = [] }
            state.forgotten.formUnion(state.sinceCopy[file] ?? [])
            return state.sinceCopy[file]
        }
        try self.copy(copy, to: file)
        // The same copy may be put back again.
        state.withLock { $0.sinceCopy[file] = [] }
        report.count("writers forgotten", workers?.count ?? 0)
    }

    // MARK: Quiet

    /// Exchanges on all devices until nothing is pending, and compares them all with the server, and that with the journals.
    func settle() async throws {
        let server = try await openServer()
        var devices: [MirroredStore] = []
        for file in Set(state.withLock(\.files)).sorted() where size(of: scratch.file(file)) > 0 {
            let local = try await Backends.open(url(of: file), KitchenSchema.self)
            devices.append(
                try await MirroredStore.open(
                    local, mirroring: .direct(try Self.place(self.server), scope: nature.scope), device: file)
            )
        }
        // In the first round everything is sent, in the second one everything is received.
        for _ in 0..<2 {
            for device in devices {
                do {
                    try await device.exchange()
                } catch {
                    report.violation("nothing is wrong, and an exchange fails: \(String(reflecting: error))")
                }
            }
        }
        let rows = try await server.kitchenRows()
        for device in devices {
            let pending = try await device.read { try MirrorCounts($0).pending }
            if pending > 0 { report.violation("\(pending) writes are pending on \(device.info.location)") }
            let found = try await device.kitchenRows()
            if found != rows {
                report.violation("\(device.info.location) differs: \(Self.difference(found, rows))")
            }
        }
        for store in [server] + devices {
            for fault in try await store.check() { report.violation("check: \(fault)") }
        }
        for fault in try await server.read({ try $0.kitchenFaults() }) {
            report.violation("the server: \(fault)")
        }
        let journals = try takeJournals()
        let audit = try await KitchenAudit(
            journals, forgotten: state.withLock(\.forgotten), server: server, devices: devices, report: report
        )
        audit.verify()
        let news = state.withLock { state in
            defer { (state.conflicts, state.rejections) = audit.numbers }
            return (audit.numbers.conflicts - state.conflicts, audit.numbers.rejections - state.rejections)
        }
        report.count("conflicts", news.0)
        report.count("rejections", news.1)
        report.count("quiets")
        report.count("rows compared", rows.count)
        for device in devices { try await device.close() }
        try await server.close()
    }

    /// Reads the journals of all processes, and reports what those say that have come since the last time.
    private func takeJournals() throws -> [Int: JournalContents] {
        let (workers, reported) = state.withLock { state in
            defer { state.reported = state.workers }
            return (state.workers, state.reported)
        }
        var journals: [Int: JournalContents] = [:]
        for worker in 0..<workers {
            let journal = try JournalContents(path: scratch.journal(worker + 1))
            journals[worker + 1] = journal
            guard worker >= reported else { continue }
            for violation in journal.violations { report.violation("process \(worker + 1): \(violation)") }
            for (code, count) in journal.codes { report.count("errors \(code)", count) }
            for number in journal.deeds.keys {
                report.count("writes \(journal.outcomes[number]?.rawValue ?? "interrupted")")
            }
        }
        return journals
    }

    /// What differs between two sets of rows, in some words.
    private static func difference(
        _ found: [RowName: [String: Int]], _ expected: [RowName: [String: Int]]
    ) -> String {
        let missing = expected.keys.filter { found[$0] == nil }
        let surplus = found.keys.filter { expected[$0] == nil }
        let other = found.filter { expected[$0.key] != nil && expected[$0.key] != $0.value }
        let example = other.first.map { "\($0.key) is \($0.value), not \(expected[$0.key] ?? [:])" } ?? ""
        return
            "\(missing.count) rows are missing, \(surplus.count) are too many, \(other.count) have other values \(example)"
    }
}
