import Foundation
import Testing

@Suite("babymonitor status and history")
struct HistoryTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    /// Two babies with feeds and memos, and a diaper change.
    private func fill() async throws {
        let mia = "019a540e-0000-7000-8000-00000000000a,Mia,2025-01-01T00:00:00.000Z,10800.0"
        let leo = "019a540e-0000-7000-8000-00000000000b,Leo,2025-01-01T00:00:00.000Z,9000.0"
        let feeds = """
            id,startTime,endTime,amountValue,amountUnitSymbol,feedType,memoText,profile,profile.name,profile.createdAt,\
            profile.feedTerm
            019a540e-0000-7000-8000-000000000004,2025-03-02T09:00:00.000Z,,,,,,\(mia)
            019a540e-0000-7000-8000-000000000003,2025-03-02T06:59:59.000Z,2025-03-02T07:10:00.000Z,4.0,fl oz,solid,\
            Peas #Erbsen,\(leo)
            019a540e-0000-7000-8000-000000000002,2025-03-01T12:00:00.000Z,2025-03-01T12:10:00.000Z,80.5,mL,babyFormula,\
            Slept at once. #night,\(mia)
            019a540e-0000-7000-8000-000000000001,2025-03-01T08:00:00.000Z,2025-03-01T08:20:00.000Z,,,breastFeed,\
            "#nightmare, ÉTÉ",\(mia)


            """
        _ = try await bench.succeed("import", "feeds", "-", input: feeds)
        _ = try await bench.succeed(
            "import", "diapers", "-", input: "babyName,timestamp,diaperType\nleo,2025-03-01T10:00:00Z,poo")
    }

    private func history(_ options: String...) async throws -> [String] {
        let outcome = try await bench.run(["history", "--json"] + options)
        #expect(outcome.status == 0)
        return try outcome.json([HistoryAnswer].self).map { "\($0.time.formatted(.iso8601)) \($0.what)" }
    }

    @Test("babymonitor history lists entries newest first, with all that each says")
    func everything() async throws {
        try await fill()
        #expect(
            try await history() == [
                "2025-03-02T09:00:00Z feed (in progress)", "2025-03-02T06:59:59Z feed 4 fl oz solid",
                "2025-03-01T12:00:00Z feed 80.5 mL babyFormula", "2025-03-01T10:00:00Z diaper poo",
                "2025-03-01T08:00:00Z feed breastFeed",
            ])
        #expect(
            try await bench.succeed("history", "--limit", "2").output == """
                2025-03-02 09:00  Mia  feed (in progress)
                2025-03-02 06:59  Leo  feed 4 fl oz solid  Peas #Erbsen

                """)
        let entries: [HistoryAnswer] = try await bench.succeed("history", "--json").json()
        #expect(entries.map(\.kind) == ["feed", "feed", "feed", "diaper", "feed"])
        #expect(entries.map(\.baby) == ["Mia", "Leo", "Mia", "Leo", "Mia"])
        #expect(entries[0].id == "019a540e-0000-7000-8000-000000000004")
        #expect(entries[4].memo == "#nightmare, ÉTÉ")
    }

    @Test("babymonitor history can be limited to one baby and a span of time")
    func filters() async throws {
        try await fill()
        #expect(
            try await history("--baby", "leo") == [
                "2025-03-02T06:59:59Z feed 4 fl oz solid", "2025-03-01T10:00:00Z diaper poo",
            ])
        #expect(
            try await history("--since", "2025-03-01T10:00:00Z", "--until", "2025-03-02T06:59:59Z") == [
                "2025-03-01T12:00:00Z feed 80.5 mL babyFormula", "2025-03-01T10:00:00Z diaper poo",
            ])
        // The day begins at seven: one second before belongs to the day before.
        #expect(try await history("--since", "2025-03-02") == ["2025-03-02T09:00:00Z feed (in progress)"])
        #expect(try await history("--since", "2025-03-01", "--until", "2025-03-02").count == 4)
        #expect(try await history("--since", "2026-01-01") == [])
        #expect(try await history("--limit", "0") == [])
        #expect(
            try await bench.fail(1, "history", "--baby", "Zoe")
                == "babymonitor: There is no baby `Zoe`. Choose from: Leo, Mia.\n")
        #expect(try await bench.fail(2, "history", "--limit=-1").contains("--limit cannot be negative"))
    }

    @Test("babymonitor history accepts a time as it prints it, local or with a zone")
    func times() async throws {
        try await fill()
        let seoul = ["TZ": "Asia/Seoul"]
        // 07:00 in UTC is 16:00 in Seoul.
        for since in [
            "2025-03-02 16:00", "2025-03-02T16:00", "2025-03-02 15:59:59.5", "2025-03-02T16:00:00",
            "2025-03-02T07:00:00Z",
            "2025-03-02T07:00Z", "2025-03-02 08:00+01:00",
        ] {
            let outcome = try await bench.run(["history", "--json", "--since", since], environment: seoul)
            #expect(try outcome.json([HistoryAnswer].self).count == 1, "\(since): \(outcome.error)")
        }
        let printed = try await bench.run(["history", "--limit", "1"], environment: seoul)
        #expect(printed.output.hasPrefix("2025-03-02 18:00  "))
        let forms =
            "2026-11-19, '2026-11-19 10:00' or 2026-11-19T10:00:30 by the clock here, or 2026-11-19T10:00:00Z with its zone"
        for text in ["yesterday", "2025-02-30", "2025-03-02 25:00", "2025-03-02  10:00", "10:00", ""] {
            for option in ["--since", "--until"] {
                let error = try await bench.fail(2, "history", option, text)
                #expect(
                    error.hasPrefix(
                        "babymonitor: The value '\(text)' is invalid for '\(option) <time>': That is neither a time nor a day. "
                            + "\(option) <time>: Only "))
                #expect(error.contains(" time or day\(option == "--since" ? " on" : ""): \(forms). See "))
            }
            let error = try await bench.fail(2, "seed", "--until", text)
            #expect(error.contains("When the logs end, if not now: \(forms)."))
        }
        let help = try await bench.succeed("history", "--help").output.split(whereSeparator: \.isWhitespace)
        #expect(help.joined(separator: " ").contains(forms))
    }

    @Test("babymonitor history as JSON has all values of each entry, null if there is no value")
    func data() async throws {
        try await fill()
        let feed = try await bench.succeed("history", "--json", "--baby", "Leo", "--limit", "1").members()
        #expect(
            feed.filter { $0.key != "hashtags" } == [
                "id": "019a540e-0000-7000-8000-000000000003", "kind": "feed",
                "time": "2025-03-02T06:59:59.000Z",
                "babyID": "019a540e-0000-7000-8000-00000000000b", "baby": "Leo", "what": "feed 4 fl oz solid",
                "memo": "Peas #Erbsen", "end": "2025-03-02T07:10:00.000Z",
                "amount": "4", "amountUnit": "fl oz", "feedType": "solid", "diaperType": nil,
                "eventName": nil,
                "eventEmoji": nil, "loggedBy": nil,
            ])
        let diaper = try await bench.succeed(
            "history", "--json", "--until", "2025-03-01T12:00:00Z", "--limit", "1"
        )
        .members()
        #expect(diaper["diaperType"] == "poo")
        for name in ["memo", "end", "amount", "amountUnit", "feedType", "eventName", "eventEmoji"] {
            #expect(diaper[name] == .some(nil), "\(name)")
        }
        _ = try await bench.succeed("seed", "--days", "0", "--until", "2025-11-06")
        _ = try await bench.succeed("intent", "run", "LogCustomEvent", "--baby", "Leo", "--eventType", "bath")
        let event = try await bench.succeed("history", "--json", "--limit", "1").members()
        #expect(event["eventName"] == "Bath")
        #expect(event["eventEmoji"] == "🛁")
        #expect(event["end"] == .some(nil))
    }

    @Test("babymonitor status as JSON has the last amount and the feeding interval, null if unknown")
    func statusData() async throws {
        try await fill()
        let leo = try await bench.succeed("status", "--json").members()
        #expect(
            leo == [
                "id": "019a540e-0000-7000-8000-00000000000b", "name": "Leo", "feedTermMinutes": "150",
                "isFeeding": "0",
                "feedingSince": nil, "lastFeedStart": "2025-03-02T06:59:59.000Z",
                "lastFeedEnd": "2025-03-02T07:10:00.000Z",
                "lastFeedAmount": "4", "lastFeedAmountUnit": "fl oz", "lastFeedType": "solid",
                "lastDiaperChange": "2025-03-01T10:00:00.000Z", "needsFeed": "1",
                "needsDiaperChange": "1",
            ])
    }

    @Test("a day without a time begins at the app's start of day")
    func startOfDay() async throws {
        try await fill()
        let defaults = bench.url("home/.local/share/app-groups/group.sungdoo.babyDashboard/Defaults")
        try FileManager.default.createDirectory(at: defaults, withIntermediateDirectories: true)
        // The app's keys, startOfDayHour and startOfDayMinute, as file names.
        try Data(#"{"integer":6}"#.utf8).write(to: defaults.appending(path: "start%4Ff%44ay%48our.json"))
        try Data(#"{"integer":59}"#.utf8).write(to: defaults.appending(path: "start%4Ff%44ay%4Dinute.json"))
        #expect(
            try await history("--since", "2025-03-02") == [
                "2025-03-02T09:00:00Z feed (in progress)", "2025-03-02T06:59:59Z feed 4 fl oz solid",
            ])
        #expect(try await history("--since", "2025-03-02T07:00:00Z").count == 1)
    }

    @Test("babymonitor history searches text without regard to case and accents, and whole hashtags")
    func search() async throws {
        try await fill()
        #expect(try await history("--search", "SLEPT") == ["2025-03-01T12:00:00Z feed 80.5 mL babyFormula"])
        #expect(try await history("--search", "ete") == ["2025-03-01T08:00:00Z feed breastFeed"])
        #expect(try await history("--search", "night").count == 2)
        #expect(try await history("--search", "#NIGHT") == ["2025-03-01T12:00:00Z feed 80.5 mL babyFormula"])
        #expect(try await history("--search", "#erbsen", "--baby", "Mia") == [])
        #expect(try await history("--search", "%") == [])
    }

    @Test("status shows the feed in progress, the last feed and the last change")
    func status() async throws {
        try await fill()
        let statuses: [StatusAnswer] = try await bench.succeed("status", "--json").json()
        let date = ISO8601DateFormatter()
        #expect(
            statuses == [
                StatusAnswer(
                    name: "Leo", isFeeding: false, feedingSince: nil,
                    lastFeedStart: date.date(from: "2025-03-02T06:59:59Z"),
                    lastDiaperChange: date.date(from: "2025-03-01T10:00:00Z"), needsFeed: true,
                    needsDiaperChange: true),
                StatusAnswer(
                    name: "Mia", isFeeding: true, feedingSince: date.date(from: "2025-03-02T09:00:00Z"),
                    lastFeedStart: date.date(from: "2025-03-02T09:00:00Z"), lastDiaperChange: nil,
                    needsFeed: false, needsDiaperChange: false),
            ])
        let lines = try await bench.succeed("status").output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("Leo: fed ") && lines[0].contains("(4 fl oz), feed due; diaper "))
        #expect(lines[1].hasPrefix("Mia: feeding for ") && lines[1].hasSuffix("; no diaper change"))
    }

    @Test("an empty store says what to do, and is an empty list as JSON")
    func nothing() async throws {
        try await bench.makeStore()
        #expect(
            try await bench.succeed("status").output
                == "There are no babies yet; add one with: babymonitor baby add NAME\n")
        #expect(try await bench.succeed("status", "--json").json([StatusAnswer].self) == [])
        #expect(try await history() == [])
    }
}
