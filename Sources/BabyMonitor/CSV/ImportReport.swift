/// What an import did, or in a dry run would have done.
public struct ImportReport: Sendable, Hashable, Codable {
    /// How many babies were added, because a row named one that was not there.
    public var createdBabies = 0
    /// How many feeds were added.
    public var insertedFeeds = 0
    /// How many feeds were there already and gained the amount that they lacked, or, from a full file, the
    /// baby that they had lost.
    public var updatedFeeds = 0
    /// How many feeds were left out: those that were there already, and those of unknown babies.
    public var skippedFeeds = 0
    /// How many diaper changes were added.
    public var insertedDiapers = 0
    /// How many diaper changes were there already and gained, from a full file, the baby that they had lost.
    public var updatedDiapers = 0
    /// How many diaper changes were left out: those that were there already, and those of unknown babies.
    public var skippedDiapers = 0
    /// The names that no baby has, in the order of their appearance; the first thousand of them, each as
    /// `Excerpt` shows it.
    public var skippedUnknownBabies: [String] = []
    /// What was wrong with rows, such as `Line 7: invalid timestamp 'x'`; lines count from 1 with the header.
    ///
    /// The first thousand of them.
    public var errors: [String] = []
    /// How many rows were wrong, also beyond the first thousand.
    public var errorCount = 0
    /// How many of them were left out, and the others imported: all with `ImportOptions.skipsInvalidRows`, else
    /// none.
    public var skippedInvalidRows = 0

    /// Nothing was done yet.
    public init() {}

    /// How many names and errors are kept, so that a report stays small whatever the file holds.
    static let longestList = 1000

    mutating func add(error: String, isSkipped: Bool) {
        errorCount += 1
        if isSkipped { skippedInvalidRows += 1 }
        if errors.count < Self.longestList { errors.append(error) }
    }
}

/// An import that was refused because rows are wrong.
///
/// Nothing was imported.
public struct ImportRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The errors; all figures of what was done are zero.
    public let report: ImportReport
    /// Whether it was a dry run, so that the import itself is yet to be refused.
    public let isDryRun: Bool

    /// The refusal of an import.
    init(_ report: ImportReport) { (self.report, isDryRun) = (report.onlyErrors, false) }

    /// The refusal that an import would end in whose dry run reported errors.
    public init(ofDryRun report: ImportReport) { (self.report, isDryRun) = (report.onlyErrors, true) }

    /// What happened, with the first five errors.
    public var summary: String {
        let count = report.errorCount
        let shown = report.errors.prefix(5).joined(separator: "; ")
        let rest = count > 5 ? "; and \(count - 5) more" : ""
        return
            "\(isDryRun ? "The import would be refused" : "Nothing was imported"), because \(count == 1 ? "a row is" : "\(count) rows are") invalid: \(shown)\(rest)."
    }

    /// What to tell people: the summary, and what can be done.
    public var description: String { "\(summary) Correct the file, or choose to skip invalid rows." }
}

extension ImportReport {
    /// The report of an import of which nothing was kept.
    fileprivate var onlyErrors: ImportReport {
        var report = ImportReport()
        report.errors = errors
        report.errorCount = errorCount
        return report
    }
}
