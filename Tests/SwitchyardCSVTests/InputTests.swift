import Foundation
import Testing

@testable import SwitchyardCSV

@Suite("Inputs that can be read again")
struct InputTests {
    private let directory: URL
    private var path: String { directory.appending(path: "feeds.csv").path }

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "input-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data("a,b\nc,d\n".utf8).write(to: directory.appending(path: "feeds.csv"))
    }

    private static let rows = Outcome.rows([["a", "b"], ["c", "d"]], lines: [1, 2])

    private func remove() { try? FileManager.default.removeItem(at: directory) }

    /// Writes over the file in place, as an editor that keeps the file does.
    private func overwrite(_ text: String, appending: Bool = false) throws {
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        if appending { try handle.seekToEnd() } else { try handle.truncate(atOffset: 0) }
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    @Test("a named pipe is copied, and can then be read repeatedly")
    func namedPipe() async throws {
        defer { remove() }
        let pipe = directory.appending(path: "pipe").path
        try #require(mkfifo(pipe, 0o600) == 0)
        let writer = Thread { try? Data("a,b\nc,d\n".utf8).write(to: URL(filePath: pipe), options: []) }
        writer.start()
        let input = try CSVInput.file(pipe)
        #expect(input.byteCount == 8)
        for _ in 1...3 { #expect(try read(try input.open()) == Self.rows) }
    }

    @Test(
        "an unnamed pipe, as a shell gives for <(…), is copied",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/fd"), "needs /dev/fd"))
    func unnamedPipe() throws {
        defer { remove() }
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let bytes = Array("a,b\nc,d\n".utf8)
        try #require(write(ends[1], bytes, bytes.count) == bytes.count)
        close(ends[1])
        let input = try CSVInput.file("/dev/fd/\(ends[0])")
        close(ends[0])
        for _ in 1...3 { #expect(try read(try input.open()) == Self.rows) }
    }

    @Test("an input keeps reading its file when another takes its name")
    func replaced() throws {
        defer { remove() }
        let input = try CSVInput.file(path)
        #expect(try read(try input.open()) == Self.rows)
        try Data("x,y\nz,z\n".utf8).write(to: URL(filePath: path), options: .atomic)
        #expect(try read(try input.open()) == Self.rows)
        try FileManager.default.removeItem(atPath: path)
        #expect(try read(try input.open()) == Self.rows)
    }

    @Test(
        "an input refuses a file that has become longer or shorter",
        arguments: [("e,f\n", true), ("a,b\n", false)])
    func resized(text: String, appending: Bool) throws {
        defer { remove() }
        let input = try CSVInput.file(path)
        #expect(try read(try input.open()) == Self.rows)
        try overwrite(text, appending: appending)
        let error = #expect(throws: CSVError.self) { try input.open() }
        #expect(error?.code == .changed)
        #expect(
            error?.message
                == "The file changed while it was being read (\(path)). Read it again when nothing writes to it."
        )
    }

    @Test("an input refuses a changed file of the same size and time")
    func sameSizeAndTime() throws {
        defer { remove() }
        let files = FileManager.default
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        try files.setAttributes([.modificationDate: time], ofItemAtPath: path)
        let input = try CSVInput.file(path)
        #expect(try read(try input.open()) == Self.rows)
        try overwrite("a,b\nc,e\n")
        try files.setAttributes([.modificationDate: time], ofItemAtPath: path)
        #expect(try read(try input.open()).fault?.code == .changed)
    }

    @Test("an input refuses a file that grows during the read, and never returns more than its size")
    func growing() throws {
        defer { remove() }
        let input = try CSVInput.file(path)
        let source = try input.open()
        var buffer = [UInt8](repeating: 0, count: 4)
        var total = 0
        let error = #expect(throws: CSVError.self) {
            while true {
                let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
                if count == 0 { return }
                total += count
                try overwrite("x,y\n", appending: true)
            }
        }
        #expect(error?.code == .changed)
        #expect(total == 8)
    }

    @Test("an input that is not a regular file is copied up to a limit")
    func limit() throws {
        defer { remove() }
        let text = String(repeating: "a,b\n", count: 1000)
        let pipe = try Pipe.holding(text)
        let error = #expect(throws: CSVError.self) { try CSVInput.reading(pipe, spoolLimit: 3999) }
        #expect(error?.code == .inputTooLong)
        #expect(
            error?.message
                == "pipe has more than 3999 bytes, the limit for input that can be read only once. Write it to a file, "
                + "and import that.")
        #expect(try CSVInput.reading(try Pipe.holding(text), spoolLimit: 4000).byteCount == 4000)
    }

    @Test(
        "an input refuses a device of endless zeros or random bytes by its beginning",
        arguments: ["/dev/zero", "/dev/urandom"])
    func endless(device: String) throws {
        defer { remove() }
        let error = #expect(throws: CSVError.self) { try CSVInput.file(device) }
        #expect(error?.code == .binary)
    }

    @Test(
        "a file that falsely reports size 0 is copied as a pipe is",
        .enabled(if: isLinux, "needs /proc"))
    func unsized() throws {
        defer { remove() }
        let input = try CSVInput.file("/proc/self/cmdline")
        #expect(input.byteCount > 0)
    }
}

#if os(Linux)
    private let isLinux = true
#else
    private let isLinux = false
#endif

/// A pipe whose writing end is closed.
private enum Pipe {
    static func holding(_ text: String) throws -> Descriptor {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let bytes = Array(text.utf8)
        try #require(write(ends[1], bytes, bytes.count) == bytes.count)
        close(ends[1])
        return Descriptor(borrowing: ends[0], name: "pipe")
    }
}
