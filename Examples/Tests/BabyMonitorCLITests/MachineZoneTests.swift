import Foundation
import Testing

@Suite("The machine's time zone")
struct MachineZoneTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    private func fill() async throws {
        _ = try await bench.succeed(
            "import", "feeds", "-", "--create-babies", input: "Mia,2026-07-01T12:00:00Z,4,fl oz,solid")
    }

    @Test(
        "an hour that the clocks show twice or never is refused, with what to write instead",
        arguments: [("2026-10-25 02:30", "twice"), ("2026-03-29 02:30", "never")])
    func unclear(since: String, times: String) async throws {
        let answer = try await bench.run(
            ["history", "--since", since], environment: ["TZ": "Europe/Berlin"])
        #expect(answer.status == 2)
        #expect(answer.error.contains("The clocks show that time \(times) on that day"), "\(answer.error)")
        #expect(answer.output == "")
    }

    @Test(
        "a machine's time zone that Foundation cannot read is an error for input, and a warning for output",
        arguments: [
            "EST5EDT,M3.2.0,M11.1.0", "CET-1CEST", "Mars/Base", "/usr/share/zoneinfo/Europe/Berlin",
        ])
    func unreadable(variable: String) async throws {
        try await fill()
        let zone = ["TZ": variable]
        let message =
            "The variable TZ holds '\(variable)', which is not read as the name of a time zone. Set it to one, such as "
            + "America/New_York, or unset it."
        for since in ["2026-07-01 10:00", "2026-07-01"] {
            let given = try await bench.run(["history", "--since", since], environment: zone)
            #expect(given.status == 2)
            #expect(given.error.contains(message), "\(given.error)")
            #expect(given.output == "")
        }
        let shown = try await bench.run(["history"], environment: zone)
        #expect(shown.error == "babymonitor: \(message) Until then, times are shown in UTC.\n")
        #expect(shown.output == "2026-07-01 12:00  Mia  feed 4 fl oz solid\n")
        // Times with a zone need none.
        let zoned = try await bench.run(
            ["history", "--json", "--since", "2026-07-01T11:00:00Z"], environment: zone)
        #expect(zoned.error == "")
        #expect(try zoned.json([HistoryAnswer].self).count == 1)
    }

    @Test(
        "the machine's time zone is read as the system reads it",
        arguments: [
            ("America/New_York", "08:00"), (":America/New_York", "08:00"), ("EST5EDT", "08:00"),
            ("EST", "07:00"),
            ("UTC0", "12:00"), ("JST-9", "21:00"), ("<+03>-3", "15:00"), ("GMT+2", "10:00"),
            ("<-0330>3:30", "08:30"), ("Etc/GMT+5", "07:00"),
        ])
    func readable(variable: String, time: String) async throws {
        try await fill()
        let shown = try await bench.run(["history"], environment: ["TZ": variable])
        #expect(shown.error == "")
        #expect(shown.output == "2026-07-01 \(time)  Mia  feed 4 fl oz solid\n")
        let since = try await bench.run(
            ["history", "--json", "--since", "2026-07-01 \(time)"], environment: ["TZ": variable])
        #expect(try since.json([HistoryAnswer].self).count == 1)
        let later = try await bench.run(
            ["history", "--json", "--since", "2026-07-01 \(time):00.001"], environment: ["TZ": variable])
        #expect(try later.json([HistoryAnswer].self).count == 0)
    }
}
