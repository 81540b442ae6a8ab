internal import Foundation
internal import Switchyard
internal import SwitchyardCSV

/// Writes a full file from one snapshot.
struct FullExport {
    private let format: FullFormat
    private let transaction: ReadTransaction
    private let onProgress: (@Sendable (HistoryCSVProgress) -> Void)?

    init(
        _ kind: HistoryCSVKind, _ transaction: ReadTransaction,
        onProgress: (@Sendable (HistoryCSVProgress) -> Void)?
    ) throws {
        format = try FullFormat(kind, transaction.schema)
        self.transaction = transaction
        self.onProgress = onProgress
    }

    /// Writes all rows, newest first.
    ///
    /// - Returns: The number of rows.
    func write(to sink: any ByteSink) throws -> Int {
        var babies: [StoredValue: [StoredValue]] = [:]
        for row in try transaction.fetchRows(of: format.babyEntity.name) {
            babies[row[0]] = Array(row.dropFirst())
        }
        let noBaby = [StoredValue](repeating: .null, count: format.babyEntity.attributes.count - 1)
        var writer = CSVWriter(sink, options: EntityCSV.options)
        for column in format.columns { try writer.write(column) }
        try writer.endRow()
        var count = 0
        try transaction.forEachRow(
            of: format.entity.name, sortedBy: [SortKey(format.timeAttribute, .descending)]
        ) { row in
            for value in row { try writer.write(value) }
            for value in babies[row[format.profile]] ?? noBaby { try writer.write(value) }
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
