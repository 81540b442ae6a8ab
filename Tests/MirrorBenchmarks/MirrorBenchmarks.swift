import ArgumentParser
import Foundation
import PostgresStore
import SQLiteStore
import SwitchyardCore
import SwitchyardMirror

/// Measures the mirror: what is printed is one line for each figure.
@main
struct MirrorBenchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror-figures", abstract: "Measures the mirror.")

    @Argument(help: "What to measure: apply, upload, latency, sync, away, write, mixed; or service, idle.")
    var figures: [Figure] = Figure.allCases.filter { $0 != .service && $0 != .idle }
    @Option(help: "The server, a PostgreSQL URL; a schema is made for each figure.")
    var server: String
    @Option(help: "The number of rows of a first sync.") var rows = 200_000
    @Option(help: "The number of changes to apply.") var changes = 100_000
    @Option(help: "The number of commits whose way is measured.") var commits = 1_000
    @Option(help: "How long the mixed load lasts, in seconds.") var seconds = 30
    @Option(help: "How many devices wait, of as many households.") var devices = 10_000
    @Option(help: "The path of switchyard-mirror, for service and idle.") var program = "switchyard-mirror"
    @Option(help: "The certificate of localhost that it serves by; by HTTP without one.")
    var certificate: String?
    @Option(help: "The certificate's key.") var key: String?

    enum Figure: String, CaseIterable, ExpressibleByArgument {
        case apply, upload, latency, sync, away, write, mixed, service, idle
    }

    func run() async throws {
        for figure in figures {
            let place = try Workplace(server: server)
            do {
                switch figure {
                case .apply: try await measureApply(place)
                case .upload: try await measureUpload(place)
                case .latency: try await measureLatency(place)
                case .sync: try await measureSync(place, isAway: false)
                case .away: try await measureSync(place, isAway: true)
                case .write: try await measureWrite(place)
                case .mixed: try await measureMixed(place)
                case .service: try await measureService(place)
                case .idle: try await measureIdle(place)
                }
            } catch {
                await place.remove()
                throw error
            }
            await place.remove()
        }
    }

    func say(_ figure: String, _ value: String) { print("\(figure): \(value)") }
}

/// A directory for the devices' files, and a schema on the server, for one figure.
final class Workplace: Sendable {
    static let feed = Entity(
        "Feed",
        attributes: [
            Attribute("id", type: .uuid), Attribute("baby", type: .uuid), Attribute("amount", type: .int),
            Attribute("start", type: .timestamp), Attribute("memo", type: .text, isOptional: true),
        ], indexes: [Index(["baby"]), Index(["amount"]), Index(["start"])])

    let schema: Schema
    let directory: URL
    private let url: String
    private let name = "mirror_\(UUID().uuidString.prefix(8).lowercased())"
    let registry: PluginRegistry

    init(server: String) throws {
        schema = try Schema(version: SchemaVersion(1), entities: [Self.feed])
        directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        url = server
        registry = try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self])
    }

    func remove() async { try? FileManager.default.removeItem(at: directory) }

    func device(_ name: String, keepsHistory: Bool = false) async throws -> any Store {
        try await registry.open(
            url: "sqlite:\(directory.appending(path: "\(name).sqlite").path)", schema: schema,
            options: OpenOptions(keepsHistory: keepsHistory))
    }

    var serverURL: String { url + (url.contains("?") ? "&" : "?") + "schema=\(name)" }

    func server(_ scope: StoreScope? = nil) async throws -> any Store {
        try await registry.open(
            url: serverURL, schema: schema, options: OpenOptions(scope: scope, keepsHistory: true))
    }

    func remote(_ scope: StoreScope? = nil) throws -> StoreRemote {
        StoreRemote(StorePlace(url: serverURL, registry: registry, schema: schema), scope: scope)
    }

    /// The rows are the same in each run.
    static func row(_ number: Int) -> [StoredValue] {
        let id = withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
        let uuid = UUID(
            uuid: (
                1, 0x90, 0, 0, 0, 0, 0x70, 0, 0x80, id[1], id[2], id[3], id[4], id[5], id[6], id[7]
            ))
        return [
            .uuid(uuid), .uuid(number.isMultiple(of: 2) ? mia : leo), .int(Int64(60 + number % 120)),
            .timestamp(1_500_000_000_000_000 + Int64(number) * 60_000_000),
            number.isMultiple(of: 8) ? .text("slept well after the nap") : .null,
        ]
    }

    private static let (mia, leo) = (
        UUID(uuid: (1, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 1)),
        UUID(uuid: (1, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 2))
    )

    static func fill(_ store: any Store, rows: Int) async throws {
        for start in stride(from: 0, to: rows, by: 50_000) {
            try await store.write { tx in
                try tx.insertRows(into: "Feed", (start..<min(start + 50_000, rows)).lazy.map(row))
            }
        }
    }
}

func timed(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    let (seconds, attoseconds) = start.duration(to: .now).components
    return Double(seconds) + Double(attoseconds) / 1e18
}

extension Double {
    func shown(_ digits: Int = 2) -> String { String(format: "%.\(digits)f", self) }
}

/// What this process has used.
enum Usage {
    static var cpuSeconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }

    /// The resident memory now and at most, in MiB.
    static var memory: (now: Double, peak: Double) { memory(of: "self") }

    /// The same of another process.
    static func memory(of process: String) -> (now: Double, peak: Double) {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        func value(_ name: String) -> Double {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
            return Double(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? 0
        }
        return (value("VmRSS:") / 1_024, value("VmHWM:") / 1_024)
    }

    /// Begins to count the peak anew.
    static func resetPeak() { try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs")) }

    static var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }
}
