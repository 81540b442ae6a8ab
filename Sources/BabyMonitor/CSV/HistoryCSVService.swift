public import Foundation
internal import Switchyard
public import SwitchyardCSV
public import SwitchyardCore

/// Moves the history in and out of CSV files, on any store.
///
/// Legacy files are those of the app: UTF-8 without a byte order mark, LF between rows and none at the end,
/// newest first, times in UTC with milliseconds, a field quoted only where it must be. They are read in UTF-8
/// or UTF-16, with any line ends, short rows filled up, cells trimmed, columns by the names in the header.
///
/// Full files hold every attribute and end with an empty line, so that one that was cut off is refused.
///
/// A feed is known by its baby and its start, a diaper change by its baby, its time and its type. A known
/// feed gains an amount that it lacks and is left alone otherwise. A time in whole milliseconds is that of
/// every event within the millisecond, so that a file that was exported from a store adds nothing to it.
///
/// An import is one transaction: all of it is kept, or none. One wrong row refuses the file, unless
/// `ImportOptions.skipsInvalidRows` is set.
public struct HistoryCSVService: Sendable {
    /// The store.
    public let store: any Store
    /// What is done after an import.
    public let afterWrite: AfterWrite
    /// The clock, by which babies are made.
    public let now: @Sendable () -> Date

    /// Files for a store.
    public init(
        store: any Store, afterWrite: AfterWrite = .nothing, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.store = store
        self.afterWrite = afterWrite
        self.now = now
    }
}

extension HistoryCSVService {
    /// Imports a file, whose format is known by its header.
    ///
    /// - Parameters:
    ///   - kind: What the file holds.
    ///   - input: The file; it is read from its start when the transaction is run again.
    ///   - options: How to treat what is found.
    ///   - onProgress: Is told now and then how far the import has come, from another thread.
    /// - Returns: What was done.
    /// - Throws: `ImportRefusal` for rows that are wrong, `BabyMonitorError` with code `unknownFormat` for a
    ///   file of the other kind, `CSVError` for a file that cannot be read, or a `StoreError`. Nothing was
    ///   imported then.
    /// - Complexity: Constant memory, one question to the store for thousands of rows.
    public func importFile(
        _ kind: HistoryCSVKind, from input: CSVInput, options: ImportOptions = ImportOptions(),
        onProgress: (@Sendable (HistoryCSVProgress) -> Void)? = nil
    ) async throws -> ImportReport {
        let time = now()
        do {
            let report = try await store.write { transaction in
                let run = ImportRun(input: input, options: options, now: time, onProgress: onProgress)
                let report = try run.report(of: kind, in: transaction)
                if options.isDryRun { throw DryRun(report: report) }
                if report.errorCount > 0, !options.skipsInvalidRows { throw ImportRefusal(report) }
                return report
            }
            await afterWrite.run()
            return report
        } catch let end as DryRun {
            return end.report
        }
    }

    /// The format of a file by its first row, so that one that is not there, is no text or holds the other
    /// kind of history is known before a store is opened for it, or made.
    ///
    /// Blocks: call it off the cooperative pool.
    ///
    /// - Throws: `BabyMonitorError` with code `unknownFormat`, or `CSVError`, as the import would.
    public static func format(of input: CSVInput, as kind: HistoryCSVKind) throws -> HistoryCSVFormat {
        try ImportRun.format(of: input, as: kind)
    }

    /// Exports the history to a file, which appears when it is complete; to a pipe as `exportStream`.
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

    /// Exports the history to where nothing is taken back, such as standard output or a pipe.
    ///
    /// A read may be run again, and must not last as long as somebody takes to read a pipe, so the text waits
    /// in a temporary file until the read is over.
    ///
    /// - Parameters:
    ///   - kind: What is exported.
    ///   - format: The form of the file.
    ///   - onProgress: Is told now and then how far the reading has come, from another thread.
    ///   - open: Makes the sink, once.
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
        try await Cancellation.run(on: .global()) { _ in try spool.copy(to: open()) }
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

    /// Exports the history, newest first, from one snapshot, to a sink that can begin anew.
    ///
    /// - Parameters:
    ///   - kind: What is exported.
    ///   - format: The form of the file.
    ///   - onProgress: Is told now and then how far the export has come, from another thread.
    ///   - open: Makes the sink, in which the file begins; called again if the read is run again.
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

/// Ends the transaction of a dry run, so that nothing of it is kept.
private struct DryRun: Error {
    let report: ImportReport
}
