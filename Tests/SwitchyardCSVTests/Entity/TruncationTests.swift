import Foundation
import SwitchyardCSV
import SwitchyardCore
import TestBackends
import Testing

@Suite("A file of an entity that was cut off")
struct TruncationTests {
    private let file = Shelf.file(
        Shelf.row(1, "weight", "120.0"), Shelf.row(2, "label", "\"two\n\nlines\""),
        Shelf.row(3, "count", "12"))

    @Test("an entity's file cut off at any byte is refused, and adds nothing")
    func everyByte() async throws {
        let bytes = Array(file.utf8)
        try await TestBackend.memory.withStore { (store: any Store) async throws in
            for count in bytes.indices {
                let input = CSVInput.bytes(Array(bytes[..<count]))
                await #expect(throws: CSVError.self, "\(count) of \(bytes.count) bytes") {
                    try await store.write { transaction in
                        _ = try EntityCSV.import(input, into: "Item", in: transaction)
                    }
                }
            }
            let rows = try await store.read { try $0.countRows(of: "Item") }
            #expect(rows == 0)
            #expect(try await store.imported(file) == [3, 3])
        }
    }

    @Test("an entity's file cut off between two rows says what is missing")
    func message() async throws {
        try await TestBackend.memory.withStore { (store: any Store) async throws in
            let error = await #expect(throws: CSVError.self) {
                try await store.imported(Shelf.header + "\n" + Shelf.row(1) + "\n")
            }
            #expect(error?.code == .truncated)
            #expect(error?.line == 2)
            #expect(
                error?.message
                    == "The file does not end with an empty line, as a full one does: it was cut off. Export it again; "
                    + "if it was edited and holds all its rows, put an empty line at its end.")
        }
    }

    @Test("an empty file is one that was cut off, and not one without rows")
    func empty() async throws {
        try await TestBackend.memory.withStore { (store: any Store) async throws in
            let error = await #expect(throws: CSVError.self) { try await store.imported("") }
            #expect(error?.code == .truncated)
            #expect(error?.message == "The file is empty, and lacks even the header that an export has.")
        }
    }

    @Test("a row of too few or too many fields is refused by its line", arguments: [",", ",,,,,,,,,,,,"])
    func fields(surplus: String) async throws {
        try await TestBackend.memory.withStore { (store: any Store) async throws in
            let error = await #expect(throws: CSVError.self) {
                try await store.imported(Shelf.file(Shelf.row(1), Shelf.id(2) + surplus))
            }
            #expect(error?.code == .wrongFieldCount)
            #expect(error?.line == 3)
        }
    }
}
