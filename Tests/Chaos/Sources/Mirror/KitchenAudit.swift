import Foundation
import Switchyard
import SwitchyardMirror

/// Compares a server with what the processes of its devices have noted, without asking how a mirror works.
///
/// Each value that a process has written is looked up: it is there, or somebody has overwritten it who had seen it, or it is in
/// the log of conflicts, or its write was rejected.
struct KitchenAudit {
    private struct Value: Hashable, CustomStringConvertible {
        let row: RowName
        let attribute: String
        let value: Int

        var description: String { "\(attribute) \(value) of \(row)" }
    }

    /// A write, and what came of it on its device; nil if it was killed.
    private struct Noted {
        let deed: Deed
        let outcome: Journal.Outcome?
    }

    private let report: Report
    private var deeds: [String: Noted] = [:]
    /// The authors of the values.
    private var makers: [Value: String] = [:]
    /// The writes that have seen a value and changed it.
    private var seers: [Value: [String]] = [:]
    /// The rows of the server.
    private var rows: [RowName: [String: Int]] = [:]
    /// The authors of the transactions in the server's history.
    private var carriedOut: Set<String> = []
    /// The authors of the transactions that have overwritten or deleted a value on the server; nil for rows that a device had
    /// before it was a mirror.
    private var overwriters: [Value: String?] = [:]
    private var lost: Set<Value> = []
    private var rejected: Set<String> = []
    private var quarantined: Set<Value> = []

    /// Reads what there is.
    ///
    /// - Parameters:
    ///   - journals: The journals of all processes, by their numbers.
    ///   - forgotten: The processes whose device was replaced by an older copy afterwards.
    ///   - server: The server's store.
    ///   - devices: The devices' stores.
    ///   - report: Where violations are reported.
    /// - Throws: As a read.
    init(
        _ journals: [Int: JournalContents], forgotten: Set<Int>, server: any Store, devices: [any Store],
        report: Report
    ) async throws {
        self.report = report
        for (worker, journal) in journals {
            for (number, deed) in journal.deeds {
                let author = Deed.author(worker, number)
                let outcome = forgotten.contains(worker) ? nil : journal.outcomes[number]
                deeds[author] = Noted(deed: deed, outcome: outcome)
                for change in deed.changes {
                    for (name, value) in change.made {
                        makers[Value(row: change.row, attribute: name, value: value)] = author
                    }
                    for (name, value) in change.seen {
                        seers[Value(row: change.row, attribute: name, value: value), default: []].append(
                            author)
                    }
                }
            }
        }
        rows = try await server.kitchenRows()
        for transaction in try await server.read({ try $0.history() }) { try note(transaction) }
        for conflict in try await server.mirrorConflicts() {
            for value in conflict.values {
                guard case .int(let number) = value.losing else { continue }
                let row = RowName(entity: conflict.entity, id: conflict.row)
                lost.insert(Value(row: row, attribute: value.attribute, value: Int(number)))
            }
        }
        for device in devices {
            for write in try await device.rejectedWrites() {
                if let author = write.author { rejected.insert(author) }
                // The rows that a device has had before it became a mirror are sent as one write of nobody's.
                for change in write.changes where write.author == nil {
                    for case (let name, .int(let value)) in change.values {
                        quarantined.insert(
                            Value(
                                row: RowName(entity: change.entity, id: change.row), attribute: name,
                                value: Int(value)))
                    }
                }
            }
        }
    }

    private mutating func note(_ transaction: HistoryTransaction) throws {
        if let author = transaction.author {
            if !carriedOut.insert(author).inserted { report.violation("\(author) was carried out twice") }
        }
        for change in try transaction.changes.all() {
            let row = RowName(entity: change.entity, id: change.id)
            for name in KitchenSchema.marks[change.entity] ?? [] {
                guard case .int(let value)? = change.before(name) else { continue }
                overwriters[Value(row: row, attribute: name, value: Int(value))] = .some(transaction.author)
            }
        }
    }

    /// How many values have lost, and how many writes were rejected.
    var numbers: (conflicts: Int, rejections: Int) { (lost.count, rejected.count) }

