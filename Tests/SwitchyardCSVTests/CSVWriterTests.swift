import Foundation
import SwitchyardCSV
import Testing

@Suite("Writing rows and fields")
struct CSVWriterTests {
    private func options(_ configure: (inout CSVWriter.Options) -> Void) -> CSVWriter.Options {
        var options = CSVWriter.Options()
        configure(&options)
        return options
    }

    private func written(
        _ options: CSVWriter.Options = .init(), _ body: (inout CSVWriter) throws -> Void
    ) throws -> String {
        let sink = MemoryByteSink()
        var writer = CSVWriter(sink, options: options)
        try body(&writer)
        try writer.finish()
        #expect(writer.bytesWritten == sink.bytes.count)
        return sink.text
    }

    private func row(_ fields: [String?], to writer: inout CSVWriter) throws {
        for field in fields {
            if let field { try writer.write(field) } else { try writer.writeNull() }
        }
        try writer.endRow()
    }

    @Test("a CSV writer puts LF between rows, and not at the end")
    func rows() throws {
        let text = try written { writer in
            try row(["babyName", "timestamp"], to: &writer)
            try row(["하나", nil], to: &writer)
            try row([nil, nil], to: &writer)
        }
        #expect(text == "babyName,timestamp\n하나,\n,")
    }

    @Test("a CSV writer puts LF at the end on request, but not in a file without rows")
    func trailingNewline() throws {
        #expect(try written(options { $0.ending = .newline }) { try row(["a"], to: &$0) } == "a\n")
        #expect(try written(options { $0.ending = .emptyLine }) { try row(["a"], to: &$0) } == "a\n\n")
        #expect(try written(options { $0.ending = .emptyLine }) { _ in } == "")
        #expect(try written { _ in } == "")
    }

    @Test("a CSV writer ends a row that is open at the end")
    func openRow() throws {
        #expect(try written { try $0.write("a") } == "a")
    }

    @Test(
        "a CSV writer quotes a field only if it contains a comma, a quote, LF or CR",
        arguments: [
            ("plain", "plain"), (" space ", " space "), ("a,b", "\"a,b\""), ("\"", "\"\"\"\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""), ("1\n2", "\"1\n2\""), ("1\r2", "\"1\r2\""),
            ("12345678,", "\"12345678,\""), ("12345678\r", "\"12345678\r\""),
            ("1234567\"", "\"1234567\"\"\""),
            ("하나,둘", "\"하나,둘\""), ("#tag;'x'\t", "#tag;'x'\t"), ("\u{1}\u{7F}", "\u{1}\u{7F}"),
            // Bytes next to those that matter, and U+0A0D and the like, whose UTF-8 holds none of them.
            ("+-!#\u{9}\u{B}\u{C}\u{E}", "+-!#\u{9}\u{B}\u{C}\u{E}"),
            ("\u{0A0D}\u{2C22}\u{AC}", "\u{0A0D}\u{2C22}\u{AC}"),
        ])
    func quoting(_ field: String, _ expected: String) throws {
        #expect(try written { try row([field, "x"], to: &$0) } == expected + ",x")
    }

