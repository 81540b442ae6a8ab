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
        "an enum parameter is found by raw value, name or title in any case",
        arguments: [
            ("greenTea", DrinkType.greenTea), ("GREENTEA", .greenTea),
            ("green tea", .greenTea),
            ("Black  Tea", .blackTea), (" cocoa ", .cocoa), ("hot cocoa", .cocoa),
        ])
    func text(text: String, type: DrinkType) async throws {
        guard case .value(let found) = try await DrinkType.resolve(.text(text), in: try Miniature().context)
        else {
            Issue.record("\(text) is not ambiguous")
            return
        }
        #expect(found == type)
    }

    @Test("an enum case with a numeric raw value is found by its name", arguments: ["2", "large", "big one"])
    func numbers(text: String) async throws {
        guard case .value(let found) = try await Size.resolve(.text(text), in: try Miniature().context) else {
            Issue.record("\(text) is not ambiguous")
            return
        }
        #expect(found == .large)
    }

    @Test("an enum case without a title is called by its raw value")
    func untitled() {
        #expect(Size.small.displayRepresentation == "1")
    }

    @Test("the beginning of an enum case is not enough, and the error lists the likeliest first")
    func unknown() async throws {
        let app = try Miniature()
        let error = await #expect(throws: IntentError.self) {
            try await app.said("UpdatePotTime", ["guest": "Mia", "type": "ir"])
        }
        #expect(error?.code == .invalidValue)
        #expect(error?.parameter == "type")
        #expect(error?.explanation == "Type: `ir` is not one of glass, iron. Choose from: iron, glass.")
    }
}
