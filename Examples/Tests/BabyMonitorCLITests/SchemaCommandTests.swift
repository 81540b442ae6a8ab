import Foundation
import Testing

@Suite("babymonitor store schema")
struct SchemaCommandTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    private static let lockFile = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Sources/BabyMonitorKit/schema.lock"
        ).path

    @Test("schema show prints a version without a store, and the same as the store that has it")
    func show() async throws {
        let text = try await bench.succeed("store", "schema", "show", "8").output
        #expect(text.hasPrefix("schema 8.0.0 "))
        #expect(!FileManager.default.fileExists(atPath: bench.url("store.sqlite").path))
        try await bench.makeStore()
        #expect(try await bench.succeed("store", "schema", "show").output == text)
        #expect(try await bench.succeed("store", "schema").output == text)
        #expect(
            try await bench.fail(2, "store", "schema", "show", "99").contains(
                "There is no version 99.0.0 of the schema; there are "))
        #expect(try await bench.fail(2, "store", "schema", "shwo").contains("`shwo` is not a version"))
    }

    @Test("schema plan and diff show the versions without a store")
    func plan() async throws {
        #expect(try await bench.succeed("store", "schema", "plan").output.contains("version  8.0.0  "))
        #expect(
            try await bench.succeed("store", "schema", "diff", "8", "8").output == "Nothing is different.\n")
        #expect(
            try await bench.succeed("store", "schema", "diff", "8.0.0", "8", "--json").output == "[\n\n]\n")
        #expect(try await bench.fail(2, "store", "schema", "diff", "8", "99").contains("no version 99.0.0"))
        _ = try await bench.fail(2, "store", "schema", "diff", "8")
        #expect(try bench.files().keys.sorted() == ["home"])
    }

    @Test("schema freeze writes a lock file, and lint compares with it")
    func freezing() async throws {
        _ = try await bench.succeed("store", "schema", "freeze", "--lock", "schema.lock")
        #expect(try bench.read("schema.lock") == String(contentsOfFile: Self.lockFile, encoding: .utf8))
        _ = try await bench.succeed("store", "schema", "lint", "--lock", "schema.lock")
        _ = try await bench.succeed("schema-lint", "--lock", "schema.lock", "--format", "sarif")

        try bench.write(
            try bench.read("schema.lock").replacing("feedTerm: double", with: "feedTerm: int"),
            to: "schema.lock")
        for words in [["store", "schema", "lint"], ["schema-lint"]] {
            let outcome = try await bench.run(words + ["--lock", "schema.lock"])
            #expect(outcome.status == 1)
            #expect(outcome.output.contains("error: 8.0.0: It was changed since it was frozen: "))
            #expect(
                outcome.error
                    == "babymonitor: The schema has faults that must be corrected or accepted, as shown above.\n"
            )
        }
        #expect(
            try await bench.fail(1, "store", "schema", "freeze", "--lock", "schema.lock")
                .contains("Version 4.0.0 was changed since it was frozen"))
        struct Finding: Decodable { let rule, severity: String }
        let findings: [Finding] = try await bench.run([
            "store", "schema", "lint", "--json", "--lock", "schema.lock",
        ]).json()
        #expect(findings.contains { $0.rule == "changed-version" && $0.severity == "error" })
    }

    @Test("wrong use of schema commands is explained in one paragraph")
    func usage() async throws {
        _ = try await bench.fail(2, "store", "schema", "lint", "--format", "xml")
        _ = try await bench.fail(2, "store", "schema", "lint", "--json", "--format", "text")
        _ = try await bench.fail(2, "store", "schema", "freeze", "--replace", "one")
        try bench.write("<<<<<<< HEAD\n", to: "schema.lock")
        #expect(
            try await bench.fail(2, "store", "schema", "lint", "--lock", "schema.lock").contains(
                "Line 1 of the lock file"))
        #expect(try bench.read("schema.lock") == "<<<<<<< HEAD\n")
    }
}
