import Foundation
import SQLiteStore
import Switchyard

extension Measurement {
    /// Schema versions of a file: stages of a plan against the same change by `sqlite3`, after the same backup.
    static let migrations: [String: Work] = [
        "prepare-doses": { place, _ in
            guard !FileManager.default.fileExists(atPath: place.file("doses.sqlite")) else { return }
            let store = try await registry().open(
                url: "sqlite:" + place.file("doses.sqlite"), schema: Doses1.self)
            let rows = place.rows
            try await store.write { tx in
                try tx.insert(
                    contentsOf: (0..<rows).lazy.map { number in
                        Doses1.Dose(
                            time: Feeds.start.addingTimeInterval(Double(number) * 60),
                            amount: Double(number % 400), unit: number.isMultiple(of: 2) ? "mg" : "µg",
                            note: number.isMultiple(of: 8) ? "after breakfast" : nil)
                    })
            }
            try await store.close()
        },
        "add-column-switchyard": { try await migrate($0, $1, DosesWithColumn.Plan.self) },
        "add-column-sqlite3": { place, clock in
            try await change(place, clock, DosesWithColumn.self) { _, _ in
                #"ALTER TABLE "Dose" ADD COLUMN "count" INTEGER NOT NULL DEFAULT 1;"#
            }
        },
        "rebuild-switchyard": { try await migrate($0, $1, DosesRebuilt.Plan.self) },
        "rebuild-sqlite3": { place, clock in
            try await change(place, clock, DosesRebuilt.self) { table, indexes in
                remaking(
                    table, indexes, columns: #""id", "time", "amount", "unit", "note""#,
                    values: #""id", "time", "amount", "unit", coalesce("note", '')"#)
            }
        },
        "convert-switchyard": { try await migrate($0, $1, DosesConverted.Plan.self) },
        "convert-sqlite3": { place, clock in
            try await change(place, clock, DosesConverted.self) { table, indexes in
                remaking(
                    table, indexes, columns: #""id", "time", "micrograms", "note""#,
                    values: #"""
                        "id", "time", CAST("amount" * CASE "unit" WHEN 'mg' THEN 1000 ELSE 1 END AS INTEGER), "note"
                        """#)
            }
        },
        "open-switchyard": { place, clock in
            let url = "sqlite:" + (try copy(place))
            try await registry().open(url: url, migrating: DosesWithColumn.Plan.self).close()
            let registry = try registry()
            try await clock.time {
                for _ in 0..<openings {
                    try await registry.open(url: url, migrating: DosesWithColumn.Plan.self).close()
                }
            }
        },
        "open-c": { place, clock in
            let file = try copy(place)
            try clock.timeOnThread {
                for _ in 0..<openings { try SQLiteC(file).execute("SELECT count(*) FROM sqlite_master") }
            }
        },
    ]

    /// How often a file is opened.
    private static let openings = 100

    private static func registry() throws -> PluginRegistry { try PluginRegistry([SQLitePlugin.self]) }

    /// A copy of the prepared file.
    private static func copy(_ place: Place) throws -> String {
        let name = "doses-copy.sqlite"
        try remove(place, name)
        try remove(place, name + ".1.0.0.backup")
        try FileManager.default.copyItem(atPath: place.file("doses.sqlite"), toPath: place.file(name))
        return place.file(name)
    }

    private static func migrate(
        _ place: Place, _ clock: StopWatch, _ plan: any SchemaMigrationPlan.Type
    ) async throws {
        let url = "sqlite:" + (try copy(place))
        let registry = try registry()
        let store = try await clock.time {
            let store = try await registry.open(url: url, migrating: plan)
            try await store.close()
            return store
        }
        guard store.schema.version == SchemaVersion(2) else { throw MeasurementError("not migrated") }
        try require(try count(place), place.rows)
    }

    /// Changes the copy by `sqlite3`, with the table and the indexes as a new store of the version has them.
    private static func change(
        _ place: Place, _ clock: StopWatch, _ version: any VersionedSchema.Type,
        _ sql: (_ table: String, _ indexes: [String]) -> String
    ) async throws {
        try remove(place, "doses-new.sqlite")
        let file = place.file("doses-new.sqlite")
        try await registry().open(url: "sqlite:" + file, schema: version).close()
        let texts = try SQLiteC(file).texts(
            #"SELECT sql FROM sqlite_master WHERE tbl_name = 'Dose' AND sql IS NOT NULL ORDER BY type DESC"#)
        let (copy, script) = (try copy(place), place.file("doses.sql"))
        try Data(
            """
            .bail on
            .backup \(copy).1.0.0.backup
            PRAGMA foreign_keys = OFF;
            BEGIN IMMEDIATE;
            \(sql(texts.first ?? "", Array(texts.dropFirst())))
            COMMIT;

            """.utf8
        ).write(to: URL(filePath: script))
        try clock.timeOnThread { try Tool.run("sqlite3", [copy], input: script) }
        try require(try count(place), place.rows)
    }

    /// The number of rows in the changed copy.
    private static func count(_ place: Place) throws -> Int {
        let texts = try SQLiteC(place.file("doses-copy.sqlite")).texts(#"SELECT count(*) FROM "Dose""#)
        return texts.first.flatMap { Int($0) } ?? 0
    }

    /// The statements that make the table anew (sqlite.org/lang_altertable.html).
    private static func remaking(
        _ table: String, _ indexes: [String], columns: String, values: String
    ) -> String {
        let draft = table.replacing(
            #"CREATE TABLE "Dose""#, with: #"CREATE TABLE "Draft""#, maxReplacements: 1)
        let statements =
            [
                draft, #"INSERT INTO "Draft" (\#(columns)) SELECT \#(values) FROM "Dose""#,
                #"DROP TABLE "Dose""#, #"ALTER TABLE "Draft" RENAME TO "Dose""#,
            ] + indexes
        return statements.map { $0 + ";" }.joined(separator: "\n")
    }
}
