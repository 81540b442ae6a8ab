import Foundation
import Testing

@testable import SwitchyardCSV

@Suite("Leftovers of killed exports")
struct LeftoverTests {
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "leftovers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    private func remove() { try? FileManager.default.removeItem(at: directory) }

    private func path(_ name: String) -> String { directory.appending(path: name).path }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    private func export(_ text: String, to name: String) throws {
        var writer = CSVWriter(try FileByteSink(path: path(name)))
        try writer.write(text)
        try writer.finish()
    }

    @Test("the next export to a directory removes a killed one's leftovers, and nothing else")
    func stale() throws {
        defer { remove() }
        for name in [
            ".switchyard-1a2b.tmp", ".switchyard-x.tmp", "feeds.csv.abc.tmp", ".switchyard-notes", "x.tmp",
        ] {
            try Data("half".utf8).write(to: URL(filePath: path(name)))
        }
        try FileManager.default.createDirectory(
            atPath: path(".switchyard-d.tmp"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: path(".switchyard-l.tmp"), withDestinationPath: path("x.tmp"))
        try export("new", to: "feeds.csv")
        #expect(
            try names() == [
                ".switchyard-d.tmp", ".switchyard-l.tmp", ".switchyard-notes", "feeds.csv",
                "feeds.csv.abc.tmp", "x.tmp",
            ])
    }

    @Test("a running export's partial file stays, and the export completes")
    func living() throws {
        defer { remove() }
        var writer = CSVWriter(try FileByteSink(path: path("first.csv")))
        try writer.write("first")
        let before = try names()
        #expect(before.count == 1)
        try export("second", to: "second.csv")
        #expect(try names() == before + ["second.csv"])
        try writer.finish()
        #expect(try names() == ["first.csv", "second.csv"])
        #expect(try String(contentsOfFile: path("first.csv"), encoding: .utf8) == "first")
    }

    @Test("an export takes a name as long as a directory allows, and refuses a longer one at once")
    func longNames() throws {
        defer { remove() }
        for length in [244, 255] {
            let name = String(repeating: "n", count: length - 4) + ".csv"
            try export("text", to: name)
            #expect(try names() == [name])
            try FileManager.default.removeItem(atPath: path(name))
        }
        let error = #expect(throws: CSVError.self) {
            try FileByteSink(path: path(String(repeating: "n", count: 256)))
        }
        #expect(error?.systemError == ENAMETOOLONG)
        #expect(try names() == [])
    }
}
