import Foundation
import Testing

@testable import SwitchyardCSV

@Suite("Files as sources and sinks")
struct FileTests {
    /// A directory of its own for each test.
    private final class Directory {
        let path: String

        init() throws {
            let url = FileManager.default.temporaryDirectory.appendingPathComponent(
                "switchyard-csv-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            path = url.path
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        var names: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
        }
    }

    private func contents(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    private func write(_ text: String, to path: String) throws {
        var writer = CSVWriter(try FileByteSink(path: path))
        try writer.write(text)
        try writer.finish()
    }

    @Test(
        "a written file appears when it is finished, readable by its owner alone, and leaves nothing beside it"
    )
    func finish() throws {
        let directory = try Directory()
        let path = directory.path + "/feeds.csv"
        var writer = CSVWriter(try FileByteSink(path: path))
        try writer.write("하나")
        #expect(!FileManager.default.fileExists(atPath: path))
        try writer.finish()
        #expect(try contents(path) == "하나")
        #expect(try directory.names == ["feeds.csv"])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode == 0o600)
    }

    @Test("an existing file that must not be replaced is refused before and after writing, and unchanged")
    func exists() throws {
        let directory = try Directory()
        let path = directory.path + "/feeds.csv"
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/link.csv", withDestinationPath: directory.path + "/gone.csv")
        #expect(throws: CSVError.self) {
            try FileByteSink(path: directory.path + "/link.csv", replacing: false)
        }
        let sink = try FileByteSink(path: path, replacing: false)
        try "mine".write(toFile: path, atomically: false, encoding: .utf8)
        #expect { try sink.finish() } throws: { ($0 as? CSVError)?.code == .exists }
        sink.abandon()
        #expect { try FileByteSink(path: path, replacing: false) } throws: {
            ($0 as? CSVError)?.code == .exists
        }
        #expect(try contents(path) == "mine")
        try FileManager.default.removeItem(atPath: path)
        let other = try FileByteSink(path: path, replacing: false)
        try other.finish()
        #expect(try contents(path) == "")
        #expect(try directory.names == ["feeds.csv", "link.csv"])
    }

    @Test("an abandoned file keeps the older one, and leaves nothing beside it")
    func abandon() throws {
        let directory = try Directory()
        let path = directory.path + "/feeds.csv"
        try write("old", to: path)
        do {
            var writer = CSVWriter(try FileByteSink(path: path))
            try writer.write("new")
            #expect(try directory.names.count == 2)
        }
        #expect(try contents(path) == "old")
        #expect(try directory.names == ["feeds.csv"])
        try write("new", to: path)
        #expect(try contents(path) == "new")
    }

    @Test("a symbolic link is followed, and stays one")
    func link() throws {
        let directory = try Directory()
        let path = directory.path + "/feeds.csv"
        let link = directory.path + "/link.csv"
        try write("old", to: path)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        try write("new", to: link)
        #expect(try contents(path) == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
        #expect(try directory.names == ["feeds.csv", "link.csv"])
    }

    @Test("a target that is not a regular file is written directly")
    func device() throws {
        try write("gone", to: "/dev/null")
        let type = try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType
        #expect(type == .typeCharacterSpecial)
    }

    @Test("a target in a missing directory, or that is a directory, is an error with its name and reason")
    func cannotOpen() throws {
        let directory = try Directory()
        for (path, number) in [(directory.path + "/none/feeds.csv", ENOENT), (directory.path, EISDIR)] {
            let error = #expect(throws: CSVError.self) { try FileByteSink(path: path) }
            #expect(error?.code == .inputOutput)
            #expect(error?.systemError == number)
            #expect(error?.description.contains(path) == true)
        }
        let error = #expect(throws: CSVError.self) { try FileByteSink(path: directory.path + "/a\0b") }
        #expect(error?.code == .inputOutput)
        #expect(try directory.names == [])
    }

    @Test(
        "a full disk is an error of its own when writing a file",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "needs /dev/full"))
    func full() throws {
        var writer = CSVWriter(try FileByteSink(path: "/dev/full"))
        try writer.write("a")
        let error = #expect(throws: CSVError.self) { try writer.finish() }
        #expect(error?.code == .full)
        #expect(error?.systemError == ENOSPC)
    }

    @Test("a file is read, and a missing one or a directory is a named error")
    func source() throws {
        let directory = try Directory()
        let path = directory.path + "/feeds.csv"
        try "a,b\nc,d".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(
            try read(try FileByteSource(path: path)) == .rows([["a", "b"], ["c", "d"]], lines: [1, 2]))

        let missing = #expect(throws: CSVError.self) { try FileByteSource(path: path + "x") }
        #expect(missing?.systemError == ENOENT)
        #expect(missing?.description.contains(path + "x") == true)
        var reader = CSVReader(try FileByteSource(path: directory.path))
        let unreadable = #expect(throws: CSVError.self) { try reader.next() }
        #expect(unreadable?.code == .inputOutput)
        #expect(unreadable?.systemError == EISDIR)
    }

    @Test("the byte count of an input grows to the size of the file")
    func progress() throws {
        let input = CSVInput.bytes(Array("a\nb\n".utf8))
        var options = CSVReader.Options()
        options.chunkBytes = 1
        var reader = CSVReader(try input.open(), options: options)
        #expect(reader.bytesRead == 0)
        while try reader.next() != nil {}
        #expect(reader.bytesRead == 4)
        #expect(input.byteCount == 4)
    }

    @Test("an input can be reopened from its start any number of times")
    func inputs() throws {
        let directory = try Directory()
        let path = directory.path + "/feeds.csv"
        try "a,b\nc,d".write(toFile: path, atomically: true, encoding: .utf8)
        let pipe = try Pipe.holding("a,b\nc,d")
        let redirected = try Descriptor(opening: path, flags: O_RDONLY)
        let inputs: [CSVInput] = [
            try .file(path), .bytes(Array("a,b\nc,d".utf8)), try .reading(pipe), try .reading(redirected),
        ]
        for input in inputs {
            #expect(input.byteCount == 7)
            for _ in 1...2 {
                #expect(try read(try input.open()) == .rows([["a", "b"], ["c", "d"]], lines: [1, 2]))
            }
        }
    }

    @Test("two sources of one redirected file are independent, and begin at its offset")
    func sharedDescriptor() throws {
        let directory = try Directory()
        let path = directory.path + "/feeds.csv"
        try "skipped\na\nb\nc".write(toFile: path, atomically: true, encoding: .utf8)
        let descriptor = try Descriptor(opening: path, flags: O_RDONLY)
        lseek(descriptor.number, 8, SEEK_SET)
        let input = try CSVInput.reading(descriptor)
        var options = CSVReader.Options()
        options.chunkBytes = 1
        var first = CSVReader(try input.open(), options: options)
        var second = CSVReader(try input.open(), options: options)
        for expected in ["a", "b", "c"] {
            #expect(try first.next()?.string(at: 0) == expected)
            #expect(try second.next()?.string(at: 0) == expected)
        }
    }

    @Test("a missing file is not an input")
    func missingInput() throws {
        let error = #expect(throws: CSVError.self) { try CSVInput.file("/nowhere/feeds.csv") }
        #expect(error?.systemError == ENOENT)
    }
}

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
