import Foundation
import SwitchyardCore
import SwitchyardIntents
import Testing

private struct Count: Intent {
    static let title = "Count"
    @Parameter(title: "Number") var number: Int
    @Parameter(title: "Half") var half: Double?
    @Parameter(title: "Flag") var flag: Bool?
    func perform(_ run: IntentRun) async throws -> IntentResult {
        .result(value: [number, half.map { Int($0 * 2) } ?? 0, flag == true ? 1 : 0])
    }
}

@Suite("Intents run from JSON")
struct JSONTests {
    private func result(_ json: String, pouring: Bool = true) async throws -> String {
        let app = try Miniature()
        if pouring { _ = try await app.said("StartPouring", ["guest": "Mia"]) }
        return try CanonicalJSON.text(try await app.registry.run(json: Data(json.utf8), in: app.context))
    }

    @Test(
        "an amount in a JSON request may be an object, text or a number",
        arguments: [
            #"{"value": 120, "unit": "ml"}"#, #""120 ml""#, "120", "120.0", #""120""#,
            #"{"value": 0.12e3, "unit": "milliliters"}"#,
        ])
    func amounts(amount: String) async throws {
        #expect(
            try await result(
                #"{"intent": "FinishPouring", "parameters": {"amount": \#(amount), "drinkType": "greenTea"}}"#
            )
                == #"{"dialog":"Poured Mia 120 mL.","intent":"FinishPouring","value":"Mia, 120.0, mL"}"#)
    }

    @Test("a JSON request may use the intent's title, and null means not given")
    func nulls() async throws {
        #expect(
            try await result(
                #"{"intent": "finish pouring", "parameters": {"guest": null, "amount": "4 oz", "drinkType": null}}"#
            )
                == #"{"dialog":"Poured Mia 4 fl oz.","intent":"FinishPouring","value":"Mia, 4.0, fl oz"}"#)
    }

    @Test("a JSON request may omit parameters, and a result without a value has null")
    func noValue() async throws {
        #expect(
            try await result(#"{"intent": "UpdatePotTime", "parameters": {"guest": "Mia"}}"#)
                == #"{"dialog":"Logged Glass pot for Mia","intent":"UpdatePotTime","value":null}"#)
        #expect(
            await #expect(throws: IntentError.self) { try await result(#"{"intent": "StartPouring"}"#) }?.code
                == .missingParameter)
    }

    @Test("numbers and booleans of a JSON request keep their values, large integers included")
    func scalars() async throws {
        let registry = try IntentRegistry([Count.self])
        let json =
            #"{"intent": "Count", "parameters": {"number": 9007199254740993, "half": 1.5, "flag": true}}"#
        let result = try await registry.run(json: Data(json.utf8), in: Miniature().context)
        #expect(
            try CanonicalJSON.text(result)
                == #"{"dialog":null,"intent":"Count","value":[9007199254740993,3,1]}"#)
    }

    @Test(
        "invalid values of a JSON request are errors of their parameter",
        arguments: [
            (#"{"value": 120, "unit": "stone"}"#, "Amount: `stone` is not a unit of volume."),
            (#"{"value": -1, "unit": "ml"}"#, "Amount: An amount cannot be negative or infinite."),
            (#"true"#, "Amount: `true` is not an amount, such as 120 ml or 4 fl oz."),
            (#""""#, "Amount: An empty text is not an amount, such as 120 ml or 4 fl oz."),
        ])
    func values(amount: String, message: String) async throws {
        let error = await #expect(throws: IntentError.self) {
            try await result(#"{"intent": "FinishPouring", "parameters": {"amount": \#(amount)}}"#)
        }
        #expect(error?.code == .invalidValue)
        #expect(error?.parameter == "amount")
        #expect(error?.message == message)
    }

    @Test("a number with a unit is not accepted as a plain number")
    func quantityForEntity() async throws {
        let error = await #expect(throws: IntentError.self) {
            try await result(
                #"{"intent": "StartPouring", "parameters": {"guest": {"value": 1, "unit": "ml"}}}"#)
        }
        #expect(error?.code == .invalidValue)
        #expect(
            error?.message
                == "Guest: A number with a unit is not a guest: its name, the beginning of it, or its id.")
    }

    @Test(
        "an invalid JSON request says where and why",
        arguments: [
            ("", "it is not JSON"),
            ("{", "it is not JSON"),
            ("[]", "expected object"),
            ("{}", "the key `intent` is missing"),
            (#"{"intent": 5}"#, "at `intent`: expected string"),
            (
                #"{"intent": "FinishPouring", "parameters": {"amount": 1, "amount": 2}}"#,
                "it is not UTF-8, or has a key twice"
            ),
            (
                #"{"intent": "StartPouring", "intent": "FinishPouring"}"#,
                "it is not UTF-8, or has a key twice"
            ),
            (#"{"intent": "StartPouring", "params": {}}"#, "at `params`: unknown key"),
            (#"{"intent": "StartPouring", "parameters": []}"#, "at `parameters`: expected object"),
            (
                #"{"intent": "StartPouring", "parameters": {"guest": ["Mia"]}}"#,
                "at `parameters.guest`: expected text, a number, true, false, or an object with value and unit"
            ),
            (
                #"{"intent": "FinishPouring", "parameters": {"amount": {"value": 1}}}"#,
                "at `parameters.amount`: an object must have the keys value and unit"
            ),
            (
                #"{"intent": "FinishPouring", "parameters": {"amount": {"value": "1", "unit": "ml"}}}"#,
                "at `parameters.amount.value`: expected number"
            ),
        ])
    func malformed(json: String, complaint: String) async throws {
        let error = await #expect(throws: IntentError.self) { try await result(json, pouring: false) }
        #expect(error?.code == .malformedRequest)
        #expect(
            error?.message.hasPrefix("The JSON is not a request to run an intent: \(complaint)") == true,
            "\(error?.message ?? "no error")")
    }

    @Test("an intent's error is returned as JSON")
    func errors() async throws {
        let app = try Miniature()
        let error = await #expect(throws: IntentError.self) {
            try await app.said("StartPouring", ["guest": "m"])
        }
        #expect(
            try CanonicalJSON.text(try #require(error))
                == #"{"choices":["Max","Mia"],"code":"needsDisambiguation","intent":"StartPouring","#
                + #""message":"Which guest did you mean? Several fit; give --guest with one of them, or with its id.","#
                + #""parameter":"guest"}"#)
    }
}
