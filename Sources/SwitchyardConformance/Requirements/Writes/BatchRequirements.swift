internal import Foundation
internal import Switchyard

/// Requirement T9 for batches of every size, row by row and attribute by attribute.
enum BatchRequirements {
    static let all: [Requirement] = [
        Requirement("T9+sizes", "every row of a batch is kept whole, whatever the size of the batch") {
            contract in
            let store = try await contract.makeStore()
            for size in BatchSpecimen.sizes { try await round(contract, store, size) }
        },
        Requirement("T9+wide", "a batch of rows with many attributes is kept whole") { contract in
            try await WideBatch.verify(contract)
        },
        Requirement("T5+many", "an upsert of many rows is kept whole and gives each row by its key") {
            contract in
            let store = try await contract.makeStore()
            for size in [0, 1, 33, 65, 129, 257, 1_000] { try await upsert(contract, store, size) }
            try await UpsertKeys.verify(contract)
        },
    ]

    /// Every way to write many rows, each with any number of rows.
    private static func round(_ contract: Contract, _ store: any Store, _ size: Int) async throws {
        func expect(_ rows: [[StoredValue]], _ how: String) async throws {
            try await contract.expectRows(in: store, of: "Specimen", rows, "\(size) rows \(how)")
            try await searchable(contract, store, rows, "\(size) rows \(how)")
        }
        let rows = (0..<size).map { BatchSpecimen.values($0) }

        let inserted = try await store.write { tx in
            try tx.insert(contentsOf: (0..<size).reversed().lazy.map { BatchSpecimen.make($0) })
        }
        try contract.expectEqual(inserted, size, "the count of an insert of \(size) rows")
        try await expect(rows, "inserted as models")
        let deleted = try await store.write { try $0.delete(Specimen.all) }
        try contract.expectEqual(deleted, size, "the count of a delete of \(size) rows")
        try await expect([], "deleted")

        // Every third row already exists, with the values of its neighbour.
        let present = stride(from: 0, to: size, by: 3).map { BatchSpecimen.values($0 + 1, id: $0) }
        try await store.write { try $0.insertRows(into: "Specimen", present) }
        let skipping = try await store.write {
            try $0.insertRows(into: "Specimen", rows, skippingExisting: true)
        }
        try contract.expectEqual(
            skipping, size - present.count, "the count of an insert of \(size) rows that skips present ones")
        try await expect(
            (0..<size).map { BatchSpecimen.values($0.isMultiple(of: 3) ? $0 + 1 : $0, id: $0) },
            "inserted where every third was there")
        let changed = try await store.write {
            try $0.update(
                Specimen.all,
                set: [
                    .set(\.text, to: ""), .set(\.memo, to: "Été"), .set(\.data, to: Data()),
                    .set(\.real, to: -0.0),
                ])
        }
        try contract.expectEqual(changed, size, "the count of an update of \(size) rows")
        try await expect(
            (0..<size).map { number in
                var row = BatchSpecimen.values(number.isMultiple(of: 3) ? number + 1 : number, id: number)
                (row[4], row[6], row[7], row[8]) = (.double(0), .text(""), .text("Été"), .blob(Data()))
                return row
            }, "updated")
        try await store.write { _ = try $0.delete(Specimen.all) }
    }

    private static func upsert(_ contract: Contract, _ store: any Store, _ size: Int) async throws {
        // Half of the rows exist, and each of those gets the values of its neighbour.
        try await store.write {
            try $0.insertRows(
                into: "Specimen", stride(from: 0, to: size, by: 2).map { BatchSpecimen.values($0) })
        }
        let given = (0..<size).reversed()
        let stored = try await store.write { tx in
            try tx.upsert(given.map { BatchSpecimen.make($0 + 1, id: $0) }, on: \.id)
        }
        try contract.expectEqual(
            stored.map(\.id.uuid), given.map { BatchSpecimen.id($0) },
            "the ids of an upsert of \(size) rows, in its order")
        try contract.expectEqual(
            stored, given.map { BatchSpecimen.make($0 + 1, id: $0) }, "what an upsert of \(size) rows gives")
        let rows = (0..<size).map { BatchSpecimen.values($0 + 1, id: $0) }
        try await contract.expectRows(in: store, of: "Specimen", rows, "\(size) rows of an upsert")
        try await searchable(contract, store, rows, "\(size) rows of an upsert")
        try await store.write { _ = try $0.delete(Specimen.all) }
    }

    /// The folded copies of searchable text, which fetched rows do not show.
    private static func searchable(
        _ contract: Contract, _ store: any Store, _ rows: [[StoredValue]], _ subject: String
    ) async throws {
        for (text, part) in [("eclair", "Éclair"), ("ete", "Été"), ("", "")] {
            let found = try await store.read { tx in
                try tx.fetchRows(of: "Specimen", where: .search(attribute: "memo", .contains, text: text))
            }
            let expected = rows.filter {
                guard case .text(let memo) = $0[7] else { return false }
                return part.isEmpty || memo.contains(part)
            }
            try contract.expectRows(
                found, expected, of: try store.schema.require("Specimen"),
                "\(subject), searched for \"\(text)\"")
        }
    }
}