    @Test("a CSV writer writes nil and empty text alike, unless empty text is quoted")
    func emptyText() throws {
        #expect(try written { try row(["a", "", nil], to: &$0) } == "a,,")
        #expect(
            try written(options { $0.quotesEmptyText = true }) { try row(["a", "", nil], to: &$0) }
                == "a,\"\",")
    }

    @Test("a CSV writer quotes the only field of a row if it is empty")
    func blankRow() throws {
        let text = try written { writer in
            try row([nil], to: &writer)
            try row([""], to: &writer)
            try row([], to: &writer)
            try row(["a"], to: &writer)
        }
        #expect(text == "\"\"\n\"\"\n\"\"\na")
    }

    @Test("a CSV file whose first field begins with U+FEFF does not begin with a byte order mark")
    func leadingMark() throws {
        let text = try written { writer in
            try row(["\u{FEFF}a", "\u{FEFF}b"], to: &writer)
            try row(["\u{FEFF}c"], to: &writer)
        }
        #expect(Array(text.utf8) == Array("\"\u{FEFF}a\",\u{FEFF}b\n\u{FEFF}c".utf8))
    }

    @Test("a CSV writer writes numbers, times and UUIDs in place")
    func values() throws {
        let uuid = try #require(UUID(uuidString: "0192A3B4-C5D6-7E8F-9A0B-1C2D3E4F5A6B"))
        let text = try written { writer in
            try writer.write(Int64.min)
            try writer.write(0 as Int64)
            try writer.write(Int64.max)
            try writer.write(80.0)
            try writer.write(microseconds: 1_762_454_079_946_123, precision: .milliseconds)
            try writer.write(microseconds: 1_762_454_079_946_123, precision: .exact)
            try writer.write(uuid)
        }
        #expect(
            text
                == "-9223372036854775808,0,9223372036854775807,80.0,2025-11-06T18:34:39.946Z,2025-11-06T18:34:39.946123Z,0192a3b4-c5d6-7e8f-9a0b-1c2d3e4f5a6b"
        )
    }

    @Test("a CSV writer refuses a value without text, and goes on")
    func refused() throws {
        let text = try written { writer in
            try writer.write("a")
            for body: (inout CSVWriter) throws -> Void in [
                { try $0.write(Double.nan) }, { try $0.write(microseconds: .max, precision: .exact) },
            ] {
                let error = #expect(throws: CSVError.self) { try body(&writer) }
                #expect(error?.code == .valueNotRepresentable)
            }
            let error = #expect(throws: CSVError.self) { try writer.write("secret\0") }
            #expect(error?.code == .nulCharacter)
            #expect(error?.column == 2)
            try writer.write("b")
        }
        #expect(text == "a,b")
    }

    @Test("a CSV writer finds U+0000 at every position of a field", arguments: 0..<20)
    func nul(_ place: Int) throws {
        var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 20)
        bytes[place] = 0
        var writer = CSVWriter(MemoryByteSink())
        #expect(throws: CSVError.self) { try writer.write(String(decoding: bytes, as: UTF8.self)) }
    }

    @Test("CSV fields longer than the buffer are written whole", arguments: [1, 64, 100, 1 << 17])
    func longFields(_ bufferBytes: Int) throws {
        let long = String(repeating: "0123456789,\"\n", count: 500)
        let plain = String(repeating: "하나", count: 500)
        let text = try written(options { $0.bufferBytes = bufferBytes }) {
            try row([long, plain, "x"], to: &$0)
        }
        #expect(text == "\"" + String(repeating: "0123456789,\"\"\n", count: 500) + "\"," + plain + ",x")
    }

    @Test("a finished CSV writer accepts nothing more")
    func closed() throws {
        var writer = CSVWriter(MemoryByteSink())
        try writer.finish()
        for body: (inout CSVWriter) throws -> Void in [
            { try $0.write("a") }, { try $0.writeNull() }, { try $0.endRow() }, { try $0.finish() },
        ] {
            let error = #expect(throws: CSVError.self) { try body(&writer) }
            #expect(error?.code == .closed)
        }
    }

    @Test("a CSV writer drops its sink when the sink fails, and repeats the error")
    func sinkError() throws {
        let sink = FailingSink()
        var options = CSVWriter.Options()
        options.bufferBytes = 64
        var writer = CSVWriter(sink, options: options)
        let error = #expect(throws: CSVError.self) {
            for _ in 1...100 { try writer.write("12345678") }
        }
        #expect(error?.code == .full)
        #expect(sink.isAbandoned)
        let later = #expect(throws: CSVError.self) { try writer.finish() }
        #expect(later?.code == .full)
        #expect(!sink.isFinished)
    }

    @Test("an unfinished CSV writer drops its sink")
    func abandoned() throws {
        let sink = FailingSink()
        do {
            var writer = CSVWriter(sink)
            try writer.write("a")
        }
        #expect(sink.isAbandoned)
    }
}

/// Has no room.
private final class FailingSink: ByteSink {
    private(set) var isAbandoned = false
    private(set) var isFinished = false

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        throw CSVError(.full, "The disk is full.", systemError: ENOSPC)
    }

    func finish() throws { isFinished = true }

    func abandon() { isAbandoned = true }
}
