internal import Foundation
internal import Switchyard
internal import SwitchyardCSV

/// Imports a full file within one transaction.
///
/// A row is known by its id, and left as it is in the store. A baby that the store lacks comes from the file,
/// with its own id: the file is a copy of what was, and not a list of names.
struct FullImport {
    private let kind: HistoryCSVKind
    private let format: FullFormat
    private let options: ImportOptions
    private let positions: [Int]
    private let transaction: WriteTransaction
    private var babies: Set<StoredValue>
    private var rows: [[StoredValue]] = []
    private var ids: Set<StoredValue> = []
    private(set) var report = ImportReport()

    private static let batchSize = 4096

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
            try restoreBaby(values.baby)
            if ids.insert(values.row[0]).inserted { rows.append(values.row) } else { skip(1) }
        } catch let cell as InvalidCell {
            report.add(error: cell.message(line: row.line))
        }
        if rows.count == Self.batchSize { try settle() }
    }

    /// Writes what has been taken and not yet been written.
    mutating func settle() throws {
        defer {
            rows.removeAll(keepingCapacity: true)
            ids.removeAll(keepingCapacity: true)
        }
        guard !rows.isEmpty, report.errorCount == 0 || options.skipsInvalidRows || options.isDryRun else {
            return
        }
        var known: Set<StoredValue> = []
        try transaction.forEachRow(of: format.entity.name, where: .isIn(.attribute("id"), Array(ids))) {
            known.insert($0[0])
        }
        let fresh = rows.filter { !known.contains($0[0]) }
        try transaction.insertRows(into: format.entity.name, fresh)
        skip(rows.count - fresh.count)
        switch kind {
        case .feeds: report.insertedFeeds += fresh.count
        case .diapers: report.insertedDiapers += fresh.count
        }
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
        guard !baby[0].isNull, !babies.contains(baby[0]) else { return (values, baby) }
        for (index, attribute) in format.babyEntity.attributes.enumerated().dropFirst() {
            let position = positions[format.entity.attributes.count + index - 1]
            baby.append(try row.value(of: attribute, at: position, column: "profile.\(attribute.name)"))
        }
        return (values, baby)
    }

    private mutating func restoreBaby(_ baby: [StoredValue]) throws {
        guard baby.count > 1 else { return }
        guard report.createdBabies < ImportLimits.mostNewBabies else { throw ImportLimits.tooManyBabies }
        try transaction.insertRows(into: format.babyEntity.name, [baby])
        babies.insert(baby[0])
        report.createdBabies += 1
    }

    private mutating func skip(_ count: Int) {
        switch kind {
        case .feeds: report.skippedFeeds += count
        case .diapers: report.skippedDiapers += count
        }
    }
}
