internal import Switchyard
internal import SwitchyardCSV

/// A record that can be written as a row of the app's own files.
protocol LegacyExportable: HistoryRecord {
    /// Writes the cells after the name.
    func writeCells(to writer: inout CSVWriter) throws
}

/// Writes a legacy file from one snapshot.
struct LegacyExport<Element: LegacyExportable> {
    private let transaction: ReadTransaction
    private let onProgress: (@Sendable (HistoryCSVProgress) -> Void)?

    init(_ transaction: ReadTransaction, onProgress: (@Sendable (HistoryCSVProgress) -> Void)?) {
        self.transaction = transaction
        self.onProgress = onProgress
    }

    /// Writes all rows, newest first.
    ///
    /// - Returns: The number of rows.
    func write(to sink: any ByteSink) throws -> Int {
        var names: [BabyProfile.ID: [UInt8]] = [:]
        for baby in try transaction.babies() { names[baby.id] = [UInt8](baby.name.utf8) }
        var writer = CSVWriter(sink)
        for column in Element.kind.legacyColumns { try writer.write(column) }
        try writer.endRow()
        var count = 0
        let query = Query<Element>().sorted(by: SortKey(Element.timeAttribute, .descending))
        try transaction.forEach(query) { element in
            if let name = element.profile.flatMap({ names[$0] }) {
                try name.withUnsafeBytes { try writer.write(utf8: $0) }
            } else {
                try writer.writeNull()
            }
            try element.writeCells(to: &writer)
            try writer.endRow()
            count += 1
            if count.isMultiple(of: 1 << 14) {
                onProgress?(HistoryCSVProgress(rows: count, bytes: writer.bytesWritten, totalBytes: nil))
            }
        }
        try writer.finish()
        return count
    }
}

extension FeedRecord: LegacyExportable {
    func writeCells(to writer: inout CSVWriter) throws {
        try writer.write(microseconds: startTime.value, precision: .milliseconds)
        if let amountValue { try writer.write(amountValue) } else { try writer.writeNull() }
        if let amountUnitSymbol { try writer.write(amountUnitSymbol) } else { try writer.writeNull() }
        if let feedType { try writer.write(feedType.rawValue) } else { try writer.writeNull() }
    }
}

extension DiaperRecord: LegacyExportable {
    func writeCells(to writer: inout CSVWriter) throws {
        try writer.write(microseconds: timestamp.value, precision: .milliseconds)
        try writer.write(type.rawValue)
    }
}
