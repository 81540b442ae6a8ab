/// What an import did, or in a dry run would have done.
public struct ImportReport: Sendable, Hashable, Codable {
    /// How many babies were added because a row named an unknown one.
    public var createdBabies = 0
    /// How many feeds were added.
    public var insertedFeeds = 0
    /// How many existing feeds gained an amount or, from a full file, got back the baby they had lost.
    public var updatedFeeds = 0
    /// How many feeds were skipped: those that already existed, and those of unknown babies.
    public var skippedFeeds = 0
    /// How many diaper changes were added.
    public var insertedDiapers = 0
    /// How many existing diaper changes got back, from a full file, the baby they had lost.
    public var updatedDiapers = 0
    /// How many diaper changes were skipped: those that already existed, and those of unknown babies.
    public var skippedDiapers = 0
    /// The names of unknown babies, in order of appearance; at most the first thousand, each as an `Excerpt`.
    public var skippedUnknownBabies: [String] = []
    /// The errors, such as `Line 7: invalid timestamp 'x'`; lines count from 1 including the header.
    ///
    /// The first thousand of them.
    public var errors: [String] = []
    /// How many rows were invalid, including those beyond the first thousand.
    public var errorCount = 0
    /// How many invalid rows were skipped while the others were imported: all with
    /// `ImportOptions.skipsInvalidRows`, otherwise none.
    public var skippedInvalidRows = 0

    /// How to correct the invalid cells, in order of first appearance.
    public var advice: [ImportAdvice] = []
    /// How many rows have an unknown unit, which counts as millilitres; only with
    /// `ImportOptions.acceptsUnknownWords`.
    public var unknownUnitRows = 0
    /// Those units, in order of appearance; at most the first thousand, each as an `Excerpt`.
    public var unknownUnits: [String] = []
    /// How many rows have an unknown feed type, which counts as formula; only with
    /// `ImportOptions.acceptsUnknownWords`.
    public var unknownFeedTypeRows = 0
    /// Those feed types, in order of appearance; at most the first thousand, each as an `Excerpt`.
    public var unknownFeedTypes: [String] = []

    /// Creates an empty report.
    public init() {}

    /// The limit on the names and errors kept, so that any file gives a small report.
    static let longestList = 1000

    mutating func add(error: String, isSkipped: Bool) {
        errorCount += 1
        if isSkipped { skippedInvalidRows += 1 }
        if errors.count < Self.longestList { errors.append(error) }
    }

    mutating func add(_ cell: InvalidCell, line: Int, isSkipped: Bool) {
        add(error: cell.message(line: line), isSkipped: isSkipped)
        for advice in cell.advice where !self.advice.contains(advice) { self.advice.append(advice) }
    }
}

/// An import that was refused because of invalid rows.
///
/// Nothing was imported.
public struct ImportRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The errors; all other counts are zero.
    public let report: ImportReport
    /// Whether it was a dry run, so that an actual import would be refused.
    public let isDryRun: Bool

    /// The refusal of an import.
    init(_ report: ImportReport) { (self.report, isDryRun) = (report.onlyErrors, false) }

    /// The refusal that an import would end in, if its dry run reported errors.
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
    public var description: String {
        ([summary] + report.advice.map(\.description) + ["Correct the file, or choose to skip invalid rows."])
            .joined(separator: " ")
    }
}

extension ImportReport {
    /// The report with its errors only.
    fileprivate var onlyErrors: ImportReport {
        var report = ImportReport()
        report.errors = errors
        report.errorCount = errorCount
        report.advice = advice
        return report
    }
}
