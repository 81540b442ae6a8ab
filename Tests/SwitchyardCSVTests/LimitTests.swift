import SwitchyardCSV
import Testing

@Suite("CSV limits in chunks of any size")
struct LimitTests {
    /// Reads with every size of chunk, and tells the first size whose outcome differs from that of one chunk.
    private func requireSame(
        _ text: [UInt8], _ configure: (inout CSVReader.Options) -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        let whole = try read(MemoryByteSource(text), chunkBytes: 1 << 16, configure)
        for chunkBytes in 1...max(1, text.count) {
            let outcome = try read(MemoryByteSource(text), chunkBytes: chunkBytes, configure)
            guard outcome == whole else {
                let shown = String(decoding: text, as: UTF8.self).debugDescription
                Issue.record(
                    "\(shown) in chunks of \(chunkBytes): \(outcome), not \(whole)",
                    sourceLocation: sourceLocation)
                return whole
            }
        }
        return whole
    }

    @Test(
        "CSV limits give the same error, line and column for texts of up to five bytes in any chunks",
        arguments: [(1, 3), (2, 3), (3, 3), (2, 64)])
    func exhaustive(fieldBytes: Int, rowBytes: Int) throws {
        let alphabet: [UInt8] = Array("a,\"\n\0".utf8)
        var texts: [[UInt8]] = [[]]
        var first = 0
        var faults = 0
        for _ in 1...5 {
            let last = texts.count
            for index in first..<last {
                for byte in alphabet { texts.append(texts[index] + [byte]) }
            }
            first = last
        }
        for text in texts {
            let outcome = try requireSame(text) {
                $0.maximumFieldBytes = fieldBytes
                $0.maximumRowBytes = rowBytes
            }
            if outcome.fault?.code == .fieldTooLong || outcome.fault?.code == .rowTooLong { faults += 1 }
        }
        #expect(texts.count == 3906)
        #expect(faults > 100)
    }

    @Test(
        "the first of two CSV faults is reported, in chunks of any size",
        arguments: [
            // The fifth letter comes before the quote, the quote before the eleventh.
            ("ab\nabcdef\"gh\n", 5, 100, CSVError.Code.fieldTooLong, 2, 1),
            ("ab\nabcdef\"gh\n", 10, 100, .bareQuote, 2, 1),
            ("a,b\n1,2,3,4,5\n", 10, 6, .rowTooLong, 2, 4),
            ("\"abcdef\"x\n", 5, 100, .fieldTooLong, 1, 1),
            ("\"abcd\"x,yyyyyyyyy\n", 5, 100, .textAfterQuote, 1, 1),
            ("\"abcd\"xyyyyyyyyyyyyyyyyyyy\n", 5, 12, .textAfterQuote, 1, 1),
        ])
    func order(
        text: String, fieldBytes: Int, rowBytes: Int, code: CSVError.Code, line: Int, column: Int
    ) throws {
        let outcome = try requireSame(Array(text.utf8)) {
            $0.maximumFieldBytes = fieldBytes
            $0.maximumRowBytes = rowBytes
        }
        #expect(outcome.fault == Outcome.Fault(code: code, line: line, column: column))
    }

    @Test("a quote that is never closed is named by the line of its opening", arguments: [20, 1000])
    func unclosedQuote(fieldBytes: Int) throws {
        let rows = "a,b\nc,\"d\n" + String(repeating: "e,f\n", count: 100)
        let outcome = try requireSame(Array(rows.utf8)) { $0.maximumFieldBytes = fieldBytes }
        #expect(
            outcome.fault
                == Outcome.Fault(
                    code: fieldBytes == 20 ? .fieldTooLong : .unterminatedQuote, line: 2, column: 2))
        var options = CSVReader.Options()
        options.maximumFieldBytes = 20
        var reader = CSVReader(MemoryByteSource(Array(rows.utf8)), options: options)
        _ = try reader.next()
        let error = #expect(throws: CSVError.self) { try reader.next() }
        #expect(
            error?.message
                == "The field has more than 20 bytes, which is the limit. Is its opening quote ever closed?"
        )
    }
}
