internal import Foundation
internal import Switchyard

/// A write that reads one entity, however large, page by page while it writes another.
enum PagingRequirements {
    static let all: [Requirement] = [
        Requirement("T+pages", "a write reads one entity page by page while it inserts into another") {
            contract in
            try await manyRows(contract)
            try await largeRows(contract)
        }
    ]

    /// Copies all notes to tickets, one page at a time.
    ///
    /// - Returns: The number of pages.
    private static func copy(_ tx: WriteTransaction, pageSize: Int) throws -> Int {
        var (pages, number) = (0, 0)
        var cursor: PageCursor?
        repeat {
            let page = try tx.page(Note.all, size: pageSize, after: cursor)
            try tx.insert(
                contentsOf: page.items.map { note in
                    number += 1
                    return Ticket(id: Ticket.ID(note.id.uuid), number: number, count: note.body.utf8.count)
                })
            // Changes the entity that is being read, though not the rows of later pages.
            if let last = page.items.last { try tx.delete(last) }
            cursor = page.next
            pages += 1
        } while cursor != nil
        return pages
    }

    private static func manyRows(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        try await store.write { tx in
            try tx.insert(contentsOf: (1...20_000).lazy.map { Note(body: "\($0)") })
        }
        let pages = try await store.write { try copy($0, pageSize: 512) }
        let (tickets, digits, notes) = try await store.read { tx in
            (
                try tx.count(Ticket.all), try tx.aggregate(Ticket.all, .sum(\.count)),
                try tx.count(Note.all)
            )
        }
        // 9 numbers of one digit, 90 of two, 900 of three, 9,000 of four and 10,001 of five.
        try contract.expectEqual(
            [tickets, digits, pages], [20_000, 88_894, 40], "rows, their digits, and pages")
        try contract.expectEqual(notes, 20_000 - 40, "the rows that were read and not deleted")
    }

    private static func largeRows(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let body = String(repeating: "ä", count: 1 << 20)
        for _ in 0..<8 { try await store.write { try $0.insert(Note(body: body)) } }
        let pages = try await store.write { try copy($0, pageSize: 1) }
        let bytes = try await store.read { try $0.aggregate(Ticket.all, .sum(\.count)) }
        try contract.expectEqual(
            [pages, bytes], [8, 8 << 21], "the pages of one row, and the bytes in them")
    }
}
