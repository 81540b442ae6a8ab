public import Foundation
public import SwitchyardCore

/// How an import treats unknown babies, unknown words, times without a zone and invalid rows.
public struct ImportOptions: Sendable, Hashable {
    /// Whether a baby is added if a row names an unknown one; by default such rows are skipped and the name is
    /// reported.
    public var createsBabies: Bool
    /// Whether valid rows are imported even if others are invalid; by default one invalid row refuses the whole
    /// file.
    public var skipsInvalidRows: Bool
    /// Whether unknown units and feed types are accepted; by default their rows are invalid.
    ///
    /// An unknown unit is kept and counts as millilitres; an unknown feed type becomes formula, as in older releases. The
    /// report lists and counts both.
    public var acceptsUnknownWords: Bool
    /// Whether the import only reports what it would do, and writes nothing.
    public var isDryRun: Bool
    /// The zone of times without one in the app's own files; by default their rows are invalid.
    ///
    /// A time that the clocks of the zone skip is invalid in any case.
    public var timeZone: TimeZone?
    /// The moment to take for a time that the clocks of `timeZone` show twice; by default its row is invalid.
    public var repeatedTime: RepeatedTime

    /// How many rows are written together; nil for the format's default.
    ///
    /// The result is the same for any number.
    var batchRows: Int?

    /// Creates options.
    public init(
        createsBabies: Bool = false, skipsInvalidRows: Bool = false, acceptsUnknownWords: Bool = false,
        isDryRun: Bool = false, timeZone: TimeZone? = nil, repeatedTime: RepeatedTime = .refused
    ) {
        self.createsBabies = createsBabies
        self.skipsInvalidRows = skipsInvalidRows
        self.acceptsUnknownWords = acceptsUnknownWords
        self.isDryRun = isDryRun
        self.timeZone = timeZone
        self.repeatedTime = repeatedTime
    }
}

/// The progress of an import or an export.
///
/// It starts over if the transaction is retried after a conflict with another writer.
public struct HistoryCSVProgress: Sendable, Hashable {
    /// The rows so far, without the header.
    public let rows: Int
    /// The bytes so far.
    public let bytes: Int
    /// The size of the file being read; nil if unknown.
    public let totalBytes: Int?

    /// The progress in percent, at most 100; nil if the size is unknown.
    public var share: Int? { totalBytes.map { $0 > 0 ? min(100, bytes * 100 / $0) : 100 } }
}
