internal import Foundation
internal import Switchyard
internal import SwitchyardCSV

/// Imports a full file within one transaction.
///
/// A row is known by its id, and left as it is in the store; one that has lost its baby there, because the
/// baby was removed, gets it back. A baby that the store lacks comes from the file, with its own id: the file
/// is a copy of what was, and not a list of names. It comes with the first row that is written for it: a
/// baby all of whose rows are known as those of others stays away.
struct FullImport {
    private let kind: HistoryCSVKind
    private let format: FullFormat
    private let options: ImportOptions
    private let positions: [Int]
    private let transaction: WriteTransaction
    private var babies: Set<StoredValue>
    /// The babies of the rows that wait, as the file has them, which the store lacks.
    private var offered: [StoredValue: [StoredValue]] = [:]
    private var rows: [[StoredValue]] = []
    private var ids: Set<StoredValue> = []
    private var bytes = 0
    private(set) var report = ImportReport()

    /// Rows wait to be written together, up to so many, or so many bytes of the file.
    private static let batchSize = 4096
    private static let batchBytes = 1 << 22

    /// Reads the header.
    ///
    /// - Throws: `BabyMonitorError` with code `unknownFormat` if a column is missing or none of the format's.
    init(
        _ kind: HistoryCSVKind, header: CSVRow, options: ImportOptions, transaction: WriteTransaction
    ) throws {
        self.kind = kind
        self.options = options
        self.transaction = transaction
        let format = try FullFormat(kind, transaction.schema)
        let names = try CSVHeader(header)
        let (missing, unknown) = names.differences(from: format.columns)
        guard missing.isEmpty, unknown.isEmpty else {
            let faults = missing.map { "\($0) is missing" } + unknown.map { "\($0) is not known" }
            throw BabyMonitorError(
                .unknownFormat,
                "The file is no full file of \(kind.rawValue): \(faults.joined(separator: ", ")). Nothing was imported."
            )
        }
        positions = format.columns.compactMap { names.index(of: $0) }
        babies = Set(try transaction.fetchRows(of: format.babyEntity.name).map { $0[0] })
        self.format = format
    }

    /// Takes one row.
    mutating func take(_ row: CSVRow) throws {
        if row.isBlank { return }
        do {
            let values = try values(of: row)
            if values.baby.count > 1 { offered[values.baby[0]] = values.baby }
            if ids.insert(values.row[0]).inserted { rows.append(values.row) } else { skip(1) }
            for index in 0..<row.count { bytes += row.bytes(at: index).count }
        } catch let cell as InvalidCell {
            report.add(error: cell.message(line: row.line))
        }
        if rows.count == Self.batchSize || bytes > Self.batchBytes { try settle() }
    }

    /// Writes what has been taken and not yet been written.
    mutating func settle() throws {
        defer {
            rows.removeAll(keepingCapacity: true)
            ids.removeAll(keepingCapacity: true)
            offered.removeAll(keepingCapacity: true)
            bytes = 0
        }
        guard !rows.isEmpty, report.errorCount == 0 || options.skipsInvalidRows || options.isDryRun else {
            return
        }
        var knownBabies: [StoredValue: StoredValue] = [:]
        try transaction.forEachRow(of: format.entity.name, where: .isIn(.attribute("id"), Array(ids))) {
            knownBabies[$0[0]] = $0[format.profile]
        }
        var fresh: [[StoredValue]] = []
        var orphans: [StoredValue: [StoredValue]] = [:]
        for row in rows {
            let baby = row[format.profile]
            if let known = knownBabies[row[0]] {
                guard known.isNull, !baby.isNull else { continue }
                orphans[baby, default: []].append(row[0])
            } else {
                fresh.append(row)
            }
            try restoreBaby(baby)
        }
        try transaction.insertRows(into: format.entity.name, fresh)
        let returned = try giveBack(orphans)
        skip(rows.count - fresh.count - returned)
        switch kind {
        case .feeds:
            report.insertedFeeds += fresh.count
            report.updatedFeeds += returned
        case .diapers:
            report.insertedDiapers += fresh.count
            report.updatedDiapers += returned
        }
    }

    /// Gives rows the babies that they have lost.
    ///
    /// - Returns: The number of rows.
    private func giveBack(_ orphans: [StoredValue: [StoredValue]]) throws -> Int {
        var count = 0
        for (baby, rows) in orphans {
            count += try transaction.updateRows(
                of: format.entity.name,
                set: [
                    Assignment(attribute: format.entity.attributes[format.profile].name, value: .value(baby))
                ],
                where: .isIn(.attribute("id"), rows))
        }
        return count
    }

    /// All values of a row, before anything is done with them: a row that is wrong further right makes no
    /// baby.
    private func values(of row: CSVRow) throws -> (row: [StoredValue], baby: [StoredValue]) {
        var values: [StoredValue] = []
        values.reserveCapacity(positions.count)
        for (index, attribute) in format.entity.attributes.enumerated() {
            values.append(try row.value(of: attribute, at: positions[index], column: attribute.name))
        }
        var baby = [values[format.profile]]
        guard !baby[0].isNull, !babies.contains(baby[0]), offered[baby[0]] == nil else {
            return (values, baby)
        }
        for (index, attribute) in format.babyEntity.attributes.enumerated().dropFirst() {
            let position = positions[format.entity.attributes.count + index - 1]
            baby.append(try row.value(of: attribute, at: position, column: "profile.\(attribute.name)"))
        }
        return (values, baby)
    }

    /// Adds the baby of a row that is written, if the store lacks it.
    private mutating func restoreBaby(_ id: StoredValue) throws {
        guard let baby = offered[id], babies.insert(id).inserted else { return }
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
