import Foundation
import Testing

/// The language settings that a client may have, by which its code and what macros write in it are checked.
enum ClientSettings: String, CaseIterable, CustomTestStringConvertible {
    case swift5, swift6, mainActor, approachable

    static let all = allCases

    var arguments: [String] {
        switch self {
        case .swift5: ["-swift-version", "5"]
        case .swift6: ["-swift-version", "6"]
        case .mainActor: ["-swift-version", "6", "-default-isolation", "MainActor"]
        // What Xcode sets in new projects.
        case .approachable:
            ["-swift-version", "5", "-default-isolation", "MainActor"]
                + [
                    "DisableOutwardActorInference", "GlobalActorIsolatedTypesUsability",
                    "InferIsolatedConformances",
                    "InferSendableFromCaptures", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
                ].flatMap { ["-enable-upcoming-feature", $0] }
        }
    }

    var testDescription: String { rawValue }
}

// Where the examples are run, they are compiled by the package's own settings.
@Suite(
    "The articles",
    .enabled(if: TypeCheck.isPossible, "needs swiftc and the built modules beside the test program"))
struct ClientSettingsTests {
    @Test("the articles' examples compile with the settings of clients", arguments: ClientSettings.all)
    func articles(_ settings: ClientSettings) throws {
        let directory = TypeCheck.package.appending(path: "Tests/DocumentationTests")
        let files = try FileManager.default.contentsOfDirectory(
            at: directory, includingPropertiesForKeys: nil
        )
        .filter { $0.pathExtension == "swift" }.sorted { $0.path < $1.path }
        #expect(files.count > 10)
        let sources = try files.map { try String(contentsOf: $0, encoding: .utf8) }
        let check = try TypeCheck(tests: sources, settings: settings.arguments)
        #expect(check.succeeded, "\(check.output)")
    }
}
