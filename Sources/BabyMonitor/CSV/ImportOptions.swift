/// How an import treats what it finds.
public struct ImportOptions: Sendable, Hashable {
    /// Whether a baby is added where a row names one that is not there; by default such a row is skipped and
    /// the name reported.
    public var createsBabies: Bool
    /// Whether the rows that are right are imported although others are wrong; by default one wrong row
    /// refuses the whole file.
    public var skipsInvalidRows: Bool
    /// Whether everything is tried and reported, and nothing written.
    public var isDryRun: Bool

    /// How many rows are written together; nil for what suits the format.
    ///
    /// The result is the same for any number.
    var batchRows: Int?

    /// The defaults, except for what is given.
    public init(createsBabies: Bool = false, skipsInvalidRows: Bool = false, isDryRun: Bool = false) {
        self.createsBabies = createsBabies
        self.skipsInvalidRows = skipsInvalidRows
        self.isDryRun = isDryRun
    }
}

/// How far an import or an export has come.
///
/// An import starts again from the beginning when another writer got in between.
public struct HistoryCSVProgress: Sendable, Hashable {
    /// The rows so far, without the header.
    public let rows: Int
    /// The bytes so far.
    public let bytes: Int
    /// The size of the file that is read; nil if it is not known.
    public let totalBytes: Int?

    /// How far it has come in percent, at most 100; nil if the size is not known.
    public var share: Int? { totalBytes.map { $0 > 0 ? min(100, bytes * 100 / $0) : 100 } }
}
