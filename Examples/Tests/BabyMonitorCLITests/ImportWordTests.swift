import Foundation
import Testing

@Suite("babymonitor import of times without a zone and of unknown words")
struct ImportWordTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    private func history() async throws -> [String] {
        try await bench.succeed("history").output.split(separator: "\n").map(String.init)
    }

    @Test("an import reads units as intents do, and names unknown ones with the known ones")
    func units() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        _ = try await bench.succeed(
            "import", "feeds", "-", input: "Mia,2025-11-06T18:00:00Z,4,oz\nMia,2025-11-06T19:00:00Z,4,litre")
        #expect(
            try await history() == [
                "2025-11-06 19:00  Mia  feed 4 L babyFormula",
                "2025-11-06 18:00  Mia  feed 4 fl oz babyFormula",
            ])
        let unknown = "Mia,2025-11-06T20:00:00Z,4,spoon,cake\nMia,2025-11-06T21:00:00Z,4,mL,cake\n"
        #expect(
            try await bench.fail(1, "import", "feeds", "-", input: unknown)
                == "babymonitor: Nothing was imported, because 2 rows are invalid: Line 1: invalid amountUnit 'spoon'; "
                + "Line 2: invalid feedType 'cake'. The units are mL, fl oz, L and cup, or their names. With "
                + "--accept-unknown, others count as mL. The feed types are babyFormula, breastFeed and solid. With "
                + "--accept-unknown, others count as formula. Correct the file, or give --skip-invalid to import the "
                + "other rows.\n")
        #expect(
            try await bench.succeed("import", "feeds", "-", "--accept-unknown", input: unknown).output == """
                Imported 2 feeds, skipped 0.
                Unknown units in 1 row that counts as mL: spoon.
                Unknown feed types in 2 rows that count as formula: cake.

                """)
    }

    @Test("times without a zone need one, and a choice if clocks show an hour twice")
    func times() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        let text = "Mia,2026-11-01 01:30,1,mL\nMia,2026-07-01T08:00:00,1,mL\n"
        let bare = try await bench.fail(1, "import", "feeds", "-", input: text)
        #expect(bare.contains("Line 1: invalid timestamp '2026-11-01 01:30' (without a zone); Line 2: "))
        #expect(
            bare.contains(
                "Timestamps without a zone, such as 2025-11-06T18:34:39 or 2025-11-06 18:34, need the zone of their clocks. "
                    + "Give it by --time-zone, such as --time-zone Europe/Berlin."))
        let zone = ["--time-zone", "America/New_York"]
        let twice = try await bench.run(["import", "feeds", "-"] + zone, input: text)
        #expect(twice.status == 1)
        #expect(
            twice.error.contains(
                "Line 1: invalid timestamp '2026-11-01 01:30' (clocks showed it twice). When summer time ends, clocks show "
                    + "an hour twice: choose the first or the second. Give --repeated-hour first or second."
            ))
        let outcome = try await bench.run(
            ["import", "feeds", "-", "--repeated-hour", "second"] + zone, input: text)
        #expect(outcome.output == "Imported 2 feeds, skipped 0.\n", "\(outcome.error)")
        #expect(
            try await history() == [
                "2026-11-01 06:30  Mia  feed 1 mL babyFormula",
                "2026-07-01 12:00  Mia  feed 1 mL babyFormula",
            ])
    }

    @Test("an unknown zone, and a choice without a zone, are refused")
    func usage() async throws {
        #expect(
            try await bench.fail(2, "import", "feeds", "-", "--time-zone", "Mars/Base")
                .contains("No time zone has this name."))
        #expect(
            try await bench.fail(2, "import", "feeds", "-", "--time-zone", "UTC", "--repeated-hour", "third")
                .contains("Write first or second."))
        #expect(
            try await bench.fail(2, "import", "feeds", "-", "--repeated-hour", "first")
                .contains("--repeated-hour needs --time-zone."))
    }
}
