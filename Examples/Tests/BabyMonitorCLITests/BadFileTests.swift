import Foundation
import Testing

@Suite("CSV files that cannot be imported")
struct BadFileTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    /// Imports a file of a store's own history with something wrong at its end.
    private func refusal(_ file: String) async throws -> String {
        _ = try await bench.succeed("seed", "--days", "2", "--until", "2025-11-06")
        let before = try await contents()
        let error = try await bench.fail(1, "import", "feeds", file, "--create-babies")
        #expect(try await contents() == before)
        #expect(try await bench.succeed("store", "check").output == "The store is sound.\n")
        return error
    }

    private func contents() async throws -> [String] {
        [
            try await bench.succeed("export", "feeds", "--format", "full").output,
            try await bench.succeed("export", "diapers", "--format", "full").output,
            try await bench.succeed("baby", "list").output,
        ]
    }

    private static let good = "babyName,timestamp,amountValue\nZoe,2025-11-06T18:34:39.946Z,80\n"

    @Test(
        "a CSV file with invalid text is refused by line and column",
        arguments: [
            (Data("Zoe,2025-11-06T18:34:39.946Z,8\0\n".utf8), "Line 3, column 3: The field holds U+0000"),
            (Data("Zo".utf8) + [0xFF] + Data(",x\n".utf8), "Line 3, column 1: The field is not valid UTF-8"),
            (Data("Zoe,\"2025-11-06\n\n".utf8), "Line 3, column 2: "),
            (Data("Zoe,20\"25,\n".utf8), "Line 3, column 2: An unquoted field contains a quote."),
            (Data("Zoe,\"2025\"-11,\n".utf8), "Line 3, column 2: "),
        ])
    func text(row: Data, message: String) async throws {
        try (Data(Self.good.utf8) + row).write(to: bench.url("bad.csv"))
        let error = try await refusal("bad.csv")
        #expect(error.hasPrefix("babymonitor: \(message)"), "\(error)")
        #expect(error.hasSuffix(" Nothing was imported.\n"))
    }

    @Test(
        "a CSV file with invalid dates or numbers is refused by line",
        arguments: ["2025-02-30T00:00:00Z", "today", ""])
    func date(text: String) async throws {
        try bench.write(Self.good + "Zoe,\(text),80\nZoe,2025-11-06T19:00:00Z,eighty\n", to: "bad.csv")
        #expect(
            try await refusal("bad.csv")
                == "babymonitor: Nothing was imported, because 2 rows are invalid: Line 3: invalid timestamp '\(text)'; "
                + "Line 4: invalid amountValue 'eighty'. Write timestamps as 2025-11-06T18:34:39Z, 2025-11-06T18:34:39.946Z "
                + "or 2025-11-06 18:34:39+09:00. Correct the file, or give --skip-invalid to import the other rows.\n"
        )
    }

    @Test("a binary file is refused as CSV")
    func binary() async throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        try Data(bytes).write(to: bench.url("bad.csv"))
        #expect(
            try await refusal("bad.csv")
                == "babymonitor: Line 1, column 1: The file is not text but binary data. Give a CSV file in UTF-8 or UTF-16. "
                + "Nothing was imported.\n")
    }

    @Test("a CSV file with a million columns is refused", arguments: ["", good])
    func columns(start: String) async throws {
        try bench.write(start + String(repeating: ",", count: 999_999), to: "bad.csv")
        #expect(
            try await refusal("bad.csv")
                == "babymonitor: Line \(start.isEmpty ? 1 : 3), column 257: The row has more than 256 fields, which is the limit. "
                + "Nothing was imported.\n")
    }

    @Test(
        "a CSV file with a field of a hundred megabytes is refused, from a file and from a pipe",
        arguments: ["x", "\""])
    func longField(first: String) async throws {
        try bench.write(Self.good + first, to: "bad.csv")
        let file = try FileHandle(forWritingTo: bench.url("bad.csv"))
        try file.seekToEnd()
        let piece = Data(repeating: UInt8(ascii: "x"), count: 1 << 20)
        for _ in 0..<100 { try file.write(contentsOf: piece) }
        try file.close()
        let message =
            "babymonitor: Line 3, column 1: The field has more than 1048576 bytes, which is the limit. "
            + (first == "\"" ? "Is its opening quote ever closed? " : "")
            + "Nothing was imported.\n"
        #expect(try await refusal("bad.csv") == message)
        let piped = try await bench.shell("cat bad.csv | \"$@\"", "import", "feeds", "-")
        #expect(piped.status == 1)
        #expect(piped.error == message)
    }

    @Test("a missing CSV file and a directory are refused")
    func missing() async throws {
        #expect(
            try await refusal("none.csv")
                == "babymonitor: The file cannot be opened (none.csv): No such file or directory. Nothing was imported.\n"
        )
        #expect(
            try await bench.fail(1, "import", "feeds", "home")
                == "babymonitor: The file cannot be read (home): Is a directory. Nothing was imported.\n")
    }

    @Test(
        "an empty CSV file and a header alone hold nothing to import",
        arguments: ["", "babyName,timestamp\n"])
    func empty(text: String) async throws {
        try await bench.makeStore()
        #expect(
            try await bench.succeed("import", "feeds", "-", input: text).output
                == "Imported 0 feeds, skipped 0.\n")
    }
}
