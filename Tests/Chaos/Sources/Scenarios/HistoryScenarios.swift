import PostgresTestServer
import Switchyard

/// Histories, and what follows them, under load and faults.
enum HistoryScenarios {
    static let all = [feed, kill, undo, restored, follow]

    /// A history that many write and read at once; the same check finds that a feed numbered by a SEQUENCE loses rows.
    static let feed = Scenario(
        name: "history-feed",
        summary: "writers race to the end of a history while readers follow it by token", usualCount: 2_000
    ) { trial in
        guard let url = PostgresServer.url else {
            throw MissingPart(description: "it \(PostgresServer.need).")
        }
        try await PostgresServer.withSchemaName { schema in
            let race = try await FeedRace(
                .history, at: url, schema: schema, scopes: 50, report: trial.report)
            _ = try await race.run(seed: trial.seed, writers: 32) { trial.effort.goesOn(after: $0) }
            try await race.close()
            let findings = race.check.findings()
            trial.report.count("changes", race.check.committed)
            if findings.lost > 0 { trial.report.violation("\(findings.lost) changes were never read") }
            for fault in findings.others { trial.report.violation(fault) }
        }
        trial.report.require("changes")
        try await plantedFeed(trial, at: url)
    }

    private static func plantedFeed(_ trial: Trial, at url: String) async throws {
        try await PostgresServer.withSchemaName { schema in
            let race = try await FeedRace(
                .sequence, at: url, schema: schema, scopes: 50, report: trial.report)
            let deadline = ContinuousClock.now + .seconds(60)
            var places: [FeedRace.Place]?
            var lost = 0
            while lost == 0, ContinuousClock.now < deadline {
                let end = race.check.committed + 500
                places = try await race.run(
                    seed: trial.seed &+ UInt64(end), writers: 32, from: places, while: { $0 < end })
                lost = race.check.findings().lost
            }
            try await race.close()
            trial.report.count("rows lost by a feed with a SEQUENCE", lost)
            if lost == 0 {
                trial.report.violation(
                    "a feed with a SEQUENCE lost nothing in a minute: no loss would be seen")
            }
        }
    }
}
