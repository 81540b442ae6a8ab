import Foundation
import SwitchyardCore
import Testing

@Suite("switchyard answers questions about a store")
struct QueryTests {
    let bench: Workbench

    init() throws { bench = try Workbench(program: "switchyard") }

    private func make() async throws { try await Dairy.make("sqlite:" + bench.url("dairy.db").path) }

    @Test("an answer is a table, CSV or JSON, and no byte of the store changes", arguments: Backend.available)
    func forms(backend: Backend) async throws {
        try await backend.withPlaces(bench) { place, _ in
            try await Dairy.make(place)
            let question = "Milking where litres > 0 sort time show time, litres, cow.name, memo"
            #expect(
                try await bench.succeed("query", place, question).output == """
                    time                      litres  cow.name        memo
                    2025-11-07T06:34:39.250Z    12.5  Berta
                    2025-11-07T18:34:39.250Z      25  Berta           a,\\u{A}b
                    2025-11-08T06:34:39.250Z    37.5  Zoë, "die Kuh"
                    2025-11-08T18:34:39.250Z      50

                    """)
            #expect(
                try await bench.succeed("query", place, question, "--format", "csv").output == """
                    time,litres,cow.name,memo
                    2025-11-07T06:34:39.250Z,12.5,Berta,""
                    2025-11-07T18:34:39.250Z,25,Berta,"a,
                    b"
                    2025-11-08T06:34:39.250Z,37.5,"Zoë, ""die Kuh""\u{22},
                    2025-11-08T18:34:39.250Z,50,,

                    """)
            #expect(
                try await bench.succeed(
                    "query", place, "Cow sort name show name include milkings(sort time limit 1 show litres)",
                    "--json"
                ).output == #"""
                    {"hasMore": false, "rows": [
                      {"name": "Berta", "milkings": [{"litres": "0"}]},
                      {"name": "Zoë, \"die Kuh\"", "milkings": [{"litres": "37.5"}]}
                    ]}

                    """#)
            #expect(
                try await bench.succeed(
                    "query", place, "Milking by cow count, sum(litres)", "--format", "json"
                ).output
                    .contains(#""count": 3, "sum(litres)": "37.5"}"#))
        }
    }

    @Test("a store that is read stays as it is, and a question without an answer has none")
    func untouched() async throws {
        try await make()
        let before = try bench.files()
        #expect(
            try await bench.succeed("query", "dairy.db", "Cow where name = 'Olga' show name").output
                == "name\n")
        #expect(
            try await bench.succeed("query", "dairy.db", "Cow where name = 'Olga'", "--json").output
                == "{\"hasMore\": false, \"rows\": []}\n")
        #expect(try bench.files() == before)
    }

    @Test("a store with scopes is asked one scope at a time")
    func scopes() async throws {
        let (here, there) = (StoreScope(), StoreScope())
        let store = try await Dairy.open("sqlite:" + bench.url("dairy.db").path, scope: here)
        try await store.write { tx in try tx.insert(Dairy.Cow(name: "Berta", weight: 600)) }
        try await store.close()
        #expect(
            try await bench.succeed("query", "dairy.db", "Cow show name, weight", "--scope", "\(here)").output
                == "name   weight\nBerta   600.0\n")
        #expect(
            try await bench.succeed("query", "dairy.db", "Cow count", "--scope", "\(there)").output
                == "count\n    0\n")
        #expect(try await bench.fail(1, "query", "dairy.db", "Cow").contains("Name one by --scope ID"))
    }

    @Test("without a limit, a thousand rows are shown, and that there are more is said")
    func many() async throws {
        let store = try await Dairy.open("sqlite:" + bench.url("dairy.db").path)
        try await store.write { tx in
            for number in 0..<1_001 { try tx.insert(Dairy.Cow(name: "cow \(number)", weight: nil)) }
        }
        try await store.close()
        let table = try await bench.succeed("query", "dairy.db", "Cow").output.split(separator: "\n")
        #expect(table.count == 1_002)
        #expect(table.last == "Only the first 1000 rows are shown. Add a limit for more.")
        let csv = try await bench.run(["query", "dairy.db", "Cow", "--format", "csv"])
        #expect(csv.output.split(separator: "\n").count == 1_001)
        #expect(csv.error == "switchyard: Only the first 1000 rows are shown. Add a limit for more.\n")
        #expect(
            try await bench.succeed("query", "dairy.db", "Cow", "--json").output.hasPrefix(
                "{\"hasMore\": true,"))
        let all = try await bench.succeed("query", "dairy.db", "Cow limit 2000").output
        #expect(all.split(separator: "\n").count == 1_002)
        #expect(!all.contains("Only"))
    }

    @Test(
        "a question that is wrong is refused with its place",
        arguments: [
            (
                2, "Cow wher name = 'x'",
                "Character 5 of the query: a clause, such as where or sort, is expected"
            ),
            (
                1, "Cow where nam = 'x'",
                "Character 11 of the query: Cow has no attribute `nam`. Did you mean `name`?"
            ),
            (1, "Cows", "Character 1 of the query: The store has no entity `Cows`. Did you mean `Cow`?"),
            (
                1, "Milking where litres > 'x'",
                "Milking.litres is of type decimal, and `'x'` is no such value."
            ),
            (1, "Cow include milkings", "`milkings` is a list of rows, which a table cannot hold."),
            (2, "", "Character 1 of the query: the name of an entity is expected here"),
        ])
    func wrong(status: Int32, question: String, complaint: String) async throws {
        try await make()
        let error = try await bench.fail(status, "query", "dairy.db", question)
        #expect(error.contains(complaint), "\(error)")
    }

    @Test("an explanation has statements, plans, rows and the index that is missing")
    func explained() async throws {
        try await make()
        let output = try await bench.succeed(
            "query", "dairy.db", "Cow where weight > 600 include milkings(limit 1)", "--explain"
        ).output
        #expect(output.contains("FROM \"Cow\" WHERE \"weight\" > ?"))
        #expect(output.contains("  No index serves it. `#Index<Cow>([\\.weight])` would.\n  1 row\n"))
        #expect(output.contains("INDEX reference_Milking_cow"))
        #expect(!output.contains("Berta"))
        #expect(
            try await bench.fail(2, "query", "dairy.db", "Cow", "--explain", "--json")
                == "switchyard: --explain prints text. Leave --json and --format out.\n")
    }

    @Test("a form that is unknown, and two forms, are refused")
    func form() async throws {
        #expect(
            try await bench.fail(2, "query", "dairy.db", "Cow", "--format", "xml").contains(
                "'xml' is invalid for '--format <form>'"))
        #expect(
            try await bench.fail(2, "query", "dairy.db", "Cow", "--format", "csv", "--json")
                == "switchyard: --json and --format csv contradict each other. Leave one out.\n")
        #expect(
            try await bench.fail(2, "query", "dairy.db").contains("Missing expected argument '<question>'."))
    }
}
