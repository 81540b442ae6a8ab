import SwitchyardCSV
import Testing

@Suite("Errors of the reader, with line and column")
struct CSVReaderErrorTests {
    @Test("a bare quote inside an unquoted CSV field is an error")
    func bareQuote() throws {
        try expect(Array("a,b\nc,d\"e".utf8), gives: [["a", "b"]], then: .bareQuote, line: 2, column: 2)
        try expect(Array("a, \"b,c\"".utf8), then: .bareQuote, line: 1, column: 2)
    }

    @Test("text after a closing quote is an error")
    func textAfterQuote() throws {
        try expect(Array("\"a\"b,c".utf8), then: .textAfterQuote, line: 1, column: 1)
        try expect(Array("x\ny,\"a\" \n".utf8), gives: [["x"]], then: .textAfterQuote, line: 2, column: 2)
        try expect(Array("\"a\n\"b".utf8), then: .textAfterQuote, line: 2, column: 1)
        try expect(Array("\"a\"\0".utf8) + Array("bcdefghi".utf8), then: .textAfterQuote, line: 1, column: 1)
    }

    @Test("a quote that is never closed is reported where it was opened")
    func unterminatedQuote() throws {
        try expect(Array("a\nb,\"c\nd\ne".utf8), gives: [["a"]], then: .unterminatedQuote, line: 2, column: 2)
        try expect(Array("\"".utf8), then: .unterminatedQuote, line: 1, column: 1)
        try expect(Array("\"a\"\"".utf8), then: .unterminatedQuote, line: 1, column: 1)
        try expect(Array("\"a\nb\",\"".utf8), then: .unterminatedQuote, line: 2, column: 2)
    }

    @Test("U+0000 in a CSV field is an error")
    func nulCharacter() throws {
        try expect(
            Array("abc,def\ngh,i\0j\n".utf8), gives: [["abc", "def"]], then: .nulCharacter, line: 2, column: 2
        )
        try expect(Array("abc,\"d\ne\0\"\n".utf8), then: .nulCharacter, line: 2, column: 2)
    }

