internal import Foundation
internal import Switchyard
internal import SwitchyardCSV

/// Reads a file from its start, once, within one transaction.
struct ImportRun {
    let input: CSVInput
    let options: ImportOptions
    let now: Date
    let onProgress: (@Sendable (HistoryCSVProgress) -> Void)?

    private static let rowsBetweenProgress = 1 << 14

    /// Imports everything.
    func report(of kind: HistoryCSVKind, in transaction: WriteTransaction) throws -> ImportReport {
        switch kind {
        case .feeds: try report(of: LegacyFeedRow.self, in: transaction)
        case .diapers: try report(of: LegacyDiaperRow.self, in: transaction)
        }
    }

    /// The format of a file, of which the first row alone is read.
    static func format(of input: CSVInput, as kind: HistoryCSVKind) throws -> HistoryCSVFormat {
        var reader = CSVReader(try input.open(), options: readerOptions)
        guard let first = try reader.next() else { return .legacy }
        if FullFormat.isHeader(first) { return .full }
        _ = try LegacyHeader.isHeader(first, of: kind)
        return .legacy
    }

    private func report<Row: LegacyRow>(
        of _: Row.Type, in transaction: WriteTransaction
    ) throws -> ImportReport {
        var reader = CSVReader(try input.open(), options: Self.readerOptions)
        guard let first = try reader.next() else { return ImportReport() }
        if FullFormat.isHeader(first) {
            let limits = CSVReader.Options()
            reader.accept(fieldBytes: limits.maximumFieldBytes, rowBytes: limits.maximumRowBytes)
            var rows = try FullImport(Row.kind, header: first, options: options, transaction: transaction)
            try forEachRow(of: &reader) { try rows.take($0) }
            try rows.settle()
            return rows.report
        }
        var rows = try LegacyImport<Row>(options: options, now: now, transaction: transaction)
        if try !LegacyHeader.isHeader(first, of: Row.kind) { try rows.take(first, in: transaction) }
        try forEachRow(of: &reader) { try rows.take($0, in: transaction) }
        try rows.settle(in: transaction)
        return rows.report
    }

    @inline(__always)
    private func forEachRow(of reader: inout CSVReader, _ take: (CSVRow) throws -> Void) throws {
        var count = 0
        while let row = try reader.next() {
            try take(row)
            count += 1
            if count.isMultiple(of: Self.rowsBetweenProgress) { tell(count, reader.bytesRead) }
        }
        tell(count, reader.bytesRead)
    }

    private func tell(_ rows: Int, _ bytes: Int) {
        onProgress?(HistoryCSVProgress(rows: rows, bytes: bytes, totalBytes: input.byteCount))
    }

    // A cell of the app's own files holds a name, a time or a number. The reader's own limits, which a full
    // file needs for its memos, would let one broken quote take a hundred megabytes before it is noticed.
    private static var readerOptions: CSVReader.Options {
        var options = CSVReader.Options()
        options.maximumFieldBytes = 1 << 20
        options.maximumRowBytes = 1 << 22
        options.maximumColumns = 256
        return options
    }
}

/// The first row of the app's own files.
enum LegacyHeader {
    /// Whether a row is the header: its first cell is `babyName`, in any case.
    ///
    /// - Throws: `BabyMonitorError` with code `unknownFormat` for the header of the other kind of file.
    static func isHeader(_ row: CSVRow, of kind: HistoryCSVKind) throws -> Bool {
        guard cell(row, 0) == "babyname" else { return false }
        let other: HistoryCSVKind = kind == .feeds ? .diapers : .feeds
        guard cell(row, 2) != other.legacyColumns[2].lowercased() else {
            throw BabyMonitorError(
                .unknownFormat,
                "The file holds \(other.rawValue), not \(kind.rawValue). Import it as \(other.rawValue).")
        }
        return true
    }

    private static func cell(_ row: CSVRow, _ index: Int) -> String {
        String(decoding: row.trimmedBytes(at: index), as: UTF8.self).lowercased()
    }
}
