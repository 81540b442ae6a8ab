import ArgumentParser
import Foundation
import Switchyard

/// A row that is changed again and again.
@Model
struct Lamp: Equatable {
    let id: ID
    /// The number of the commit that has changed it last.
    var number: Int
    /// Whether nothing is written for a while.
    var isLast: Bool
}

/// A store with few rows, whose commits are followed.
enum LampSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Lamp.self]
}

/// `Chaos follow`: a process that follows the commits of another one, and prints what it has seen and when.
struct Follow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Follows lamps.", shouldDisplay: false)

    @Option var store: String

    func run() async throws {
        let store = try await Backends.open(self.store, LampSchema.self, createsIfMissing: false)
        var seen: [String] = []
        var rest: Task<Void, any Error>?
        for try await lamps in store.observe(Lamp.all.sorted(by: \.id)) {
            let number = lamps.map(\.number).max() ?? 0
            seen.append("saw \(number) \(Self.nanoseconds)")
            if seen.count == 1 { Self.say("ready") }
            if let rest {
                try await rest.value
                for lamp in lamps { seen.append("row \(lamp.id) \(lamp.number)") }
                break
            }
            if lamps.contains(where: \.isLast) { rest = Task { try await Self.countWakeUps() } }
        }
        Self.say(seen.joined(separator: "\n"))
        try await store.close()
    }

    /// Prints how often a thread of this process has waited for something in two seconds without a commit.
    private static func countWakeUps() async throws {
        // A watch of files looks for two seconds more whether their last change has become visible.
        try await Task.sleep(for: .seconds(3))
        let before = waits
        try await Task.sleep(for: .seconds(2))
        // A thread that has ended meanwhile is not counted.
        say("idle \(waits.reduce(0) { $0 + $1.value - before[$1.key, default: 0] })")
    }

    /// The times that each thread of this process has given up the CPU to wait; none where the system does not tell.
    private static var waits: [String: Int] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.reduce(into: [:]) { waits, task in
            let status = try? String(contentsOfFile: "/proc/self/task/\(task)/status", encoding: .utf8)
            let line = status?.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            waits[task] = line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) }
        }
    }

    private static func say(_ text: String) {
        print(text)
        fflush(nil)
    }

    /// The time of a clock that all processes of the machine share.
    static var nanoseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }
}
