import Foundation
import PostgresTestServer
import Switchyard
import SwitchyardConformance
import SwitchyardCore

/// Stores that are switched to another place while somebody writes to them.
enum SwitchScenarios {
    static let all = [kill, follow, full]

    /// A switch whose process is killed again and again, until it has come to its end.
    private static let kill = Scenario(
        name: "switch-kill", summary: "the process that switches a store is killed at any moment",
        usualCount: 5
    ) { trial in
        var generator = SeededGenerator(seed: trial.seed)
        try await kills(trial, "kills, SQLite to SQLite", &generator) { scratch, body in
            try await body("sqlite:\(scratch.file("old.sqlite"))", "sqlite:\(scratch.file("new.sqlite"))")
        }
        guard let server = PostgresServer.url else { return }
        try await kills(trial, "kills, SQLite to PostgreSQL", &generator) { scratch, body in
            try await PostgresServer.withSchemaName { name in
                try await body("sqlite:\(scratch.file("old.sqlite"))", "\(server)&schema=\(name)")
            }
        }
        try await kills(trial, "kills, PostgreSQL to SQLite", &generator) { scratch, body in
            try await PostgresServer.withSchemaName { name in
                try await body("\(server)&schema=\(name)", "sqlite:\(scratch.file("new.sqlite"))")
            }
        }
        trial.report.require("switches")
        trial.report.require("transactions done")
    }

    private static func kills(
        _ trial: Trial, _ name: String, _ generator: inout SeededGenerator,
        _ places: (Scratch, (_ old: String, _ new: String) async throws -> Void) async throws -> Void
    ) async throws {
        let effort = trial.effort.restarted
        var kills = 0
        while effort.goesOn(after: kills) {
            try await Scratch.with { scratch in
                try await places(scratch) { old, new in
                    kills += try await round(old, new, in: scratch, &generator, trial.report)
                }
            }
        }
        trial.report.count(name, kills)
    }

    /// Switches one store, with a writer at work until the store refuses it.
    ///
    /// - Returns: How often the process was killed.
    private static func round(
        _ old: String, _ new: String, in scratch: Scratch, _ generator: inout SeededGenerator,
        _ report: Report
    ) async throws -> Int {
        let created = try await Backends.open(old, ShelfSchema.self, keepsHistory: true)
        var audit = try await HistoryAudit(created, in: scratch, report: report)
        try await created.close()
        let writer = try Child(
            CommandLine.arguments[0],
            [
                "shelve", "--store", old, "--journal", scratch.journal(0), "--worker", "0", "--seed",
                "\(generator.next())",
            ])
        try await Task.sleep(for: .milliseconds(Int.random(in: 300...1_500, using: &generator)))
        var kills = 0
        while true {
            let child = try Child(
                CommandLine.arguments[0], ["switch", "--from", old, "--to", new],
                output: scratch.file("switch.output"))
            // On a busy machine a process may need long to come anywhere.
            let alarm = Task { [delay = Int.random(in: 1...(600 + 300 * kills), using: &generator)] in
                try await Task.sleep(for: .milliseconds(delay))
                child.kill()
            }
            let ending = await child.ended
            alarm.cancel()
            if ending == .exit(0) { break }
            try await look(old, new, report)
            guard ending == .signal(SIGKILL) else {
                let output =
                    (try? String(contentsOfFile: scratch.file("switch.output"), encoding: .utf8)) ?? ""
                report.violation("the switch has ended with \(ending): \(output.prefix(600))")
                writer.kill()
                return kills
            }
            kills += 1
        }
        if await writer.ended(within: .seconds(60)) != .exit(0) {
            report.violation("the writer was not told that the store is out of service")
        }
        report.count("switches")
        try await compare(old, new, &audit, report)
        return kills
    }

    /// Checks that not both stores are in service.
    private static func look(_ old: String, _ new: String, _ report: Report) async throws {
        let roles = (try await role(of: old), try await role(of: new))
        report.count("states \(roles.0?.rawValue ?? "none") and \(roles.1?.rawValue ?? "none")")
        if roles == (.active, .active) { report.violation("both stores are in service") }
    }

    private static func role(of url: String) async throws -> StoreRole? {
        do {
            let store = try await Backends.open(
                url, ShelfSchema.self, access: .readOnly, createsIfMissing: false)
            let role = try await store.marker().role
            try await store.close()
            return role
        } catch let error as StoreError where error.code == .outOfService {
            // Only an incomplete copy cannot be read.
            return .copying
        } catch let error as StoreError where error.code == .notFound { return nil }
    }

    /// Checks that the old store has what its writer was promised, and the new one the same rows, one by one.
    private static func compare(
        _ old: String, _ new: String, _ audit: inout HistoryAudit, _ report: Report
    ) async throws {
        let left = try await Backends.open(
            old, ShelfSchema.self, access: .readOnly, createsIfMissing: false)
        let right = try await Backends.open(new, ShelfSchema.self, createsIfMissing: false)
        try await audit.look(after: 0..<1, at: left)
        for entity in left.schema.entities {
            let rows = try await (
                left.read { try $0.fetchRows(of: entity.name) },
                right.read { try $0.fetchRows(of: entity.name) }
            )
            if rows.0 != rows.1 {
                report.violation("\(rows.0.count) rows of \(entity.name), and \(rows.1.count) others")
            }
            report.count("rows", rows.0.count)
        }
        for fault in try await right.check() { report.violation("check: \(fault)") }
        let marker = try await left.marker()
        if marker.role != .superseded { report.violation("the old store is \(marker.role.rawValue)") }
        try await left.close()
        try await right.close()
    }
}
