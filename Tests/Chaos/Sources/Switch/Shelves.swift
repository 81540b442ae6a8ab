import Switchyard
import SwitchyardConformance

/// The shelves of a store that is switched, or of one of its scopes, and what should be on them.
struct Shelves {
    let scope: StoreScope?
    private var audit: HistoryAudit

    /// Makes shelves of ten books each, whose changes a history tells from then on.
    init(_ url: String, _ scope: StoreScope?, rows: Int, in scratch: Scratch, report: Report) async throws {
        let store = try await Backends.open(url, ShelfSchema.self, scope: scope)
        try await store.write { tx in
            guard rows > 0 else { return }
            let shelves = (0...rows / 10).map { Shelf(name: "~\($0)") }
            try tx.insert(contentsOf: shelves)
            try tx.insert(
                contentsOf: (0..<rows).lazy.map {
                    Book(number: $0 - rows, shelf: shelves[$0 / 10].id, title: "")
                })
        }
        self.scope = scope
        audit = try await HistoryAudit(store, in: scratch, report: report)
        try await store.close()
    }

    /// Checks that the old store has what its writers were promised, and the new one the same rows, one by one.
    ///
    /// - Parameters:
    ///   - old: The old store.
    ///   - new: The new store.
    ///   - workers: The writers of these shelves.
    ///   - report: Where differences are reported.
    /// - Throws: What reading throws.
    mutating func compare(
        _ old: String, _ new: String, after workers: Range<Int>, _ report: Report
    ) async throws {
        let left = try await Backends.open(
            old, ShelfSchema.self, access: .readOnly, createsIfMissing: false, scope: scope)
        let right = try await Backends.open(new, ShelfSchema.self, createsIfMissing: false, scope: scope)
        try await audit.look(after: workers, at: left)
        for entity in left.schema.entities {
            let rows = try await (
                left.read { try $0.fetchRows(of: entity.name) },
                right.read { try $0.fetchRows(of: entity.name) }
            )
            if rows.0 != rows.1 {
                report.violation("\(rows.0.count) rows of \(entity.name), and \(rows.1.count) others")
            }
            report.count("rows", rows.0.count)
        }
        try await left.close()
        try await right.close()
    }
}
