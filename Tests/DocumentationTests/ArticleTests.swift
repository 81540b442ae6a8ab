import Foundation
import Testing

/// Each example of an article stands in the file of its name here, where it is compiled and run.
@Suite("The articles' examples")
struct ArticleTests {
    nonisolated static let articles = [
        "Models", "Queries", "Transactions", "LiveQueries", "History", "ChoosingAMergePolicy",
        "ChoosingABackend",
        "OutgrowingOneMachine",
        "SchemaVersions", "ComingFromSwiftData", "ComingFromRealmOrGRDB", "SeeingAStoreAtWork", "CSV", "JSON",
        "Intents",
    ]
    /// Those of the article on writing a backend.
    static let backend = [
        "Examples/Sources/JSONDirectoryStore/JSONDirectoryPlugin.swift",
        "Examples/Tests/JSONDirectoryStoreTests/ContractTests.swift",
        "Examples/Tests/LMDBStoreTests/LMDBHarness.swift",
    ]

    private static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Lines without indentation, without empty ones.
    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: package.appending(path: path), encoding: .utf8)
    }

    @Test("each example of an article is compiled in a test", arguments: articles)
    func examples(_ article: String) throws {
        try requireCompiled(article, in: ["Tests/DocumentationTests/\(article).swift"])
    }

    @Test("each example of the article on writing a backend is compiled in the example plugin")
    func backend() throws { try requireCompiled("WritingABackend", in: Self.backend) }

    @Test(
        "each example of the articles on the mirror is compiled in a test",
        arguments: ["TheMirror", "SharingAHousehold"])
    func mirror(_ article: String) throws {
        try requireCompiled(
            article, of: "SwitchyardMirror", in: ["Tests/DocumentationTests/MirrorExamples.swift"])
    }

    @Test("each example of the article on queries as text is compiled in a test")
    func text() throws {
        try requireCompiled(
            "SwitchyardQuery", of: "SwitchyardQuery", in: ["Tests/DocumentationTests/QueriesAsText.swift"])
    }

    @Test("each example of the article on running the service is compiled in a test of the service")
    func service() throws {
        try requireCompiled(
            "RunningTheService", of: "SwitchyardMirror",
            in: ["Plugins/MirrorService/Tests/MirrorServiceTests/JWTLogin.swift"])
    }

    private func requireCompiled(
        _ article: String, of module: String = "Switchyard", in files: [String]
    ) throws {
        let page = try Self.text("Sources/\(module)/\(module).docc/\(article).md")
        let compiled = try files.flatMap { Self.lines(try Self.text($0)) }
        let blocks = page.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(blocks.count > 1)
        for block in blocks {
            let example = Self.lines(block)
            let isCompiled = compiled.indices.contains { compiled[$0...].starts(with: example) }
            #expect(isCompiled, "An example of \(article) is not in the tests:\n\(block)")
        }
    }
}
