import Foundation
import Testing

@Suite(
    "The README",
    .enabled(if: TypeCheck.isPossible, "needs swiftc and the built modules beside the test program"))
struct ReadmeTests {
    @Test("has a tour that compiles as it is printed, without a warning")
    func tour() throws {
        let text = try String(contentsOf: TypeCheck.package.appending(path: "README.md"), encoding: .utf8)
        let start = try #require(text.firstRange(of: "\n```swift\n")).upperBound
        let end = try #require(text[start...].firstRange(of: "```\n")).lowerBound
        let check = try TypeCheck(program: String(text[start..<end]))
        #expect(check.succeeded)
        #expect(check.output.isEmpty)
    }
}
