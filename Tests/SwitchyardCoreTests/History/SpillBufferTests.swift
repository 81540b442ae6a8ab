import Foundation
import SwitchyardCore
import Testing

@testable import SwitchyardStore

@Suite("Rows of bytes, most of them in a file")
struct SpillBufferTests {
    /// The rows that a buffer should have, with their places.
    private final class Model {
        let buffer = SpillBuffer()
        var rows: [(place: Int, number: UInt64, text: String)] = []

        /// Adds rows of different lengths until there are at least so many bytes.
        func fill(to count: Int) {
            var length = 1
            while buffer.count < count {
                let number = UInt64(rows.count) << 32 | UInt64(length)
                let text = String(repeating: "\(number),", count: length / 12)
                rows.append((buffer.count, number, text))
                buffer.append { row in
                    row.write(number: number)
                    row.write(text: text)
                }
                length = length * 7 % 65_537
            }
        }

        func removeRows(from number: Int) {
            buffer.truncate(to: rows[number].place)
            rows.removeSubrange(number...)
        }

        /// Whether the rows from one on are those that should be there.
        func isAsAdded(from first: Int = 0) throws -> Bool {
            var reader = SpillBuffer.Reader(buffer)
            try reader.skip(to: first < rows.count ? rows[first].place : buffer.count)
            return try rows.dropFirst(first).allSatisfy { row in
                let (number, text) = try reader.read { (try $0.number(), try $0.text()) }
                return number == row.number && text == row.text
            }
        }
    }

    @Test(
        "a spill buffer returns rows of bytes as they were added",
        arguments: [0, 1, 1000, 1 << 20, 5_000_000])
    func reading(count: Int) throws {
        let model = Model()
        model.fill(to: count)
        #expect(try model.isAsAdded())
    }

    @Test("a spill buffer reads from any row on, and any number of rows")
    func skipping() throws {
        let model = Model()
        model.fill(to: 3_500_000)
        for first in stride(from: 0, through: model.rows.count, by: 7) {
            #expect(try model.isAsAdded(from: first))
        }
        var reader = SpillBuffer.Reader(model.buffer)
        for row in model.rows where row.number % 3 == 0 {
            try reader.skip(to: row.place)
            #expect(try reader.read { try $0.number() } == row.number)
        }
    }

    @Test("a spill buffer can be truncated at any row, and extended there", arguments: 0...12)
    func truncating(place: Int) throws {
        let model = Model()
        model.fill(to: 3_500_000)
        model.removeRows(from: (model.rows.count - 1) * place / 12)
        #expect(try model.isAsAdded())
        model.fill(to: 4_000_000)
        #expect(try model.isAsAdded())
        model.removeRows(from: model.rows.count / 2)
        #expect(try model.isAsAdded())
    }
}
