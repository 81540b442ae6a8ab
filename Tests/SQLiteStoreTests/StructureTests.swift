import Foundation
import GRDB
import SQLiteStore
import SwitchyardCore
import Testing

@Suite("Tables and indexes that somebody has changed by hand")
struct StructureTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Carries out SQL as a person with a database tool would.
    private func edit(_ sql: String) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { database in
            // SQLite cannot alter a table with an unknown collation.
            database.add(
                collation: DatabaseCollation("switchyard_decimal") {
                    $0 < $1 ? .orderedAscending : .orderedSame
                })
        }
        let queue = try DatabaseQueue(path: directory.file(), configuration: configuration)
        try queue.inDatabase { try $0.execute(sql: sql) }
        try queue.close()
    }

    private func damage(_ faults: String) -> String {
        "The store at \(directory.file()) is damaged: \(faults). Restore it from a backup; nothing was changed."
    }

    @Test(
        "a store without one of its tables or columns is not opened, and what is missing is named",
        arguments: [
            ("DROP TABLE Person", "the table Person is missing"),
            ("DROP TABLE switchyard_operation", "the table switchyard_operation is missing"),
            ("ALTER TABLE Person RENAME COLUMN weight TO mass", "the column Person.weight is missing"),
            ("ALTER TABLE Person DROP COLUMN photo", "the column Person.photo is missing"),
        ])
    func missing(sql: String, fault: String) async throws {
        try await directory.makeStore()
        try edit(sql)
        for access in [OpenOptions.Access.readWrite, .readOnly] {
            let error = await #expect(throws: StoreError.self) {
                _ = try await openStore(directory.file(), options: OpenOptions(access: access))
            }
            #expect(error?.code == .corrupted)
            #expect(error?.message == damage(fault))
        }
    }

    /// A table of persons as another tool might have made it, without names for its constraints.
    private static func table(visits: String, options: String) -> String {
        """
        DROP TABLE Person;
        CREATE TABLE Person (
            id BLOB PRIMARY KEY NOT NULL, name TEXT NOT NULL, born INTEGER, balance TEXT, motherID BLOB,
            photo BLOB, weight REAL, visits \(visits), name_search TEXT NOT NULL
        ) \(options);
        """
    }

    @Test("a column of another type, and a table that takes values of any type, are damage")
    func changed() async throws {
        try await directory.makeStore()
        try edit(Self.table(visits: "TEXT NOT NULL", options: "STRICT, WITHOUT ROWID"))
        let type = await #expect(throws: StoreError.self) { _ = try await openStore(directory.file()) }
        #expect(type?.message == damage("the column Person.visits is not as it was made"))
        try edit(Self.table(visits: "INTEGER", options: "STRICT, WITHOUT ROWID"))
        let absence = await #expect(throws: StoreError.self) { _ = try await openStore(directory.file()) }
        #expect(absence?.message == damage("the column Person.visits is not as it was made"))
        try edit(Self.table(visits: "INTEGER NOT NULL", options: "WITHOUT ROWID"))
        let strict = await #expect(throws: StoreError.self) { _ = try await openStore(directory.file()) }
        #expect(strict?.message == damage("the table Person is not as it was made"))
    }

    @Test("check reports constraints and indexes that are missing or changed")
    func constraints() async throws {
        try await directory.makeStore()
        try edit(
            "DROP INDEX unique_Person_name; DROP INDEX index_Person_born; CREATE INDEX index_Person_born ON Person(name)"
        )
        let store = try await openStore(directory.file())
        #expect(
            try await store.check() == [
                "SQLite: the unique index unique_Person_name is missing.",
                "SQLite: the index index_Person_born is not as it was made.",
            ])
        try await store.close()
        try edit(Self.table(visits: "INTEGER NOT NULL", options: "STRICT, WITHOUT ROWID"))
        let other = try await openStore(directory.file())
        let faults = try await other.check()
        #expect(faults.contains("SQLite: the constraint primary_Person is missing."))
        #expect(faults.contains("SQLite: the constraint reference_Person_motherID is missing."))
        #expect(faults.contains("SQLite: the unique index unique_Person_born_balance is missing."))
        try await other.close()
    }

    @Test("check reports a table that an open store has lost, and does not fail")
    func lostWhileOpen() async throws {
        let store = try await openStore(directory.file())
        try edit("DROP TABLE Person")
        #expect(try await store.check().first == "SQLite: the table Person is missing.")
        try await store.close()
    }

    @Test("reads and writes report a table that was renamed while the store is open")
    func renamedWhileOpen() async throws {
        let store = try await openStore(directory.file())
        try await store.write { _ = try $0.insert(Person("Mia")) }
        func code(_ work: () async throws -> Void) async -> StoreError.Code? {
            await #expect(throws: StoreError.self) { try await work() }?.code
        }
        try edit("ALTER TABLE Person RENAME COLUMN weight TO mass")
        #expect(await code { _ = try await store.read { try $0.fetch(Person.all) } } == .schemaMismatch)
        #expect(await code { try await store.write { _ = try $0.insert(Person("Leo")) } } == .schemaMismatch)
        try edit("ALTER TABLE Person RENAME TO Human")
        #expect(await code { _ = try await store.read { try $0.fetch(Person.all) } } == .schemaMismatch)
        #expect(await code { try await store.write { _ = try $0.insert(Person("Leo")) } } == .schemaMismatch)
        #expect(await code { _ = try await store.write { try $0.delete(Person.ID()) } } == .schemaMismatch)
        try await store.close()
    }

    @Test("check reports everything that it finds in a file with ruined pages")
    func ruinedPages() async throws {
        let store = try await openStore(directory.file())
        let people = (0..<4_000).map { Person("Person number \($0)") }
        try await store.write { _ = try $0.insert(contentsOf: people) }
        try await store.close()
        try edit("DROP INDEX index_Person_born")
        let file = try #require(FileHandle(forUpdatingAtPath: directory.file()))
        for page in stride(from: 40, to: 140, by: 10) {
            try file.seek(toOffset: UInt64(page * 4096))
            try file.write(contentsOf: Data(repeating: 0xFF, count: 4096))
        }
        try file.close()
        let ruined = try await openStore(directory.file())
        let faults = try await ruined.check()
        #expect(faults.contains("SQLite: the index index_Person_born is missing."))
        #expect(
            faults.contains(
                "corrupted: The store's file \(directory.file()) is damaged. Restore it from a backup. [Person]"
            ))
        try await ruined.close()
    }

    @Test("a column of an enum takes only its cases and null, even by hand")
    func cases() async throws {
        let names = (0..<2_000).map { "case\($0)" }
        let meal = Entity(
            "Meal",
            attributes: [
                Attribute("id", type: .uuid),
                Attribute("kind", type: .text, isOptional: true, cases: names.map { .text($0) }),
                Attribute("course", type: .int, cases: [.int(-1), .int(0), .int(7)]),
            ])
        let schema = try Schema(version: SchemaVersion(1), entities: [meal])
        let store = try await openStore(directory.file(), schema: schema)
        try await store.close()
        for values in ["'case0', -1", "'case1999', 7", "NULL, 0"] {
            try edit("INSERT INTO Meal (id, kind, course) VALUES (randomblob(16), \(values))")
        }
        for (values, constraint) in [
            ("'CASE0', 0", "check_Meal_kind"), ("'', 0", "check_Meal_kind"),
            ("'case0', 1", "check_Meal_course"),
        ] {
            let error = #expect(throws: DatabaseError.self) {
                try edit("INSERT INTO Meal (id, kind, course) VALUES (randomblob(16), \(values))")
            }
            #expect(error?.message == "CHECK constraint failed: \(constraint)")
        }
    }

    @Test("an additional column is not damage")
    func furtherColumn() async throws {
        try await directory.makeStore()
        try edit("ALTER TABLE Person ADD COLUMN note TEXT")
        let store = try await openStore(directory.file())
        #expect(try await store.read { try $0.fetch(Person.all).map(\.name) } == ["Mia"])
        #expect(try await store.check() == [])
        try await store.close()
    }

    @Test("the structure of a store on the app's connection is checked as well")
    func borrowed() async throws {
        let queue = try DatabaseQueue()
        let store = try await SQLiteStore(connection: queue, schema: .people())
        try await store.close()
        try await queue.write { try $0.execute(sql: "ALTER TABLE Person RENAME COLUMN weight TO mass") }
        let error = await #expect(throws: StoreError.self) {
            _ = try await SQLiteStore(connection: queue, schema: .people())
        }
        #expect(error?.code == .corrupted)
        #expect(error?.message.contains("the column Person.weight is missing") == true)
    }
}
