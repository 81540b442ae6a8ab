import Foundation
import Testing

@Suite("babymonitor intent and say")
struct IntentTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    private func run(_ words: String...) async throws -> IntentAnswer {
        let outcome = try await bench.run(["intent", "run"] + words + ["--json"])
        #expect(outcome.status == 0, "\(outcome.error)")
        return try outcome.json()
    }

    @Test("the six intents are listed with their parameters and phrases")
    func list() async throws {
        struct Declaration: Decodable {
            struct Parameter: Decodable {
                let name: String
                let isRequired: Bool
            }

            let name: String
            let title: String
            let parameters: [Parameter]
            let phrases: [String]
        }
        let intents: [Declaration] = try await bench.succeed("intent", "list", "--json").json()
        #expect(
            intents.map(\.name) == [
                "StartFeeding", "FinishFeeding", "UpdateDiaperTime", "LogCustomEvent", "UndoLastAction",
                "InviteMember",
            ])
        #expect(
            intents.map(\.title) == [
                "Start Feeding", "Finish Feeding", "Log Diaper Change", "Log Custom Event", "Undo",
                "Invite to Household",
            ])
        #expect(
            intents.map { $0.parameters.map(\.name) } == [
                ["baby"], ["baby", "amount", "feedType"], ["baby", "type"], ["baby", "eventType"], [],
                ["role"],
            ])
        #expect(intents[1].parameters.map(\.isRequired) == [false, true, false])
        #expect(
            intents.flatMap(\.phrases) == [
                "Start feeding for BabyMonitor", "Finish feeding for BabyMonitor",
                "Update diaper time for BabyMonitor", "Log custom event for BabyMonitor",
                "Undo in BabyMonitor", "Invite somebody to BabyMonitor",
            ])
        let text = try await bench.succeed("intent", "list").output
        #expect(text.hasPrefix("StartFeeding: Start Feeding\n    --baby  "))
    }

    @Test("intents run with the app's words")
    func dialogs() async throws {
        _ = try await bench.succeed("seed", "--days", "0", "--babies", "2", "--until", "2025-11-06")
        _ = try await bench.succeed("baby", "add", "Zoe")
        #expect(
            try await run("StartFeeding", "--baby", "zo")
                == IntentAnswer(intent: "StartFeeding", dialog: "Started feeding Zoe.", value: nil))
        #expect(
            try await run("FinishFeeding", "--amount", "120 ml", "--feedType", "solid")
                == IntentAnswer(intent: "FinishFeeding", dialog: "Fed Zoe 120 mL.", value: "Zoe, 120, mL"))
        #expect(
            try await run("FinishFeeding", "--amount=4 oz").dialog == "No one is currently feeding.")
        #expect(
            try await run("FinishFeeding", "--baby", "Zoe", "--amount", "1").dialog
                == "No feeding session in progress for Zoe.")
        #expect(
            try await run("UpdateDiaperTime", "--baby", "Zoe").dialog == "Logged Pee diaper for Zoe")
        #expect(
            try await run("Log Diaper Change", "--baby", "Zoe", "--type", "Poo").dialog
                == "Logged Poo diaper for Zoe")
        #expect(
            try await run("LogCustomEvent", "--baby", "Zoe", "--eventType", "bath").dialog
                == "Logged 🛁 Bath for Zoe")
        let entries: [HistoryAnswer] = try await bench.succeed("history", "--baby", "Zoe", "--json").json()
        #expect(Set(entries.map(\.what)) == ["feed 120 mL solid", "diaper pee", "diaper poo", "🛁 Bath"])
    }

    @Test(
        "an amount without a unit is in fluid ounces if the environment means the United States",
        arguments: [
            (["LANG": "en_US.UTF-8"], "4 fl oz"), (["LC_ALL": "en_US"], "4 fl oz"),
            (["LC_MEASUREMENT": "en_US.UTF-8"], "4 fl oz"), (["LANG": "de_DE.UTF-8"], "4 mL"),
            (["LANG": "en_US.UTF-8", "LC_MEASUREMENT": "de_DE.UTF-8"], "4 mL"),
            (["LANG": "en_US.UTF-8", "LC_ALL": "en_GB.UTF-8", "LC_MEASUREMENT": "en_US.UTF-8"], "4 mL"),
            (["LANG": "C"], "4 mL"), (["LANG": ""], "4 mL"),
        ])
    func measurementSystem(environment: [String: String], amount: String) async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        _ = try await run("StartFeeding", "--baby", "Mia")
        let outcome = try await bench.run(
            ["intent", "run", "FinishFeeding", "--amount", "4"], environment: environment)
        #expect(outcome.output == "Fed Mia \(amount).\n", "\(outcome.error)")
    }

    @Test("a required parameter is a question at a terminal, and wrong usage elsewhere")
    func questions() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        _ = try await bench.succeed("baby", "add", "Leo")
        #expect(
            try await bench.fail(2, "intent", "run", "StartFeeding")
                == "babymonitor: StartFeeding needs a value for Baby. Give --baby with a baby: its name, the beginning of "
                + "it, or its id. Choose from: Leo, Mia.\n")
        #expect(
            try await bench.fail(2, "intent", "run", "FinishFeeding", "--baby", "Mia").contains(
                "How much did you feed? Give --amount"))
        #expect(
            try await bench.fail(2, "say", "Start feeding for BabyMonitor").contains("Give --baby"))

        #expect(
            try await bench.succeed(
                "say", "Update diaper time for BabyMonitor", "--type", "poo", "--baby=leo"
            ).output
                == "Logged Poo diaper for Leo\n")
        #expect(
            try await bench.fail(2, "say", "--amount", "1", "Start feeding for BabyMonitor")
                == "babymonitor: StartFeeding has no parameter `amount`. Choose from: baby.\n")

        let asked = try await bench.converse("say", "start feeding for babymonitor", typing: "Mia\n")
        #expect(asked.status == 0)
        #expect(asked.output == "Started feeding Mia.\n")
        #expect(asked.error.contains("Baby?"))
        let answered = try await bench.converse("intent", "run", "FinishFeeding", "--json", typing: "90 ml\n")
        #expect(try answered.json(IntentAnswer.self).dialog == "Fed Mia 90 mL.")
        #expect(answered.error.contains("How much did you feed?"))
    }

    @Test("with several babies in a feed, a question or a flag chooses one")
    func disambiguation() async throws {
        for name in ["Mia", "Leo"] {
            _ = try await bench.succeed("baby", "add", name)
            _ = try await run("StartFeeding", "--baby", name)
        }
        let error = try await bench.fail(1, "intent", "run", "FinishFeeding", "--amount", "90 ml")
        #expect(error.contains("Which baby did you mean?"))
        #expect(error.contains("Leo, Mia"))
        let asked = try await bench.converse(
            "intent", "run", "FinishFeeding", "--amount", "90 ml", typing: "Leo\n")
        #expect(asked.output == "Fed Leo 90 mL.\n")
    }

    @Test("a request in JSON comes from standard input")
    func json() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        let request = #"{"intent": "UpdateDiaperTime", "parameters": {"baby": "Mia", "type": "poo"}}"#
        #expect(
            try await bench.succeed("intent", "run", "-", input: request).output
                == "Logged Poo diaper for Mia\n")
        #expect(
            try await bench.fail(2, "intent", "run", "-", input: "{bad")
                == "babymonitor: The JSON is not a request to run an intent: it is not JSON. A request is "
                + #"{"intent": "NAME", "parameters": {"NAME": VALUE}}."# + "\n")
        for (request, fault) in [
            ("[]", "expected object"), ("7", "expected object"),
            (#"{"intent": 7}"#, "at `intent`: expected string"), ("{}", "the key `intent` is missing"),
            (#"{"intent": "UpdateDiaperTime", "parameters": []}"#, "at `parameters`: expected object"),
        ] {
            #expect(
                try await bench.fail(2, "intent", "run", "-", input: request).hasPrefix(
                    "babymonitor: The JSON is not a request to run an intent: \(fault). A request is "))
        }
        #expect(
            try await bench.fail(2, "intent", "run", "-", "--baby", "Mia", input: request)
                == "babymonitor: A request on standard input contains its parameters: put baby there, instead of --baby.\n"
        )
    }

    @Test("the common options stand before or behind the intent's name")
    func order() async throws {
        _ = try await bench.succeed("baby", "add", "Mia", "--store", "sqlite:other.sqlite")
        let store = ["--store", "sqlite:other.sqlite"]
        for words in [
            ["--json"] + store + ["StartFeeding", "--baby", "Mia"],
            ["--baby", "Mia", "Start Feeding", "--json"] + store,
            ["--store=sqlite:other.sqlite", "startfeeding", "--baby=Mia", "--json"],
        ] {
            let outcome = try await bench.run(["intent", "run"] + words)
            #expect(outcome.status == 0, "\(outcome.error)")
            #expect(
                try outcome.json(IntentAnswer.self)
                    == IntentAnswer(intent: "StartFeeding", dialog: "Started feeding Mia.", value: nil))
        }
        let said = try await bench.run(
            ["say", "--json"] + store + ["Start feeding for BabyMonitor", "--baby", "Mia"])
        #expect(try said.json(IntentAnswer.self).dialog == "Started feeding Mia.")
    }

    @Test("an intent creates no store, and says what the store lacks")
    func nothingThere() async throws {
        for words in [
            ["intent", "run", "StartFeeding", "--baby", "Mia"], ["say", "undo", "--baby", "Mia"],
            ["say", "start feeding for babymonitor", "--baby", "Mia"],
        ] {
            let outcome = try await bench.run(words)
            #expect(outcome.status == 1)
            #expect(outcome.error.contains("There is no store at"))
        }
        #expect(try bench.files().keys.sorted() == ["home"])
        try await bench.makeStore()
        #expect(
            try await bench.fail(1, "intent", "run", "StartFeeding", "--baby", "Mia")
                == "babymonitor: Baby: There is no baby `Mia`. There are no babies yet; add one with: babymonitor baby add NAME\n"
        )
        _ = try await bench.succeed("baby", "add", "Mia")
        #expect(
            try await bench.fail(1, "intent", "run", "LogCustomEvent", "--baby", "Mia", "--eventType", "Bath")
                == "babymonitor: Event Type: There is no event type `Bath`. There are no event types yet; add one with: "
                + "babymonitor event-type add NAME --emoji EMOJI\n")
    }

    @Test("help lists an intent's parameters, and opens no store")
    func help() async throws {
        #expect(
            try await bench.succeed("intent", "run", "UpdateDiaperTime", "--help").output == """
                Log Diaper Change: Records the last diaper change time for a baby.

                USAGE: babymonitor intent run UpdateDiaperTime --baby VALUE [--type VALUE] [--json] [--verbose] \
                [--store URL] [--config FILE] [--profile NAME]

                PARAMETERS:
                  --baby  a baby: its name, the beginning of it, or its id
                  --type  one of pee, poo (Pee if not given)

                PHRASES:
                  say "Update diaper time for BabyMonitor"

                """)
        #expect(
            try await bench.succeed("intent", "run", "-h", "start feeding").output.hasPrefix(
                "Start Feeding: Starts a new feeding session for a baby.\n"))
        for words in [
            ["intent", "run", "--help"], ["intent", "run", "-", "--help"], ["say", "-h"], ["help", "say"],
        ] {
            let outcome = try await bench.run(words)
            #expect(outcome.status == 0)
            #expect(
                outcome.output.contains(
                    "USAGE: babymonitor \(words.contains("run") ? "intent run NAME" : "say PHRASE")"))
        }
        #expect(try bench.files().keys.sorted() == ["home"])
    }

    @Test(
        "an unknown word is wrong usage, a missing row a failure; both list the choices"
    )
    func mistakes() async throws {
        try await bench.makeStore()
        #expect(
            try await bench.fail(2, "intent", "run", "StopFeeding").contains("Choose from: StartFeeding"))
        #expect(
            try await bench.fail(2, "intent", "run", "FinishFeeding", "--amont", "1")
                == "babymonitor: FinishFeeding has no parameter `amont`. Choose from: amount, baby, feedType.\n"
        )
        #expect(
            try await bench.fail(2, "intent", "run", "FinishFeeding", "--amount", "much")
                == "babymonitor: Amount: `much` is not an amount, such as 120 ml or 4 fl oz.\n")
        #expect(
            try await bench.fail(2, "intent", "run", "FinishFeeding", "--amount", "1", "--amount", "2")
                .contains("--amount is given twice."))
        #expect(try await bench.fail(2, "intent", "run", "StartFeeding", "Mia").contains("--NAME VALUE"))
        #expect(
            try await bench.fail(2, "intent", "run", "StartFeeding", "--baby", "--json")
                == "babymonitor: --baby needs a value: --baby VALUE, or --baby=VALUE for one that begins with two hyphens.\n"
        )
        #expect(try await bench.fail(2, "intent", "run").contains("Name the intent to run"))
        #expect(try await bench.fail(2, "say").contains("Say something"))
        #expect(
            try await bench.fail(2, "intent", "run", "NoSuch", "--help").contains(
                "There is no intent `NoSuch`"))
        #expect(
            try await bench.fail(2, "say", "Feed them all").hasPrefix(
                "babymonitor: No phrase matches `Feed them all`. Choose from: Undo in BabyMonitor, Start feeding for "
            ))
        _ = try await bench.succeed("baby", "add", "Mia")
        #expect(
            try await bench.fail(1, "intent", "run", "StartFeeding", "--baby", "Leo")
                == "babymonitor: Baby: There is no baby `Leo`. Choose from: Mia.\n")
    }
}
