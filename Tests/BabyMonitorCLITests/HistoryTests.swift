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

    @Test("history is newest first, with what each entry says")
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

    @Test("history of one baby, from one time on and before another")
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
        #expect(try await bench.fail(2, "history", "--since", "yesterday").contains("yesterday"))
        #expect(try await bench.fail(2, "history", "--limit=-1").contains("--limit cannot be negative"))
    }

    @Test("a day without a time begins when the app is set to begin it")
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

    @Test("history is searched for text without regard to case and accents, and for whole hashtags")
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
