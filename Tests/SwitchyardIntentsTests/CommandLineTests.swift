import Foundation
import SwitchyardIntents
import Testing

/// One parameter of each plain type.
private struct Everything: Intent {
    static let title = "Everything"
    @Parameter(title: "Text") var text: String?
    @Parameter(title: "Flag") var flag: Bool?
    @Parameter(title: "Whole") var whole: Int?
    @Parameter(title: "Number") var number: Double?
    @Parameter(title: "Time") var time: Date?

    func perform(_ run: IntentRun) async throws -> IntentResult {
        let seconds = time.map { String($0.timeIntervalSince1970) }
        let parts = [text, flag.map { "\($0)" }, whole.map { "\($0)" }, number.map { "\($0)" }, seconds]
        return .result(value: parts.map { $0 ?? "-" }.joined(separator: "|"))
    }
}

@Suite("Intents run by name with parameters as text")
struct CommandLineTests {
    private func everything(_ parameters: [String: String]) async throws -> String? {
        let app = try Miniature()
        return try await IntentRegistry([Everything.self]).run("everything", parameters, in: app.context)
            .value as? String
    }

    @Test("parameters of plain types are read from text")
    func plainTypes() async throws {
        #expect(try await everything([:]) == "-|-|-|-|-")
        #expect(
            try await everything([
                "text": " kept as it is ", "flag": "Yes", "whole": "-42", "number": "2,5",
                "time": "2026-11-21T08:30:00.5Z",
            ]) == " kept as it is |true|-42|2.5|1795249800.5")
        #expect(
            try await everything(["flag": "off", "whole": "9223372036854775807"])
                == "-|false|9223372036854775807|-|-")
    }

    @Test(
        "text that is not a value of the parameter's type is refused, with the expected form",
        arguments: [
            ("flag", "maybe", "Flag: `maybe` is not true or false."),
            ("whole", "4.5", "Whole: `4.5` is not a whole number."),
            ("whole", "9223372036854775808", "Whole: `9223372036854775808` is not a whole number."),
            ("whole", "", "Whole: An empty text is not a whole number."),
            ("number", "nan", "Number: `nan` is not a number."),
            ("number", "1e5", "Number: `1e5` is not a number."),
            ("time", "yesterday", "Time: `yesterday` is not a date and time, such as 2026-11-21T08:30:00Z."),
        ])
    func wrongTypes(parameter: String, text: String, message: String) async throws {
        let error = await #expect(throws: IntentError.self) { try await everything([parameter: text]) }
        #expect(error?.code == .invalidValue)
        #expect(error?.intent == "Everything")
        #expect(error?.parameter == parameter)
        #expect(error?.message == message)
    }

    @Test("an intent is found by name or title in any case")
    func names() async throws {
        let app = try Miniature()
        for name in [
            "UpdatePotTime", "updatepottime", "Log Pot Change", "log  pot change",
            "LOG POT CHANGE",
        ] {
            #expect(try await app.said(name, ["guest": "Mia"]) == "Logged Glass pot for Mia")
        }
    }

    @Test("an unknown intent is an error with the likeliest first")
    func unknownIntent() async throws {
        let app = try Miniature()
        let error = await #expect(throws: IntentError.self) { try await app.said("FinishPoring") }
        #expect(error?.code == .unknownIntent)
        #expect(error?.message == "There is no intent `FinishPoring`.")
        #expect(error?.choices == ["FinishPouring", "StartPouring", "UpdatePotTime", "LogCustomOrder"])
    }

    @Test("a parameter's name is found in any case, with or without hyphens")
    func parameterNames() async throws {
        let app = try Miniature()
        _ = try await app.said("StartPouring", ["Guest": "Mia"])
        #expect(
            try await app.said("FinishPouring", ["AMOUNT": "1 cup", "drink-type": "blacktea"])
                == "Poured Mia 1 cup.")
        #expect(app.room.read(\.log) == ["Mia 1 cup blackTea"])
    }

    @Test("an unknown parameter is an error with the likeliest first, and nothing is performed")
    func unknownParameter() async throws {
        let app = try Miniature()
        let error = await #expect(throws: IntentError.self) {
            try await app.said("UpdatePotTime", ["guest": "Mia", "tpye": "iron"])
        }
        #expect(error?.code == .unknownParameter)
        #expect(error?.message == "UpdatePotTime has no parameter `tpye`.")
        #expect(error?.choices == ["type", "guest"])
        #expect(app.room.read(\.log).isEmpty)
    }

    @Test("a parameter that is given twice is an error")
    func twice() async throws {
        let app = try Miniature()
        let error = await #expect(throws: IntentError.self) {
            try await app.said("FinishPouring", ["drinkType": "cocoa", "drink-type": "cocoa", "amount": "1"])
        }
        #expect(error?.code == .unknownParameter)
        #expect(error?.message == "The parameter drinkType is given twice.")
    }

    @Test("a missing parameter is an error that says how to give it")
    func missing() async throws {
        let app = try Miniature()
        let amount = await #expect(throws: IntentError.self) {
            try await app.said("FinishPouring", ["guest": "Mia"])
        }
        #expect(amount?.code == .missingParameter)
        #expect(amount?.intent == "FinishPouring")
        #expect(amount?.parameter == "amount")
        #expect(
            amount?.message
                == "FinishPouring needs a value for Amount: How much did you pour? Give --amount with an amount, such as "
                + "120 ml or 4 fl oz.")
        let guest = await #expect(throws: IntentError.self) { try await app.said("StartPouring") }
        #expect(
            guest?.explanation
                == "StartPouring needs a value for Guest. Give --guest with a guest: its name, the beginning of it, or "
                + "its id. Choose from: Amélie Rose, Max, Mia.")
        #expect(
            guest?.description
                == "missingParameter: StartPouring needs a value for Guest. Give --guest with a guest: its name, the "
                + "beginning of it, or its id. [StartPouring.guest]")
        #expect(guest?.localizedDescription == guest?.explanation)
    }

    @Test("a refusal quotes the caller's text on one line, shortened")
    func quoting() async throws {
        let app = try Miniature()
        let error = await #expect(throws: IntentError.self) {
            try await app.said("a\u{1B}[2Jb\n" + String(repeating: "x", count: 1_000))
        }
        #expect(
            error?.message
                == "There is no intent `a\u{FFFD}[2Jb\u{FFFD}" + String(repeating: "x", count: 73) + "…`.")
    }

    @Test(
        "an amount without a unit is in the person's units",
        arguments: [
            (Locale.MeasurementSystem.us, "Poured Mia 4.5 fl oz.", "Mia, 4.5, fl oz"),
            (.metric, "Poured Mia 4.5 mL.", "Mia, 4.5, mL"),
            (.uk, "Poured Mia 4.5 mL.", "Mia, 4.5, mL"),
        ])
    func units(system: Locale.MeasurementSystem, dialog: String, value: String) async throws {
        let app = try Miniature(measurementSystem: system)
        _ = try await app.said("StartPouring", ["guest": "Mia"])
        let result = try await app.registry.run("FinishPouring", ["amount": "4.5"], in: app.context)
        #expect(result.dialog?.text == dialog)
        #expect(result.value as? String == value)
    }

    @Test(
        "a number that does not end in a digit has no unit either",
        arguments: [
            ("4.", "Poured Mia 4 fl oz."), ("4,5 ", "Poured Mia 4.5 fl oz."), ("4. ml", "Poured Mia 4 mL."),
        ])
    func numberAlone(amount: String, dialog: String) async throws {
        let app = try Miniature(measurementSystem: .us)
        _ = try await app.said("StartPouring", ["guest": "Mia"])
        #expect(try await app.said("FinishPouring", ["amount": amount]) == dialog)
    }
}
