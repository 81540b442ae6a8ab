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

    /// The format of a file; only its first row is read.
    static func format(of input: CSVInput, as kind: HistoryCSVKind) throws -> HistoryCSVFormat {
        var reader = CSVReader(try input.open(), options: readerOptions)
        guard let first = try reader.nextWithText() else { return .legacy }
        return try HistoryCSVHeader(first, of: kind, schema: BabyMonitorSchema.schema).format
    }

    private func report<Row: LegacyRow>(
        of _: Row.Type, in transaction: WriteTransaction
    ) throws -> ImportReport {
        var reader = CSVReader(try input.open(), options: Self.readerOptions)
        guard let first = try reader.nextWithText() else { return ImportReport() }
        let kind = Row.Record.kind
        switch try HistoryCSVHeader(first, of: kind, schema: transaction.schema) {
        case .full(let format, let positions):
            let limits = CSVReader.Options()
            reader.accept(fieldBytes: limits.maximumFieldBytes, rowBytes: limits.maximumRowBytes)
            var rows = try FullImport(
                kind, format, positions: positions, options: options, transaction: transaction)
            try forEachRow(of: &reader) { try rows.take($0) }
            return try rows.finish()
        case .legacy(let columns, let isHeader):
            var rows = try LegacyImport<Row>(
                columns: columns, options: options, now: now, transaction: transaction)
            if !isHeader { try rows.take(first, in: transaction) }
            try forEachRow(of: &reader) { try rows.take($0, in: transaction) }
            return try rows.finish(in: transaction)
        }
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

    // A cell of the app's own files is a name, a time or a number. With the reader's default limits, which full
    // files need for their memos, a single broken quote would use a hundred megabytes before it is noticed.
    private static var readerOptions: CSVReader.Options {
        var options = CSVReader.Options()
        options.maximumFieldBytes = 1 << 20
        options.maximumRowBytes = 1 << 22
        options.maximumColumns = 256
        return options
    }
}
