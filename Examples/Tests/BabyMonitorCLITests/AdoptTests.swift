import Foundation
import GRDB
import SQLiteStore
import SwitchyardCore
import Testing

@testable import BabyMonitorKit

@Suite("babymonitor store adopt")
struct AdoptTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    /// Makes a file with the tables of an earlier release and a table of somebody else's, without what makes it a store.
    private func makeFile(_ more: String = "") async throws {
        let store = try await PluginRegistry([SQLitePlugin.self]).open(
            url: "sqlite:" + bench.url("store.sqlite").path, schema: BabyMonitorSchema7.self)
        try await store.write { _ = try $0.insert(BabyMonitorSchema7.BabyProfile(name: "Mia")) }
        try await store.close()
        let queue = try DatabaseQueue(path: bench.url("store.sqlite").path)
        try await queue.writeWithoutTransaction { database in
            for name in try String.fetchAll(
                database,
                sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'switchyard%'")
            {
                try database.execute(sql: "DROP TABLE \"\(name)\"")
            }
            try database.execute(
                sql: "DROP INDEX reference_FeedSession_profile; CREATE TABLE notes (text); \(more)")
        }
        try queue.close()
    }

    @Test("store adopt makes a store of a file after a dry run, and the next command migrates it")
    func adopted() async throws {
        try await makeFile()
        let before = try bench.files()
        let expected = """
            version  7.0.0
            adds     reference_FeedSession_profile
            leaves   notes
            rows     BabyProfile: 1
            rows     CustomEvent: 0
            rows     CustomEventType: 0
            rows     DiaperChange: 0
            rows     FeedSession: 0

            """
        #expect(
            try await bench.succeed("store", "adopt", "--dry-run").output
                == expected + "The database would become a store of version 7.0.0. Nothing was changed.\n")
        #expect(try bench.files() == before)
        let path = bench.url("store.sqlite").path
        #expect(
            try await bench.succeed("store", "adopt").output
                == expected.replacing(
                    "leaves   notes\n", with: "leaves   notes\nbackup   \(path).original.backup\n"))
        #expect(try bench.files()["store.sqlite.original.backup"]?.isEmpty == false)
        _ = try await bench.succeed("baby", "add", "Noah")
        #expect(try await bench.succeed("store", "info").output.contains("8.0.0"))
        #expect(try await bench.succeed("store", "check").output == "The store is sound.\n")
        let error = try await bench.fail(1, "store", "adopt")
        #expect(error.contains("holds a store of Switchyard already"), "\(error)")
    }

    @Test("store adopt lists the obstacles, and changes nothing")
    func refused() async throws {
        try await makeFile("ALTER TABLE BabyProfile RENAME COLUMN name TO called")
        let before = try bench.files()
        let outcome = try await bench.run(["store", "adopt", "--dry-run", "--json"])
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("\"the column BabyProfile.name, TEXT NOT NULL, is missing\""))
        #expect(outcome.output.contains("\"the schema has no column BabyProfile.called\""))
        #expect(outcome.output.contains("\"backup\" : null"), "\(outcome.output)")
        #expect(outcome.error.contains("for the reasons shown above"), "\(outcome.error)")
        let error = try await bench.fail(1, "store", "adopt")
        #expect(error.contains("the column BabyProfile.name, TEXT NOT NULL, is missing"), "\(error)")
        #expect(try bench.files() == before)
    }

    @Test("store adopt needs a database of a kind that can be one without being a store")
    func others() async throws {
        #expect(try await bench.fail(1, "store", "adopt").contains("There is no file at"))
        #expect(
            try await bench.fail(1, "store", "adopt", "--store", "memory:")
                .contains("The backend memory cannot read databases that are not stores."))
    }
}
