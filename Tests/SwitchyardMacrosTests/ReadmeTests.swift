import Foundation
import Testing

@Suite(
    "The README",
    .enabled(if: TypeCheck.isPossible, "needs swiftc and the built modules beside the test program"))
struct ReadmeTests {
    @Test("the README's tour compiles as printed, without a warning", arguments: ClientSettings.all)
    func tour(_ settings: ClientSettings) throws {
        let check = try TypeCheck(
            program: try Self.block { $0.contains("@Model") }, settings: settings.arguments)
        #expect(check.succeeded)
        #expect(check.output.isEmpty)
    }

    @Test("the README's manifest names the package, whatever a clone's folder is called")
    func manifest() throws {
        let manifest = try Self.block { $0.hasPrefix("dependencies: [") }
        #expect(manifest.contains(".package(name: \"Switchyard\", path: "))
        #expect(manifest.contains("package: \"Switchyard\""))
    }

    /// The first block of Swift that is looked for.
    private static func block(_ isWanted: (String) -> Bool) throws -> String {
        let text = try String(contentsOf: TypeCheck.package.appending(path: "README.md"), encoding: .utf8)
        let blocks = text.components(separatedBy: "\n```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```\n").first
        }
        let found = blocks.first(where: isWanted)
        return try #require(found)
    }
}
