import Foundation
import GRDB
import Testing

@Suite("switchyard reads a store whose app it does not know")
struct ReadingTests {
    let bench: Workbench

    init() throws { bench = try Workbench(program: "switchyard") }

    private func make() async throws { try await Dairy.make("sqlite:" + bench.url("dairy.db").path) }

    @Test("info, tables, check and history show it, and change no byte")
    func inspected() async throws {
        try await make()
        let before = try bench.files()
        let info = try await bench.succeed("info", "dairy.db").output
        #expect(info.contains("location     \(bench.url("dairy.db").path)\n"))
        #expect(info.contains("generation   1, active\n"))
        #expect(info.contains("schema       3.0.0 "))
        #expect(info.hasSuffix("rows         Cow: 2\nrows         Milking: 5\n"))
        #expect(
            try await bench.succeed("tables", "dairy.db").output == """
                Cow: 2 rows
                  id  uuid
                  name  text
                  weight  double?
                Milking: 5 rows
                  id  uuid
                  cow  Cow.id?
                  time  timestamp
                  litres  decimal
                  memo  text?

                """)
        #expect(try await bench.succeed("check", "dairy.db").output == "The store is sound.\n")
        let history = try await bench.succeed("history", "dairy.db").output.split(separator: "\n")
        #expect(history.count == 2)
        #expect(history[0].hasSuffix("dairy  barn  2 rows of Cow"))
        #expect(history[1].hasSuffix("dairy  barn  5 rows of Milking"))
        #expect(try await bench.succeed("history", "dairy.db", "--entity", "Cow").output == history[0] + "\n")
        #expect(try bench.files() == before)
    }

    @Test("tables are told as JSON, with what refers to what")
    func json() async throws {
        try await make()
        struct Table: Decodable, Equatable {
            struct Column: Decodable, Equatable {
                let name, type: String
                let isOptional: Bool
                let reference: String?
            }
            let entity, table: String
            let rows: Int
            let attributes: [Column]
        }
        let tables: [Table] = try await bench.succeed("tables", "dairy.db", "--json").json()
        #expect(tables.map(\.entity) == ["Cow", "Milking"])
        #expect(
            tables[1].attributes[1]
                == Table.Column(name: "cow", type: "uuid", isOptional: true, reference: "Cow"))
    }

    @Test("a store is found by its path whatever the path looks like, and by its URL")
    func paths() async throws {
        try await make()
        for name in ["a b%20c?.db", "odd:name.db"] {
            try FileManager.default.copyItem(at: bench.url("dairy.db"), to: bench.url(name))
            #expect(try await bench.succeed("check", name).output == "The store is sound.\n")
            #expect(try await bench.succeed("check", bench.url(name).path).output == "The store is sound.\n")
        }
        #expect(try await bench.succeed("check", "sqlite:dairy.db").output == "The store is sound.\n")
    }

    @Test("the settings of an app in the environment are none of its business")
    func environment() async throws {
        try await make()
        let outcome = try await bench.run(
            ["check", "dairy.db"],
            environment: ["SWITCHYARD_PROFILE": "debug", "SWITCHYARD_STORE_URL": "sqlite:elsewhere.db"])
        #expect(outcome.status == 0)
        #expect(outcome.output == "The store is sound.\n")
    }

    @Test("damage is found, and nothing claims that the program could repair it")
    func damaged() async throws {
        try await make()
        let queue = try DatabaseQueue(path: bench.url("dairy.db").path)
        try await queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA foreign_keys = OFF; DELETE FROM Cow WHERE name = 'Berta'")
        }
        try queue.close()
        let outcome = try await bench.run(["check", "dairy.db"])
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("Milking"))
        #expect(outcome.error.hasPrefix("switchyard: The store is damaged, as shown above."))
        #expect(!outcome.error.contains("switchyard store repair"))
    }

    @Test("a store of a newer release of the library is refused, and not changed")
    func newer() async throws {
        try await make()
        let queue = try DatabaseQueue(path: bench.url("dairy.db").path)
        try await queue.writeWithoutTransaction { database in
            try database.execute(
                sql: """
                    UPDATE switchyard_store SET marker = json_set(marker, '$.format', 9), format = '9';
                    PRAGMA wal_checkpoint(TRUNCATE);
                    """)
        }
        try queue.close()
        let before = try bench.files()
        for command in [["info"], ["tables"], ["check"], ["history"], ["backup"]] {
            let words = [command[0], "dairy.db"] + (command[0] == "backup" ? ["out.json"] : [])
            let outcome = try await bench.run(words)
            #expect(outcome.status == 1)
            #expect(outcome.error.contains("The store has format 9"), "\(words)")
        }
        #expect(try bench.files() == before)
    }
}
