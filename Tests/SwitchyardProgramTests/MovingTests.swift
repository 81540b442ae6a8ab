import Foundation
import SwitchyardCore
import Testing

@Suite("switchyard moves the rows of a store whose app it does not know")
struct MovingTests {
    let bench: Workbench

    init() throws { bench = try Workbench(program: "switchyard") }

    @Test("what was exported and imported is exported again byte for byte", arguments: Backend.available)
    func roundTrip(backend: Backend) async throws {
        try await backend.withPlaces(bench) { one, two in
            try await Dairy.make(one)
            try await Dairy.makeEmpty(two)
            for (entity, rows) in [("Cow", 2), ("Milking", 5)] {
                #expect(
                    try await bench.succeed("export", one, entity, "--csv", "\(entity).csv").output
                        == "Exported \(rows) rows of \(entity) to \(entity).csv.\n")
                let text = try bench.read("\(entity).csv")
                #expect(try await bench.succeed("export", one, entity, "--csv", "-").output == text)
                #expect(
                    try await bench.succeed("import", two, entity, "--csv", "\(entity).csv").output
                        == "Imported \(rows) rows of \(entity).\n")
                #expect(try await bench.succeed("export", two, entity, "--csv", "-").output == text)
            }
            #expect(
                try bench.read("Cow.csv").split(separator: "\n").contains {
                    $0.hasSuffix(",\"Zoë, \"\"die Kuh\"\"\",")
                })
            #expect(
                try await bench.succeed("verify", one, two).output.hasSuffix(
                    "Both stores hold the same rows; compared value by value: 7 rows drawn at random.\n"))
            // Once more, all rows are there.
            #expect(try await bench.fail(1, "import", two, "Cow", "--csv", "Cow.csv").contains("(Cow"))
            #expect(
                try await bench.succeed("import", two, "Cow", "--csv", "Cow.csv", "--skip-existing").output
                    == "Imported 0 rows of Cow, left out 2 that the store has.\n")
            let history = try await bench.succeed("history", two).output
            #expect(history.contains("  import  "))
        }
    }

    @Test("a file that was cut off is refused, and adds no row", arguments: Backend.available)
    func cutOff(backend: Backend) async throws {
        try await backend.withPlaces(bench) { one, two in
            try await Dairy.make(one)
            try await Dairy.makeEmpty(two)
            let text = try await bench.succeed("export", one, "Cow", "--csv", "-").output
            for (count, complaint) in [(text.count - 1, "it was cut off"), (0, "The file is empty")] {
                let refusal = try await bench.fail(
                    1, "import", two, "Cow", "--csv", "-", input: String(text.prefix(count)))
                #expect(refusal.contains(complaint))
                #expect(refusal.hasSuffix("Nothing was imported.\n"))
            }
            #expect(try await bench.succeed("tables", two).output.hasPrefix("Cow: 0 rows\n"))
        }
    }

    @Test("verify tells apart two stores that differ in one row", arguments: Backend.available)
    func verified(backend: Backend) async throws {
        try await backend.withPlaces(bench) { one, two in
            try await Dairy.make(one)
            try await Dairy.makeEmpty(two)
            _ = try await bench.succeed("export", one, "Cow", "--csv", "Cow.csv")
            _ = try await bench.succeed("import", two, "Cow", "--csv", "Cow.csv")
            let outcome = try await bench.run(["verify", one, two])
            #expect(outcome.status == 1)
            #expect(outcome.output.contains(" is only in the first store\n"))
            #expect(outcome.error.contains("The stores do not hold the same sound rows"))
        }
    }

    @Test(
        "a switch leaves a backup and a store with the same rows and identity", arguments: Backend.available)
    func switched(backend: Backend) async throws {
        try await backend.withPlaces(bench) { one, two in
            try await Dairy.make(one)
            let first = try await bench.succeed("info", one, "--json").members()
            let shown = try await bench.succeed("switch", one, "--to", two).output
            #expect(shown.contains("Milking: 5 rows, "))
            #expect(shown.hasSuffix(" now; the old store is kept, and can only be read.\n"))
            #expect(
                try await bench.succeed("verify", one, two).output.contains("Both stores hold the same rows"))
            let (old, new) = (
                try await bench.succeed("info", one, "--json").members(),
                try await bench.succeed("info", two, "--json").members()
            )
            #expect(old["role"] == "superseded")
            #expect(new["role"] == "active")
            #expect(new["generation"] == "2")
            #expect(new["storeID"] == first["storeID"])
            #expect(
                try await bench.succeed("switch", one, "--status").output.hasPrefix("phase   committed\n"))
            #expect(
                try await bench.fail(1, "import", one, "Cow", "--csv", "-", input: "id,name,weight\n\n")
                    .contains("superseded by"))
            // The app opens the new one as its own.
            try await Dairy.open(two).close()
        }
    }

    @Test("a backup restores what was deleted", arguments: Backend.available)
    func restored(backend: Backend) async throws {
        try await backend.withPlaces(bench) { one, two in
            try await Dairy.make(one)
            #expect(
                try await bench.succeed("backup", one, "dairy.json").output
                    == "Cow: 2\nMilking: 5\nWrote 7 rows to dairy.json.\n")
            #expect(try await bench.fail(1, "backup", one, "dairy.json").contains("dairy.json"))
            try await Dairy.makeEmpty(two)
            #expect(
                try await bench.succeed("restore", two, "dairy.json", "--mode", "replace").output
                    == "Cow: 2 read, 2 inserted\nMilking: 5 read, 5 inserted\n")
            #expect(
                try await bench.succeed("verify", one, two).output.contains("Both stores hold the same rows"))
            #expect(
                try await bench.succeed("restore", two, "dairy.json", "--mode", "merge").output
                    == "Cow: 2 read, 2 updated\nMilking: 5 read, 5 updated\n")
        }
    }

    @Test("the oldest changes of a history are deleted on demand", arguments: Backend.available)
    func pruned(backend: Backend) async throws {
        try await backend.withPlaces(bench) { one, _ in
            try await Dairy.make(one)
            #expect(
                try await bench.succeed("history", "prune", one, "--keep", "1").output
                    == "Deleted 1 change.\n")
            #expect(try await bench.succeed("history", one).output.split(separator: "\n").count == 1)
        }
    }

    @Test(
        "a store with scopes names them, is read one scope at a time, and is switched with all",
        arguments: Backend.available)
    func scopes(backend: Backend) async throws {
        try await backend.withPlaces(bench) { one, two in
            let (home, away) = (StoreScope(), StoreScope())
            let store = try await Dairy.open(one, scope: home)
            try await store.write { try $0.insert(Dairy.berta) }
            try await store.write(WriteOptions(scope: away)) { tx in
                try tx.insert(Dairy.berta)
                try tx.insert(Dairy.zoe)
            }
            try await store.close()
            let info = try await bench.succeed("info", one).output
            #expect(
                info.hasSuffix(
                    "scope        \(home)\nscope        \(away)\nrows         Cow: 3\nrows         Milking: 0\n"
                ))
            #expect(
                try await bench.succeed("tables", one, "--scope", "\(home)").output.hasPrefix("Cow: 1 row\n"))
            for words in [["tables", one], ["backup", one, "out.json"], ["history", one]] {
                let outcome = try await bench.run(words)
                #expect(outcome.status == 1)
                #expect(outcome.error.contains("Name one by --scope ID"), "\(outcome.error)")
            }
            _ = try await bench.succeed("switch", one, "--to", two)
            #expect(
                try await bench.succeed("tables", two, "--scope", "\(away)").output.hasPrefix("Cow: 2 rows\n")
            )
        }
    }
}
