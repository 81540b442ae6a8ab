import Foundation
import GRDB
import SQLiteStore
import Switchyard
import SwitchyardCore
import SwitchyardTransfer
import Testing

private enum LogSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Entry.self]

    @Model
    struct Entry {
        let id: ID
        var at: Date
    }
}

@Suite("Times that are adopted")
struct AdoptedTimeTests {
    /// Adopts times of a zone in both forms, and gives the faults and the times of each.
    private func adopt(
        _ times: [String], _ zone: String, _ repeated: RepeatedTime
    ) async throws -> (faults: [[String]], dates: [[Date]]) {
        let zone = try #require(TimeZone(identifier: zone))
        var faults: [[String]] = [], dates: [[Date]] = []
        for form in [
            AdoptedForm.date(.iso8601(in: zone, repeated: repeated)),
            .date(format: "yyyy-MM-dd HH:mm:ss", timeZone: zone, repeated: repeated),
        ] {
            try await withDirectory { directory in
                let file = directory.appending(path: "log.db")
                let queue = try DatabaseQueue(path: file.path)
                try await queue.write { database in
                    try database.execute(sql: "CREATE TABLE entry (id INTEGER PRIMARY KEY, at TEXT)")
                    for time in times {
                        try database.execute(sql: "INSERT INTO entry (at) VALUES (?)", arguments: [time])
                    }
                }
                try queue.close()
                let registry = try PluginRegistry([SQLitePlugin.self])
                let plan = try AdoptionPlan(
                    LogSchema.self, .table("entry", as: LogSchema.Entry.self, .column("at", to: \.at, form)))
                let database = try registry.foreignDatabase(url: "sqlite://\(file.path)")
                let preview = try await plan.preview(database)
                faults.append(preview.faults.map(\.description))
                guard preview.isPossible else { return }
                let place = StorePlace(
                    url: "sqlite://\(directory.appending(path: "store.sqlite").path)", registry: registry,
                    schema: try LogSchema.schema)
                _ = try await plan.run(from: database, into: place)
                try await place.with(OpenOptions()) { store in
                    dates.append(
                        try await store.read { try $0.fetch(LogSchema.Entry.sorted(by: \.at)) }.map(\.at))
                }
            }
        }
        return (faults, dates)
    }

    @Test(
        "an adopted time that clocks show twice is a finding in every form, with the row",
        arguments: [
            ("America/New_York", "2026-11-01 01:30:00"), ("Europe/Berlin", "2026-10-25 02:30:00"),
        ])
    func repeated(zone: String, time: String) async throws {
        let fault =
            "entry.at: the clocks show the time twice: say by `repeated` which one is meant; in 1 rows, the first of "
            + "them the row with the key 2"
        #expect(try await adopt(["2026-01-01 12:00:00", time], zone, .refused).faults == [[fault], [fault]])
    }

    @Test("an adopted time that clocks show twice is the first or the second by choice, in every form")
    func chosen() async throws {
        // 05:30 and 06:30 in UTC.
        for (repeated, seconds) in [(RepeatedTime.first, 1_793_511_000.0), (.second, 1_793_514_600)] {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(
                try await adopt(["2026-11-01 01:30:00"], "America/New_York", repeated).dates
                    == [[date], [date]])
        }
    }

    @Test("an adopted time that clocks skip is a finding in every form, whatever is chosen")
    func skipped() async throws {
        let fault =
            "entry.at: the clocks skip the time; in 1 rows, the first of them the row with the key 1"
        for repeated in RepeatedTime.allCases {
            #expect(
                try await adopt(["2026-03-08 02:30:00"], "America/New_York", repeated).faults
                    == [[fault], [fault]])
        }
    }

    @Test("an adopted time with a zone is taken literally, even in the repeated hour")
    func zoned() async throws {
        let zone = try #require(TimeZone(identifier: "America/New_York"))
        try await withDirectory { directory in
            let file = directory.appending(path: "log.db")
            let queue = try DatabaseQueue(path: file.path)
            try await queue.write { database in
                try database.execute(
                    sql: """
                        CREATE TABLE entry (id INTEGER PRIMARY KEY, at TEXT);
                        INSERT INTO entry (at) VALUES ('2026-11-01 01:30 -0400'), ('2026-11-01 01:30 -0500');
                        """)
            }
            try queue.close()
            let registry = try PluginRegistry([SQLitePlugin.self])
            let plan = try AdoptionPlan(
                LogSchema.self,
                .table(
                    "entry", as: LogSchema.Entry.self,
                    .column("at", to: \.at, .date(format: "yyyy-MM-dd HH:mm Z", timeZone: zone))))
            let place = StorePlace(
                url: "sqlite://\(directory.appending(path: "store.sqlite").path)", registry: registry,
                schema: try LogSchema.schema)
            _ = try await plan.run(from: registry.foreignDatabase(url: "sqlite://\(file.path)"), into: place)
            try await place.with(OpenOptions()) { store in
                let dates = try await store.read { try $0.fetch(LogSchema.Entry.sorted(by: \.at)) }.map(\.at)
                #expect(dates.map(\.timeIntervalSince1970) == [1_793_511_000, 1_793_514_600])
            }
        }
    }
}
