import Foundation
import Switchyard
import Testing

@testable import SwitchyardLint

private enum T1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Meal.self]

    @Model
    struct Meal {
        let id: ID
        var name: String
    }
}

private enum T2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Meal.self]

    @Model
    struct Meal {
        let id: ID
    }
}

private enum Sound: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [T1.self]
    static let stages: [MigrationStage] = []
}

private enum Lossy: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [T1.self, T2.self]
    static var stages: [MigrationStage] { [.lightweight(fromVersion: T1.self, toVersion: T2.self)] }
}

@Suite("The lint of a plan as a command")
struct ToolTests {
    private final class Directory {
        let url: URL

        init() throws {
            url = FileManager.default.temporaryDirectory.appending(
                path: "schema lint ä%#-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: url) }
    }

    private let directory: Directory
    private var lockFile: String { directory.url.appending(path: "schema.lock").path }
    private var acceptanceFile: String { directory.url.appending(path: "schema.accepted").path }

    init() throws { directory = try Directory() }

    private func run(_ plan: any SchemaMigrationPlan.Type, _ words: String...) -> SchemaLintTool.Answer {
        SchemaLintTool.run(plan, lockFile: lockFile, words)
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    @Test("the lint tool freezes a plan, finds nothing, and has nothing left to freeze")
    func sound() throws {
        #expect(run(Sound.self, "schema-lint").output.hasSuffix("\n1 warning.\n"))
        #expect(run(Sound.self, "schema-lint").status == 0)
        #expect(run(Sound.self, "schema-lint", "--strict").status == 1)
        #expect(
            run(Sound.self, "schema-freeze")
                == .init(output: "\(lockFile) has 1.0.0 now. Commit it.\n"))
        let bytes = try Data(contentsOf: URL(filePath: lockFile))
        #expect(run(Sound.self, "schema-lint", "--strict") == .init(output: "No findings.\n"))
        #expect(
            run(Sound.self, "schema-freeze")
                == .init(output: "All versions are in \(lockFile) already.\n"))
        #expect(try Data(contentsOf: URL(filePath: lockFile)) == bytes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["schema.lock"])
    }

    @Test("the lint tool ends with 1 for an error, and with 0 once it is accepted")
    func lossy() throws {
        _ = run(Lossy.self, "schema-freeze")
        let answer = run(Lossy.self, "schema-lint")
        #expect(answer.status == 1)
        #expect(answer.output.hasPrefix("error: 1.0.0 to 2.0.0: Meal.name is dropped"))
        #expect(answer.error == "")
        #expect(run(Lossy.self, "schema-lint", "--format", "json").status == 1)
        #expect(
            run(Lossy.self, "schema-lint", "--format", "sarif").output.contains(
                "\"ruleId\" : \"dropped-attribute\""))
        try write("dropped-attribute 2.0.0 Meal.name: It was empty.\n", to: acceptanceFile)
        #expect(run(Lossy.self, "schema-lint") == .init(output: "No findings; 1 accepted.\n"))
        // What is not found any more must not stay accepted.
        #expect(run(Sound.self, "schema-lint").status == 1)
    }

    @Test("the lint tool does not freeze a changed version, and leaves the file unchanged")
    func changed() throws {
        let text = "schema 1.0.0 ab\nentity Meal\n  id: uuid\n"
        try write(text, to: lockFile)
        let refused = run(Sound.self, "schema-freeze")
        #expect(refused.status == 1)
        #expect(
            refused.error.hasPrefix(
                "Version 1.0.0 was changed since it was frozen: entity Meal has `name: text` now. "))
        #expect(try String(contentsOfFile: lockFile, encoding: .utf8) == text)
        #expect(run(Sound.self, "schema-lint").status == 1)
        #expect(run(Sound.self, "schema-freeze", "--replace", "1").status == 0)
        #expect(run(Sound.self, "schema-lint") == .init(output: "No findings.\n"))
        #expect(run(Sound.self, "schema-freeze", "--replace", "2").status == 1)
    }

    @Test("the lint tool takes another lock file, with the acceptances beside it")
    func otherFile() throws {
        let other = directory.url.appending(path: "other").path
        #expect(run(Sound.self, "schema-freeze", "--lock", other).status == 0)
        #expect(FileManager.default.fileExists(atPath: other))
        #expect(!FileManager.default.fileExists(atPath: lockFile))
        #expect(SchemaLintTool(Sound.self, lockFile: other).acceptanceFile == other + ".accepted")
        #expect(SchemaLintTool(Sound.self, lockFile: lockFile).acceptanceFile == acceptanceFile)
    }

    @Test(
        "the lint tool ends with 2 and a sentence for wrong use",
        arguments: [
            [], ["lint"], ["schema-lint", "--format"], ["schema-lint", "--format", "xml"],
            ["schema-lint", "--replace", "1"], ["schema-freeze", "--replace", "one"],
            ["schema-freeze", "--format", "json"], ["schema-lint", "x"], ["schema-freeze", "--strict"],
        ])
    func wrongUse(_ words: [String]) {
        let answer = SchemaLintTool.run(Sound.self, lockFile: lockFile, words)
        #expect(answer.status == 2)
        #expect(answer.output == "")
        #expect(answer.error.hasSuffix("or schema-freeze [--replace VERSION] [--lock FILE].\n"))
        #expect(!FileManager.default.fileExists(atPath: lockFile))
    }

    @Test("the lint tool ends with 2 for unreadable files, and writes none")
    func unreadable() throws {
        try write("<<<<<<< HEAD\n", to: lockFile)
        #expect(run(Sound.self, "schema-lint").status == 2)
        #expect(run(Sound.self, "schema-freeze").status == 2)
        #expect(try String(contentsOfFile: lockFile, encoding: .utf8) == "<<<<<<< HEAD\n")
        try Data([0xFF, 0xFE]).write(to: URL(filePath: lockFile))
        #expect(
            run(Sound.self, "schema-lint").error == "The file \(lockFile) cannot be read: it is not UTF-8.\n")
        try FileManager.default.removeItem(atPath: lockFile)
        try write("dropped-attribute 2.0.0 Meal.name:\n", to: acceptanceFile)
        #expect(run(Sound.self, "schema-lint").status == 2)
        let nowhere = directory.url.appending(path: "none/schema.lock").path
        #expect(
            run(Sound.self, "schema-freeze", "--lock", nowhere)
                == .init(
                    status: 2, error: "The file \(nowhere) cannot be written: No such file or directory.\n"))
        #expect(run(Sound.self, "schema-freeze", "--lock", directory.url.path).status == 2)
    }

    @Test("the lint tool prints its usage")
    func help() {
        for words in [["--help"], ["schema-lint", "-h"], ["schema-freeze", "--help"]] {
            let answer = SchemaLintTool.run(Sound.self, lockFile: lockFile, words)
            #expect(answer.status == 0)
            #expect(answer.output.hasPrefix("schema-lint [--strict] [--format text|json|sarif]"))
        }
    }
}
