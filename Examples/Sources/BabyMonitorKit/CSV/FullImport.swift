internal import Foundation
internal import Switchyard
internal import SwitchyardCSV
internal import SwitchyardCore

/// Imports a full file within one transaction.
///
/// A row whose id exists is left unchanged, unless its baby was removed: then it gets the baby back. A missing baby is
/// restored with its own id, as its first imported row describes it, but not if all of its rows already belong to other
/// babies.
struct FullImport {
    private let kind: HistoryCSVKind
    private let format: FullFormat
    private let options: ImportOptions
    private let positions: [Int]
    private let transaction: WriteTransaction
    private let batchRows: Int
    private var babies: Set<StoredValue>
    private var rows: [Row] = []
    private var bytes = 0
    private var ending = FullFileEnding()
    private var report = ImportReport()

    /// A row to be written, and its baby if it has one.
    private struct Row {
        var values: [StoredValue]
        let baby: [StoredValue]
    }

    /// Rows are written together, up to `batchRows` or this many bytes of the file.
    private static let batchBytes = 1 << 22

    /// Starts after the header.
    ///
    /// - Parameters:
    ///   - kind: What the file holds.
    ///   - format: The columns.
    ///   - positions: The position of each column in the file.
    ///   - options: How to treat existing and invalid rows.
    ///   - transaction: The transaction to write in.
    /// - Throws: A `StoreError` if the store's babies cannot be read.
    init(
        _ kind: HistoryCSVKind, _ format: FullFormat, positions: [Int], options: ImportOptions,
        transaction: WriteTransaction
    ) throws {
        self.kind = kind
        self.format = format
        self.positions = positions
        self.options = options
        self.transaction = transaction
        batchRows = max(1, options.batchRows ?? 4096)
        babies = Set(try transaction.fetchRows(of: format.babyEntity.name).map { $0[0] })
    }

    /// Imports one row.
    mutating func take(_ row: CSVRow) throws {
        if ending.isReached(by: row) { return }
        if row.count != positions.count {
            report.add(
                error: "Line \(row.line): the row has \(row.count) cells, the header \(positions.count)",
                isSkipped: options.skipsInvalidRows)
            return
        }
        do {
            rows.append(try values(of: row))
            for index in 0..<row.count { bytes += row.bytes(at: index).count }
        } catch let cell {
            report.add(cell, line: row.line, isSkipped: options.skipsInvalidRows)
        }
        if rows.count == batchRows || bytes > Self.batchBytes { try settle() }
    }

    /// Writes the remaining rows.
    ///
    /// - Returns: The report.
    /// - Throws: `CSVError` with code `truncated` for a file without its ending.
    mutating func finish() throws -> ImportReport {
        try ending.requireReached()
        try settle()
        return report
    }

    private mutating func settle() throws {
        defer {
            rows.removeAll(keepingCapacity: true)
            bytes = 0
        }
        guard !rows.isEmpty, report.errorCount == 0 || options.skipsInvalidRows || options.isDryRun else {
            return
        }
        // The baby of each row that is already known, from the store or from an earlier row.
        var owners: [StoredValue: StoredValue] = [:]
        let ids = Array(Set(rows.map { $0.values[0] }))
        try transaction.forEachRow(of: format.entity.name, where: .isIn(.attribute("id"), ids)) {
            owners[$0[0]] = $0[format.profile]
        }
        var fresh: [[StoredValue]] = []
        var positionsOfFresh: [StoredValue: Int] = [:]
        var orphans: [StoredValue: [StoredValue]] = [:]
        var returned = 0
        for row in rows {
            let (id, baby) = (row.values[0], row.values[format.profile])
            if let owner = owners[id] {
                guard owner.isNull, !baby.isNull else {
                    skip(1)
                    continue
                }
                if let position = positionsOfFresh[id] {
                    fresh[position][format.profile] = baby
                } else {
                    orphans[baby, default: []].append(id)
                }
                returned += 1
            } else {
                positionsOfFresh[id] = fresh.count
                fresh.append(row.values)
            }
            owners[id] = baby
            try restore(row.baby)
        }
        try transaction.insertRows(into: format.entity.name, fresh)
        try giveBack(orphans)
        switch kind {
        case .feeds:
            report.insertedFeeds += fresh.count
            report.updatedFeeds += returned
        case .diapers:
            report.insertedDiapers += fresh.count
            report.updatedDiapers += returned
        }
    }

    /// Gives rows back the babies that they lost.
    private func giveBack(_ orphans: [StoredValue: [StoredValue]]) throws {
        for (baby, rows) in orphans {
            try transaction.updateRows(
                of: format.entity.name,
                set: [
                    Assignment(attribute: format.entity.attributes[format.profile].name, value: .value(baby))
                ],
                where: .isIn(.attribute("id"), rows))
        }
    }

    /// All values of a row, parsed before anything is written: an error further right must not leave a baby behind.
    private func values(of row: CSVRow) throws(InvalidCell) -> Row {
        var values: [StoredValue] = []
        values.reserveCapacity(format.entity.attributes.count)
        for (index, attribute) in format.entity.attributes.enumerated() {
            values.append(try row.value(of: attribute, at: positions[index], column: attribute.name))
        }
        let profile = values[format.profile]
        var baby: [StoredValue] = profile.isNull ? [] : [profile]
        for (index, attribute) in format.babyEntity.attributes.enumerated().dropFirst() {
            let (position, column) = (
                positions[format.entity.attributes.count + index - 1], "profile.\(attribute.name)"
            )
            guard !profile.isNull else {
                // A name without an id would be lost silently.
                guard row.bytes(at: position).isEmpty else {
                    throw InvalidCell(column, row.bytes(at: position))
                }
                continue
            }
            let value = try row.value(of: attribute, at: position, column: column)
            if attribute.name == "feedTerm", case .double(let term) = value, term < 0 {
                throw InvalidCell(column, row.bytes(at: position))
            }
            baby.append(value)
        }
        return Row(values: values, baby: baby)
    }

    /// Adds the baby of a row that is written, if the store does not have it.
    private mutating func restore(_ baby: [StoredValue]) throws {
        guard let id = baby.first, babies.insert(id).inserted else { return }
        try transaction.insertRows(into: format.babyEntity.name, [baby])
        report.createdBabies += 1
    }

    private mutating func skip(_ count: Int) {
        switch kind {
        case .feeds: report.skippedFeeds += count
        case .diapers: report.skippedDiapers += count
        }
    }
}
