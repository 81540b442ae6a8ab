import SwitchyardCSV
import SwitchyardConformance
import Testing

@Suite("CSV round trips")
struct RoundTripTests {
    @Test("generated CSV tables survive a round trip, with nil and empty text apart")
    func generated() throws {
        var (generator, seed) = SeededGenerator.announced("RoundTripTests.generated")
        let pieces = [
            "a", "0123456789abcdef", "하나", "😀", "e\u{301}", ",", "\"", "\n", "\r", "\r\n", " ", "\u{FEFF}",
            "\u{1}", "\u{7F}",
            "\u{2028}",
        ]
        for round in 0..<500 {
            let columns = Int.random(in: 1...6, using: &generator)
            let table: [[String?]] = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                (0..<columns).map { _ in
                    guard Int.random(in: 0..<5, using: &generator) > 0 else { return nil }
                    let count = Int.random(in: 0...6, using: &generator)
                    return (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
                }
            }
            let sink = MemoryByteSink()
            var options = CSVWriter.Options()
            options.quotesEmptyText = true
            options.ending = Bool.random(using: &generator) ? .newline : .none
            options.bufferBytes = Int.random(in: 1...200, using: &generator)
            var writer = CSVWriter(sink, options: options)
            for row in table {
                for field in row {
                    if let field { try writer.write(field) } else { try writer.writeNull() }
                }
                try writer.endRow()
            }
            try writer.finish()

            let chunkBytes = Int.random(in: 1...100, using: &generator)
            let outcome = try read(MemoryByteSource(sink.bytes), chunkBytes: chunkBytes)
            let rows = outcome.rows.map {
                $0.map { $0.text.isEmpty && !$0.isQuoted ? nil : Array($0.text.utf8) }
            }
            // A row whose only field is nil comes back as empty text: without quotes it would be no row.
            let expected = table.map { row in row == [nil] ? [[]] : row.map { $0.map { Array($0.utf8) } } }
            guard outcome.fault == nil, rows == expected else {
                Issue.record("Seed \(seed), round \(round): \(table) was read as \(outcome)")
                return
            }
        }
    }
}