    @Test(
        "CSV bytes that are not UTF-8 are an error",
        arguments: [
            [0x80], [0xC3], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xFF], [0xEA, 0xB0], [0xF0, 0x9F, 0x98], [0xE9, 0x20],
        ] as [[UInt8]])
    func invalidUTF8(_ wrong: [UInt8]) throws {
        let ascii = Array("a,b\n".utf8)
        try expect(
            ascii + Array("하나,x".utf8) + wrong, gives: [["a", "b"]], then: .invalidUTF8, line: 2, column: 2)
        try expect(
            ascii + Array("y,".utf8) + wrong + Array(",z\nnext".utf8), gives: [["a", "b"]],
            then: .invalidUTF8,
            line: 2, column: 2)
        // In a quoted field of several lines, behind one that has been made shorter.
        try expect(
            ascii + Array("\"é\"\"\n\",\"1\r\n2\n".utf8) + wrong + Array("\"\n".utf8), gives: [["a", "b"]],
            then: .invalidUTF8, line: 5, column: 2)
    }

    @Test("doubled quotes leave no bytes that could be taken for invalid UTF-8")
    func movedText() throws {
        try expect("\"\"\"하\"\"나\"\"\",\"é\"\"\",두", gives: [[.quoted("\"하\"나\""), .quoted("é\""), "두"]])
    }

    @Test("a CSV field above the byte limit is refused, and one of exactly the limit is read")
    func fieldTooLong() throws {
        let limit: (inout CSVReader.Options) -> Void = { $0.maximumFieldBytes = 4 }
        try expect(
            Array("1234,\"1\"\"34\"\nx".utf8),
            gives: .rows([["1234", .quoted("1\"34")], ["x"]], lines: [1, 2]), limit)
        try expect(Array("a\nb,12345".utf8), gives: [["a"]], then: .fieldTooLong, line: 2, column: 2, limit)
        try expect(
            Array("a\nb,\"1\"\"345\"".utf8), gives: [["a"]], then: .fieldTooLong, line: 2, column: 2, limit)
    }

    @Test("a CSV row above the byte limit is refused, and one of exactly the limit is read")
    func rowTooLong() throws {
        let limit: (inout CSVReader.Options) -> Void = { $0.maximumRowBytes = 6 }
        try expect(
            Array("12,456\na,b,c,".utf8),
            gives: .rows([["12", "456"], ["a", "b", "c", ""]], lines: [1, 2]), limit)
        try expect(Array("x\n1,2,3,4".utf8), gives: [["x"]], then: .rowTooLong, line: 2, column: 4, limit)
    }

    @Test("a CSV row above the field limit is refused, and one of exactly the limit is read")
    func tooManyColumns() throws {
        let limit: (inout CSVReader.Options) -> Void = { $0.maximumColumns = 3 }
        try expect(
            Array("a,b,c\n1,2,3,4\n".utf8), gives: [["a", "b", "c"]], then: .tooManyColumns, line: 2,
            column: 4, limit)
    }

    @Test("a million CSV columns are refused at the default limit")
    func millionColumns() throws {
        let bytes = [UInt8](repeating: UInt8(ascii: ","), count: 1_000_000)
        let outcome = try read(MemoryByteSource(bytes))
        #expect(outcome == Outcome(fault: Outcome.Fault(code: .tooManyColumns, line: 1, column: 4097)))
    }

    @Test(
        "an endless CSV field is refused at the limit, after reading little more",
        arguments: ["", "\"", "\"\""])
    func endlessField(_ start: String) throws {
        let source = EndlessSource(start: Array(start.utf8))
        let limit = 1 << 20
        var options = CSVReader.Options()
        options.maximumFieldBytes = limit
        var reader = CSVReader(source, options: options)
        let error = #expect(throws: CSVError.self) { try reader.next() }
        #expect(error?.code == (start == "\"\"" ? .textAfterQuote : .fieldTooLong))
        #expect(source.given <= limit + 2 * options.chunkBytes)
    }

    @Test("a CSV reader repeats its error")
    func errorIsFinal() throws {
        var reader = CSVReader(MemoryByteSource(Array("a\"\nb\n".utf8)))
        for _ in 1...3 {
            let error = #expect(throws: CSVError.self) { try reader.next() }
            #expect(error?.code == .bareQuote)
        }
    }

    @Test("an error of the source passes through the CSV reader, with the current line")
    func sourceError() throws {
        var reader = CSVReader(FailingSource(Array("a,b\nc,".utf8)), options: .init())
        #expect(try reader.next()?.count == 2)
        let error = #expect(throws: CSVError.self) { try reader.next() }
        #expect(error?.code == .inputOutput)
        #expect(error?.line == 2)
        #expect(error?.systemError == 5)
    }

    @Test("a CSV source's own error type is final as well")
    func foreignError() throws {
        let source = FailingSource(Array("a,b\nc,".utf8), error: ForeignError())
        var options = CSVReader.Options()
        options.chunkBytes = 3
        var reader = CSVReader(source, options: options)
        #expect(try reader.next()?.count == 2)
        for _ in 1...3 { #expect(throws: ForeignError.self) { try reader.next() } }
    }

    @Test(
        "a CSV source that claims more bytes than the buffer holds is refused", arguments: [-1, 65, Int.max])
    func boastfulSource(_ count: Int) throws {
        var options = CSVReader.Options()
        options.chunkBytes = 64
        var reader = CSVReader(BoastfulSource(count: count), options: options)
        let error = #expect(throws: CSVError.self) { try reader.next() }
        #expect(error?.code == .inputOutput)
    }

    @Test("a CSV error's description has code, place and advice, and no contents")
    func description() throws {
        var reader = CSVReader(MemoryByteSource(Array("x\nsecret\"text".utf8)))
        _ = try reader.next()
        let error = #expect(throws: CSVError.self) { try reader.next() }
        #expect(
            error?.description
                == "bareQuote: line 2, column 1: An unquoted field contains a quote. Put the whole field in quotes and double this one."
        )
    }
}

/// Gives the letter x for ever.
private final class EndlessSource: ByteSource {
    private var start: [UInt8]
    private(set) var given = 0

    init(start: [UInt8]) { self.start = start }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        for index in buffer.indices { buffer[index] = UInt8(ascii: "x") }
        for (index, byte) in start.prefix(buffer.count).enumerated() { buffer[index] = byte }
        start = []
        given += buffer.count
        return buffer.count
    }
}

/// Gives some bytes, more than the detection of the encoding needs in lines of their own, and then fails.
private final class FailingSource: ByteSource {
    private var bytes: [UInt8]
    private let error: any Error

    init(_ bytes: [UInt8], error: any Error = CSVError(.inputOutput, "The disk is broken.", systemError: 5)) {
        self.bytes = bytes + [UInt8](repeating: UInt8(ascii: "y"), count: 1024)
        self.error = error
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard !bytes.isEmpty else { throw error }
        let count = min(buffer.count, bytes.count)
        buffer.copyBytes(from: bytes[..<count])
        bytes.removeFirst(count)
        return count
    }
}

private struct ForeignError: Error {}

/// Says that it has read what it cannot have read.
private final class BoastfulSource: ByteSource {
    private let count: Int

    init(count: Int) { self.count = count }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int { count }
}
