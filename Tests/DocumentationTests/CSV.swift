import Foundation
import Switchyard
import SwitchyardCSV
import Testing

@Suite("The article on CSV")
struct CSVArticle {
    @Test("an entity is exported and imported")
    func roundTrip() async throws {
        let store = try await cinema()
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).csv").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let exported = try await store.read { tx in
            try EntityCSV.export("Director", of: tx, to: FileByteSink(path: path))
        }
        let input = try CSVInput.file(path)
        let (read, inserted) = try await store.write { tx in
            try EntityCSV.import(input, into: "Director", in: tx, skippingExisting: true)
        }
        #expect(exported == 2)
        #expect(read == 2)
        #expect(inserted == 0)
    }

    @Test("a file of another program is read row by row")
    func reader() async throws {
        let store = try await cinema()
        let input = CSVInput.bytes(Array("title,year\nVagabond,1985\nJacquot,1991\n".utf8))
        let count = try await store.write { tx in
            var reader = CSVReader(try input.open())
            guard let first = try reader.nextWithText() else { return 0 }
            let header = try CSVHeader(first)
            guard let title = header.index(of: "title"), let year = header.index(of: "year") else {
                throw CSVError(.wrongColumns, "The file has no columns title and year.", line: first.line)
            }
            var count = 0
            while let row = try reader.nextWithText() {
                guard let number = Int(row.string(at: year)) else {
                    throw CSVError(.invalidValue, "The year is no number.", line: row.line, column: year + 1)
                }
                try tx.insert(Film(title: row.string(at: title), year: number))
                count += 1
            }
            return count
        }
        #expect(count == 2)
    }
}
