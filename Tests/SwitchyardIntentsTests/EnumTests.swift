import SwitchyardIntents
import Testing

private enum Size: Int, IntentEnum {
    case small = 1
    case large = 2
    static let typeDisplayRepresentation: TypeDisplayRepresentation = "Size"
    static let caseDisplayRepresentations: [Self: DisplayRepresentation] = [.large: "Big One"]
}

@Suite("Enums found by text")
struct EnumTests {
    @Test(
        "by raw value, name or title in any case",
        arguments: [
            ("babyFormula", FeedType.babyFormula), ("BABYFORMULA", .babyFormula),
            ("baby formula", .babyFormula),
            ("Breast  Feed", .breastFeed), (" solid ", .solid), ("solid food", .solid),
        ])
    func text(text: String, type: FeedType) async throws {
        guard case .value(let found) = try await FeedType.resolve(.text(text), in: try Miniature().context)
        else {
            Issue.record("\(text) is not ambiguous")
            return
        }
        #expect(found == type)
    }

    @Test("a case with a number for its raw value has a name too", arguments: ["2", "large", "big one"])
    func numbers(text: String) async throws {
        guard case .value(let found) = try await Size.resolve(.text(text), in: try Miniature().context) else {
            Issue.record("\(text) is not ambiguous")
            return
        }
        #expect(found == .large)
    }

    @Test("a case without a title is called by its raw value")
    func untitled() {
        #expect(Size.small.displayRepresentation == "1")
    }

    @Test("the beginning of a case is not enough, and the error lists the likeliest first")
    func unknown() async throws {
        let app = try Miniature()
        let error = await #expect(throws: IntentError.self) {
            try await app.said("UpdateDiaperTime", ["baby": "Mia", "type": "po"])
        }
        #expect(error?.code == .invalidValue)
        #expect(error?.parameter == "type")
        #expect(error?.explanation == "Type: `po` is not one of pee, poo. Choose from: poo, pee.")
    }
}