    /// Reports what should not be.
    func verify() {
        for author in carriedOut {
            guard let noted = deeds[author] else {
                report.violation("\(author) was carried out and never begun")
                continue
            }
            if noted.outcome == .failed { report.violation("\(author) was carried out and has failed") }
            if rejected.contains(author) { report.violation("\(author) was carried out and rejected") }
        }
        for (author, noted) in deeds {
            if rejected.contains(author) || noted.outcome == .failed {
                for change in noted.deed.changes {
                    for value in values(change.made, of: change.row) where isCurrent(value) {
                        report.violation("\(author) was not carried out, and its \(value) is there")
                    }
                }
            } else if noted.outcome == .done || carriedOut.contains(author) {
                for change in noted.deed.changes { verify(change, of: author, noted.deed) }
            }
        }
        verifyRows()
    }

    private func verify(_ change: Deed.Change, of author: String, _ deed: Deed) {
        if change.kind == .delete, rows[change.row] != nil {
            report.violation("\(author) has deleted \(change.row), and it is there")
        }
        for value in values(change.made, of: change.row) where !isAccountedFor(value, deed) {
            let fate =
                overwriters[value].map { "was overwritten by \($0 ?? "rows from before")" } ?? "is nowhere"
            report.violation("\(author) has written \(value), and it \(fate)")
        }
    }

    /// Checks that the server's values come from somebody, and that its counts are the sums of what was added.
    private func verifyRows() {
        var (least, most): ([RowName: Int], [RowName: Int]) = ([:], [:])
        for (author, noted) in deeds where !rejected.contains(author) && noted.outcome != .failed {
            let isDone = noted.outcome == .done || carriedOut.contains(author)
            // Nobody knows whether what was interrupted before is among the rows that were sent.
            guard isDone || !noted.deed.isMirrored else { continue }
            for change in noted.deed.changes {
                if isDone { least[change.row, default: 0] += change.added }
                most[change.row, default: 0] += change.added
            }
        }
        for (row, values) in rows {
            for name in KitchenSchema.marks[row.entity] ?? [] {
                let value = Value(row: row, attribute: name, value: values[name] ?? 0)
                if value.value > Household.filled, makers[value] == nil {
                    report.violation("nobody has written \(value)")
                }
            }
            let (count, range) = (values["count"] ?? 0, (least[row] ?? 0)...(most[row] ?? 0))
            if !range.contains(count) { report.violation("the count of \(row) is \(count), not \(range)") }
        }
    }

    private func values(_ values: [String: Int], of row: RowName) -> [Value] {
        values.map { Value(row: row, attribute: $0.key, value: $0.value) }
    }

    private func isCurrent(_ value: Value) -> Bool { rows[value.row]?[value.attribute] == value.value }

    private func isAccountedFor(_ value: Value, _ deed: Deed) -> Bool {
        if isCurrent(value) || lost.contains(value) || quarantined.contains(value) { return true }
        if let overwriter = overwriters[value] { return overwriter.map { hasSeen($0, value) } ?? false }
        // It can have been overwritten before the rows were sent, by a value that is looked up itself.
        guard !deed.isMirrored else { return false }
        return (seers[value] ?? []).contains { author in
            guard let later = deeds[author], !carriedOut.contains(author),
                let change = later.deed.changes.first(where: { $0.row == value.row })
            else { return false }
            guard let new = change.made[value.attribute] else { return rows[value.row] == nil }
            return later.outcome == .done
                || isAccountedFor(
                    Value(row: value.row, attribute: value.attribute, value: new), later.deed)
        }
    }

    /// Whether a write, or one that it had seen, has seen a value.
    private func hasSeen(_ author: String, _ value: Value) -> Bool {
        var author = author
        while let change = deeds[author]?.deed.changes.first(where: { $0.row == value.row }),
            let seen = change.seen[value.attribute]
        {
            if seen == value.value { return true }
            let earlier = Value(row: value.row, attribute: value.attribute, value: seen)
            guard let maker = makers[earlier], maker != author else { return false }
            author = maker
        }
        return false
    }
}

extension Store {
    /// The numbers in all rows.
    func kitchenRows() async throws -> [RowName: [String: Int]] {
        try await read { tx in
            var rows: [RowName: [String: Int]] = [:]
            for entity in tx.schema.entities {
                for row in try tx.fetchRows(of: entity.name) {
                    guard case .uuid(let id) = row[0] else { continue }
                    var values: [String: Int] = [:]
                    for (attribute, value) in zip(entity.attributes, row) {
                        if case .int(let number) = value { values[attribute.name] = Int(number) }
                    }
                    rows[RowName(entity: entity.name, id: id)] = values
                }
            }
            return rows
        }
    }
}
