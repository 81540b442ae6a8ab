internal import Foundation
internal import Switchyard

/// Requirement Q2 for pages: they follow each other without gaps or repetitions, in every direction and with
/// nils in the keys.
enum PageRequirements {
    static let all: [Requirement] = [
        Requirement("Q2+pages", "pages follow each other whatever the directions, ties and nils") {
            contract in
            let store = try await contract.makeStore()
            try await store.write { tx in
                _ = try tx.insert(contentsOf: rows.map(\.specimen))
            }
            for key in Key.allCases {
                for first in [SortDirection.ascending, .descending] {
                    for second in [SortDirection.ascending, .descending] {
                        try await check(contract, store, key, first, second)
                    }
                }
            }
            try await change(contract, store)
        },
        Requirement("Q2+size", "a page of any size gives all rows, and one of no size is an error") {
            contract in
            let store = try await contract.makeStore()
            try await store.write { tx in _ = try tx.insert(contentsOf: rows.map(\.specimen)) }
            try await size(contract, store)
        },
    ]

    /// Five of each number or nil, with alternating texts or nil, so that there are ties in one key and in both.
    private static let rows = (0..<40).map { number in
        let keys: [Int?] = [nil, -1, 0, 1, .max, nil, .min, 0]
        let texts: [String?] = [nil, "", "a", nil, "é"]
        return Row(id: number * 7 % 40, number: keys[number % 8], text: texts[number / 8])
    }

    private struct Row {
        let id: Int
        let number: Int?
        let text: String?

        var specimen: Specimen {
            Specimen(
                id: Specimen.ID(BatchSpecimen.id(id)), whole: number ?? 5, amount: number.map { Decimal($0) },
                text: text ?? "t", moment: number.map { Date(timeIntervalSince1970: Double($0 % 1_000)) },
                renamed: text, otherWhole: number)
        }
    }

    /// The first sort key, and how it orders two rows.
    private enum Key: CaseIterable {
        case optionalNumber, indexedNumber, indexedTime, decimal

        func sort(_ query: Query<Specimen>, _ direction: SortDirection) -> Query<Specimen> {
            switch self {
            case .optionalNumber: query.sorted(by: \.otherWhole, direction)
            case .indexedNumber: query.sorted(by: \.whole, direction)
            case .indexedTime: query.sorted(by: \.moment, direction)
            case .decimal: query.sorted(by: \.amount, direction)
            }
        }

        func value(_ row: Row) -> Int? {
            switch self {
            case .optionalNumber, .decimal: row.number
            case .indexedNumber: row.number ?? 5
            case .indexedTime: row.number.map { $0 % 1_000 }
            }
        }
    }

    private static func check(
        _ contract: Contract, _ store: any Store, _ key: Key, _ first: SortDirection, _ second: SortDirection
    ) async throws {
        let expected = rows.sorted { lhs, rhs in
            if let isBefore = precedes(key.value(lhs), key.value(rhs), first) { return isBefore }
            let texts = [lhs, rhs].map { row in row.text.map { Array($0.utf8) } }
            if let isBefore = precedes(texts[0].map(Bytes.init), texts[1].map(Bytes.init), second) {
                return isBefore
            }
            return lhs.id < rhs.id
        }.map(\.id)
        let query = key.sort(Specimen.all, first).sorted(by: \.renamed, second)
        let what = "\(key) \(first), text \(second)"
        for size in [1, 3, 40] {
            var found: [Specimen] = []
            var cursor: PageCursor?
            repeat {
                let last = cursor
                let page = try await store.read { try $0.page(query, size: size, after: last) }
                found += page.items
                try contract.expect(
                    page.next == nil || page.items.count == size && found.count < rows.count,
                    "pages of \(size), by \(what)", expected: "full ones but for the last, which has no next",
                    found: "\(page.items.count) rows after \(found.count) in all, and a next page")
                cursor = page.next
            } while cursor != nil
            try contract.expectEqual(
                found.map(\.id.uuid), expected.map { BatchSpecimen.id($0) }, "pages of \(size), by \(what)")
        }
    }

    /// Inserting or deleting rows before or after the cursor moves no other row.
    private static func change(_ contract: Contract, _ store: any Store) async throws {
        let query = Specimen.sorted(by: \.otherWhole, .descending)
        let first = try await store.read { try $0.page(query, size: 10) }
        let rest = try await store.read { try $0.fetch(query.offset(10), \.renamed) }
        let gone = try contract.require(first.items.last?.id, "the last row of a page")
        try await store.write { tx in
            try tx.delete(gone)
            try tx.insert(Specimen(otherWhole: .max))
        }
        let second = try await store.read { try $0.page(query, size: 100, after: first.next) }
        try contract.expectEqual(
            second.items.map(\.renamed), rest, "the rows after a page whose last row has gone")
    }

    private static func size(_ contract: Contract, _ store: any Store) async throws {
        let query = Specimen.sorted(by: \.otherWhole)
        let (all, ids) = try await store.read { tx in
            (try tx.page(query, size: .max), try tx.fetch(query, \.id))
        }
        try contract.expectEqual(all.items.map(\.id), ids, "the rows of a page of any size")
        try contract.expect(all.next == nil, "a page of any size", expected: "no next", found: "one")
        for size in [0, -1, .min] {
            try await contract.expectError(.invalidArgument, "a page of \(size) rows") {
                try await store.read { try $0.page(query, size: size) }
            }
        }
    }

    /// Nil sorts first ascending and last descending; returns nil if the two are equal.
    private static func precedes<Value: Comparable>(
        _ lhs: Value?, _ rhs: Value?, _ direction: SortDirection
    ) -> Bool? {
        let isBefore: Bool
        switch (lhs, rhs) {
        case (nil, nil): return nil
        case (nil, _): isBefore = true
        case (_, nil): isBefore = false
        case (let lhs?, let rhs?):
            guard lhs != rhs else { return nil }
            isBefore = lhs < rhs
        }
        return isBefore == (direction == .ascending)
    }

    private struct Bytes: Comparable {
        let bytes: [UInt8]

        static func < (lhs: Self, rhs: Self) -> Bool { lhs.bytes.lexicographicallyPrecedes(rhs.bytes) }
    }
}
