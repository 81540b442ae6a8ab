import SwitchyardCSV
import SwitchyardConformance
import Testing

@Suite("The reader against a plain reference")
struct ReferenceComparisonTests {
    @Test("every text of up to six structural bytes is read as the grammar says")
    func exhaustive() throws {
        let alphabet = Array("a,\"\n\r".utf8)
        var texts: [[UInt8]] = [[]]
        var first = 0
        for _ in 1...6 {
            let last = texts.count
            for index in first..<last {
                for byte in alphabet { texts.append(texts[index] + [byte]) }
            }
            first = last
        }
        #expect(texts.count == 19_531)
        for text in texts {
            let expected = ReferenceReader.read(text)
            for chunkBytes in [1, 3, 64] {
                let outcome = try read(MemoryByteSource(text), chunkBytes: chunkBytes)
                guard outcome == expected else {
                    Issue.record(
                        "\(String(decoding: text, as: UTF8.self).debugDescription) in chunks of \(chunkBytes): \(outcome), not \(expected)"
                    )
                    return
                }
            }
        }
    }

    @Test("longer generated texts are read as the grammar says, in chunks of any size")
    func generated() throws {
        var (generator, seed) = SeededGenerator.announced("ReferenceComparisonTests.generated")
        let pieces = [
            "a", "하나", "😀", ",", ",", "\n", "\r\n", "\r", "\"", "\"\"", "\",\"", "\"\n\"",
            "0123456789abcdef0123456789",
        ]
        for round in 0..<2000 {
            let count = Int.random(in: 0...60, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let expected = ReferenceReader.read(Array(text.utf8))
            let chunkBytes = Int.random(in: 1...100, using: &generator)
            let outcome = try read(MemoryByteSource(Array(text.utf8)), chunkBytes: chunkBytes)
            guard outcome == expected else {
                Issue.record(
                    "Seed \(seed), round \(round), chunks of \(chunkBytes), \(text.debugDescription): \(outcome), not \(expected)"
                )
                return
            }
        }
    }

    @Test("random bytes never trap, always end, and are read alike in chunks of any size")
    func randomBytes() throws {
        var (generator, seed) = SeededGenerator.announced("ReferenceComparisonTests.randomBytes")
        let likely: [UInt8] = [
            0, 0x0A, 0x0D, 0x22, 0x2C, 0x61, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF, 0xD8, 0xDC, 0xED, 0x95, 0x98,
        ]
        for round in 0..<3000 {
            let count = Int.random(in: 0...200, using: &generator)
            let isWild = Bool.random(using: &generator)
            let bytes = (0..<count).map { _ in
                isWild
                    ? UInt8.random(in: 0...255, using: &generator)
                    : likely.randomElement(using: &generator) ?? 0
            }
            let configure: (inout CSVReader.Options) -> Void = { $0.allowsBareQuotes = isWild }
            let whole = try read(MemoryByteSource(bytes), chunkBytes: 1 << 16, configure)
            #expect(whole.rows.count <= count)
            for chunkBytes in [1, 2, 3, 5, 64] {
                guard try read(MemoryByteSource(bytes), chunkBytes: chunkBytes, configure) == whole else {
                    Issue.record("Seed \(seed), round \(round), chunks of \(chunkBytes): \(bytes)")
                    return
                }
            }
        }
    }
}

/// Reads CSV byte by byte as the grammar reads, with no regard for speed.
private enum ReferenceReader {
    static func read(_ bytes: [UInt8]) -> Outcome {
        let quote = UInt8(ascii: "\"")
        var outcome = Outcome()
        var position = 0
        var line = 1
        func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

        while position < bytes.count {
            var row: [Field] = []
            let firstLine = line
            func fail(_ code: CSVError.Code, line: Int) -> Outcome {
                outcome.fault = Outcome.Fault(code: code, line: line, column: row.count + 1)
                return outcome
            }
            while true {
                let fieldLine = line
                var content: [UInt8] = []
                let isQuoted = peek() == quote
                if isQuoted {
                    position += 1
                    while true {
                        guard let byte = peek() else { return fail(.unterminatedQuote, line: fieldLine) }
                        position += 1
                        if byte == quote {
                            guard peek() == quote else { break }
                            position += 1
                        }
                        if byte == 0x0D || byte == 0x0A && bytes[position - 2] != 0x0D { line += 1 }
                        content.append(byte)
                    }
                } else {
                    while let byte = peek(), byte != UInt8(ascii: ","), byte != 0x0A, byte != 0x0D {
                        if byte == quote { return fail(.bareQuote, line: line) }
                        content.append(byte)
                        position += 1
                    }
                }
                let next = peek()
                if let next, next != UInt8(ascii: ","), next != 0x0A, next != 0x0D {
                    return fail(.textAfterQuote, line: line)
                }
                row.append(Field(String(decoding: content, as: UTF8.self), isQuoted: isQuoted))
                position += 1
                if next == UInt8(ascii: ",") { continue }
                if next == 0x0D, peek() == 0x0A { position += 1 }
                line += 1
                break
            }
            outcome.rows.append(row)
            outcome.lines.append(firstLine)
        }
        return outcome
    }
}
