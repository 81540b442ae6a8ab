public import Foundation
internal import Switchyard
public import SwitchyardCSV
public import SwitchyardCore

/// Imports the history from CSV files and exports it, on any store.
///
/// Legacy files are the app's own: UTF-8 without a byte order mark, LF between rows and none at the end, newest
/// first, times in UTC with milliseconds, fields quoted only where necessary. Reading accepts UTF-8 and UTF-16,
/// any line ends, short rows and white space around cells, and finds columns by their names in the header.
///
/// Full files contain every attribute and end with an empty line, so that a truncated file is refused.
///
/// A feed is identified by its baby and start, a diaper change by its baby, time and type. A known feed gains an
/// amount if it has none, and is otherwise left alone. A time in whole milliseconds matches every event within
/// that millisecond, so that importing a file into the store that exported it adds nothing.
///
/// An import is a single transaction. One invalid row refuses the whole file, unless
/// `ImportOptions.skipsInvalidRows` is set.
public struct HistoryCSVService: Sendable {
    /// The store.
    public let store: any Store
    /// The clock for the creation times of babies.
    public let now: @Sendable () -> Date

    /// Creates a service for a store.
    public init(
        store: any Store, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.store = store
        self.now = now
    }
}

extension HistoryCSVService {
    /// Imports a file in the format that its header shows.
    ///
    /// - Parameters:
    ///   - kind: What the file holds.
    ///   - input: The file; it is read again from its start if the transaction is retried.
    ///   - options: How to treat unknown babies and invalid rows.
    ///   - onProgress: Called from time to time with the progress, on another thread.
    /// - Returns: What was imported.
    /// - Throws: `ImportRefusal` for invalid rows, `BabyMonitorError` with code `unknownFormat` for a file of the
    ///   other kind, `CSVError` for a file that cannot be read, or a `StoreError`. Nothing was imported then.
    /// - Complexity: Constant memory; one query for thousands of rows.
    public func importFile(
        _ kind: HistoryCSVKind, from input: CSVInput, options: ImportOptions = ImportOptions(),
        onProgress: (@Sendable (HistoryCSVProgress) -> Void)? = nil
    ) async throws -> ImportReport {
        let time = now()
        do {
            return try await store.write { transaction in
                if !options.isDryRun { try transaction.requireMayChange(at: time) }
                let run = ImportRun(input: input, options: options, now: time, onProgress: onProgress)
                let report = try run.report(of: kind, in: transaction)
                if options.isDryRun { throw DryRun(report: report) }
                if report.errorCount > 0, !options.skipsInvalidRows { throw ImportRefusal(report) }
                return report
            }
        } catch let end as DryRun {
            return end.report
        }
    }

    /// The format of a file, according to its first row.
    ///
    /// Call it before opening or creating a store: it fails for a file that is missing, is not text or holds the other
    /// kind of history. It blocks, so call it off the cooperative pool.
    ///
    /// - Throws: `BabyMonitorError` with code `unknownFormat`, or `CSVError`, as the import would.
    public static func format(of input: CSVInput, as kind: HistoryCSVKind) throws -> HistoryCSVFormat {
        try ImportRun.format(of: input, as: kind)
    }

    /// Exports the history to a file, which appears once it is complete; a pipe is written as by `exportStream`.
    ///
    /// - Returns: The number of rows, without the header.
    /// - Throws: `CSVError` if the file cannot be written, or a `StoreError`.
    @discardableResult
    public func exportFile(
        _ kind: HistoryCSVKind, format: HistoryCSVFormat = .legacy, toPath path: String,
        onProgress: (@Sendable (HistoryCSVProgress) -> Void)? = nil
    ) async throws -> Int {
        let open = { @Sendable in try FileByteSink(path: path) }
        return if FileByteSink.isReplaced(path) {
            try await export(kind, format: format, onProgress: onProgress, to: open)
        } else {
            try await exportStream(kind, format: format, onProgress: onProgress, to: open)
        }
    }

    /// Exports the history to a destination where nothing can be taken back, such as standard output or a pipe.
    ///
    /// A read may be retried, and must not last as long as a slow reader of the pipe, so the text is kept in a
    /// temporary file until the read is over.
    ///
    /// - Parameters:
    ///   - kind: What to export.
    ///   - format: The file's format.
    ///   - onProgress: Called from time to time with the progress, on another thread.
    ///   - open: Creates the sink; called once.
    /// - Returns: The number of rows, without the header.
    /// - Throws: `CSVError` if the sink or the temporary file cannot be written, or a `StoreError`.
    @discardableResult
    public func exportStream(
        _ kind: HistoryCSVKind, format: HistoryCSVFormat = .legacy,
        onProgress: (@Sendable (HistoryCSVProgress) -> Void)? = nil,
        to open: @escaping @Sendable () throws -> any ByteSink
    ) async throws -> Int {
        let (rows, spool) = try await store.read { transaction in
            let spool = try SpoolSink()
            return (try Self.write(kind, format, of: transaction, to: spool, onProgress: onProgress), spool)
        }
        try await Cancellation.run { _ in try spool.copy(to: open()) }
        return rows
    }

    /// Exports the history as text in memory.
    ///
    /// - Throws: As `exportFile`.
    public func exportText(_ kind: HistoryCSVKind, format: HistoryCSVFormat = .legacy) async throws -> String
    {
        try await store.read { transaction in
            let sink = MemoryByteSink()
            _ = try Self.write(kind, format, of: transaction, to: sink, onProgress: nil)
            return sink.text
        }
    }

    /// Exports the history, newest first, from one snapshot, to a sink that can start over.
    ///
    /// - Parameters:
    ///   - kind: What to export.
    ///   - format: The file's format.
    ///   - onProgress: Called from time to time with the progress, on another thread.
    ///   - open: Creates the sink; called again if the read is retried.
    /// - Returns: The number of rows, without the header.
    /// - Throws: `CSVError` if the sink cannot be written, or a `StoreError`.
    /// - Complexity: Constant memory.
    @discardableResult
    public func export(
        _ kind: HistoryCSVKind, format: HistoryCSVFormat = .legacy,
        onProgress: (@Sendable (HistoryCSVProgress) -> Void)? = nil,
        to open: @escaping @Sendable () throws -> any ByteSink
    ) async throws -> Int {
        try await store.read { transaction in
            try Self.write(kind, format, of: transaction, to: try open(), onProgress: onProgress)
        }
    }

    private static func write(
        _ kind: HistoryCSVKind, _ format: HistoryCSVFormat, of transaction: ReadTransaction,
        to sink: any ByteSink,
        onProgress: (@Sendable (HistoryCSVProgress) -> Void)?
    ) throws -> Int {
        switch (format, kind) {
        case (.legacy, .feeds):
            try LegacyExport<FeedRecord>(transaction, onProgress: onProgress).write(to: sink)
        case (.legacy, .diapers):
            try LegacyExport<DiaperRecord>(transaction, onProgress: onProgress).write(to: sink)
        case (.full, _): try FullExport(kind, transaction, onProgress: onProgress).write(to: sink)
        }
    }
}

/// Thrown to roll back the transaction of a dry run.
private struct DryRun: Error {
    let report: ImportReport
}
