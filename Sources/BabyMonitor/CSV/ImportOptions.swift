/// How an import treats unknown babies and invalid rows.
public struct ImportOptions: Sendable, Hashable {
    /// Whether a baby is added if a row names an unknown one; by default such rows are skipped and the name is
    /// reported.
    public var createsBabies: Bool
    /// Whether valid rows are imported even if others are invalid; by default one invalid row refuses the whole
    /// file.
    public var skipsInvalidRows: Bool
    /// Whether the import is only tried and reported, and nothing written.
    public var isDryRun: Bool

    /// How many rows are written together; nil for the format's default.
    ///
    /// The result is the same for any number.
    var batchRows: Int?

    /// Creates options.
    public init(createsBabies: Bool = false, skipsInvalidRows: Bool = false, isDryRun: Bool = false) {
        self.createsBabies = createsBabies
        self.skipsInvalidRows = skipsInvalidRows
        self.isDryRun = isDryRun
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
