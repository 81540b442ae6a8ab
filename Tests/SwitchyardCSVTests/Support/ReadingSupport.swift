import Foundation
import SwitchyardCSV
import Testing

/// A field as a test sees it: its text, and whether it stood in quotes.
struct Field: Equatable, CustomStringConvertible, ExpressibleByStringLiteral {
    var text: String
    var isQuoted = false

    init(_ text: String, isQuoted: Bool = false) {
        self.text = text
        self.isQuoted = isQuoted
    }

    init(stringLiteral text: String) { self.text = text }

    static func quoted(_ text: String) -> Field { Field(text, isQuoted: true) }

    // Swift's own equality is canonical equivalence.
    static func == (lhs: Field, rhs: Field) -> Bool {
        lhs.text.utf8.elementsEqual(rhs.text.utf8) && lhs.isQuoted == rhs.isQuoted
    }

    var description: String { isQuoted ? "quoted(\(text.debugDescription))" : text.debugDescription }
}

/// What reading a file led to: the rows, the lines on which they begin, and the error that ended it.
struct Outcome: Equatable {
    struct Fault: Equatable {
        var code: CSVError.Code
        var line: Int?
        var column: Int?
    }

    var rows: [[Field]] = []
    var lines: [Int] = []
    var fault: Fault?

    static func rows(_ rows: [[Field]], lines: [Int]) -> Outcome { Outcome(rows: rows, lines: lines) }
}

/// Reads a file to its end or its first error.
func read(
    _ source: any ByteSource, chunkBytes: Int = 1 << 16,
    _ configure: (inout CSVReader.Options) -> Void = { _ in }
) throws -> Outcome {
    var options = CSVReader.Options()
    configure(&options)
    options.chunkBytes = chunkBytes
    var reader = CSVReader(source, options: options)
    var outcome = Outcome()
    do {
        while let row = try reader.next() {
            outcome.rows.append(
                (0..<row.count).map { Field(row.string(at: $0), isQuoted: row.isQuoted(at: $0)) })
            outcome.lines.append(row.line)
        }
    } catch let error as CSVError {
        outcome.fault = Outcome.Fault(code: error.code, line: error.line, column: error.column)
    }
    return outcome
}

/// Reads the same bytes with every chunk size up to their number, and expects the same each time.
func expect(
    _ bytes: [UInt8], gives expected: Outcome, _ configure: (inout CSVReader.Options) -> Void = { _ in },
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    for chunkBytes in 1...bytes.count + 1 {
        let outcome = try read(MemoryByteSource(bytes), chunkBytes: chunkBytes, configure)
        guard outcome == expected else {
            Issue.record(
                "With chunks of \(chunkBytes): \(outcome), not \(expected)", sourceLocation: sourceLocation)
            return
        }
    }
}

/// Reads text with every chunk size, and expects these rows.
func expect(
    _ text: String, gives rows: [[Field]], lines: [Int]? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let expected = Outcome.rows(rows, lines: lines ?? Array(1..<rows.count + 1))
    try expect(Array(text.utf8), gives: expected, sourceLocation: sourceLocation)
}

/// Reads bytes with every chunk size, and expects these rows and then an error.
func expect(
    _ bytes: [UInt8], gives rows: [[Field]] = [], then code: CSVError.Code, line: Int?, column: Int?,
    _ configure: (inout CSVReader.Options) -> Void = { _ in },
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let fault = Outcome.Fault(code: code, line: line, column: column)
    let expected = Outcome(rows: rows, lines: Array(1..<rows.count + 1), fault: fault)
    try expect(bytes, gives: expected, configure, sourceLocation: sourceLocation)
}
