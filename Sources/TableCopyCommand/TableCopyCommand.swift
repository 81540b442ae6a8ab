public import ArgumentParser
internal import Foundation
public import SwitchyardCommands
internal import SwitchyardCore
internal import SwitchyardTransfer
internal import TableCopy

/// `copy SQLITE_FILE POSTGRES_URL`, for an app's `StoreApp.storeCommands`.
///
/// It is a module of its own, because it links the client of PostgreSQL.
public struct TableCopyCommand<App: StoreApp>: AsyncParsableCommand {
    /// The word `copy`.
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "copy",
            abstract: "Copies all tables of an SQLite file that is not a store to PostgreSQL.",
            discussion: """
                The command first surveys the values of all columns, since SQLite accepts any value in any column. It creates \
                tables, rows, keys and indexes in one transaction, which it commits once it has read all rows back and found \
                them equal. The file is never changed. The tables go to the schema public, unless ?schema=NAME follows the URL.
                """)
    }

    @Argument(help: ArgumentHelp("The SQLite file.", valueName: "sqlite-file")) var file: String
    @Argument(help: ArgumentHelp("The database: postgres://….", valueName: "postgres-url")) var url: String
    @Flag(help: "Survey the values and show the tables to be created; change nothing.") var dryRun = false
    @OptionGroup var options: App.Options

    /// Creates the declaration that the parser reads.
    public init() {}

    private var call: StoreCall { StoreCall(NoStoreArguments(), options) }

    /// Refuses the option for a store.
    ///
    /// - Throws: `ValidationError`.
    public func validate() throws {
        if call.store != nil {
            throw ValidationError("The file and the database are the arguments; leave --store out.")
        }
    }

    /// Copies the tables, or shows what would be made.
    ///
    /// - Throws: As `TableCopy`.
    public func run() async throws {
        let path = file.hasPrefix("sqlite:") ? String(file.dropFirst("sqlite:".count)) : file
        let copy = TableCopy(from: path, to: url, logger: call.logger(App.commandName))
        if dryRun {
            let plan = try await carryOut { try await copy.plan() }
            if call.json {
                try Terminal.print(json: PlanOutput(plan))
            } else {
                Terminal.print(lines: plan.lines)
            }
            guard plan.isPossible else {
                throw StoreError(.valueNotRepresentable, "The copy cannot be made; nothing was changed.")
            }
            return
        }
        let isJSON = call.json
        let report = try await carryOut {
            try await copy.run { CopyOutput.tell($0, isJSON: isJSON) }
        }
        if call.json { return try Terminal.print(json: CopyOutput(report), onOneLine: true) }
        Terminal.print(
            lines: report.tables.map { "\($0.name): \(rows($0.digest.count)), \($0.digest): equal" })
        Terminal.print(
            "\(Terminal.count(report.tables.count, "table is", "tables are")) in PostgreSQL; the file is unchanged."
        )
    }

    private func carryOut<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        do {
            return try await Interruption.cancelling(work)
        } catch let error as StoreError where error.code == .configuration && error.underlying != nil {
            // The URL is valid, but the server says that something it names does not exist.
            throw StoreUnavailable(reason: error)
        }
    }

    private func rows(_ count: Int) -> String { Terminal.count(count, "row", "rows") }
}

extension TableCopyPlan {
    fileprivate var lines: [String] {
        tables.flatMap { table in
            ["\(table.name): \(Terminal.count(table.rows, "row", "rows"))"]
                + table.columns.map { column in
                    let declared = column.declaredType.isEmpty ? "" : "\(column.declaredType) → "
                    return "  \(column.name)  \(declared)\(column.type)  (\(column.census.words))"
                }
        } + findings.map(\.line) + (isPossible ? ["The copy can be made; nothing was changed."] : [])
    }
}

extension TableCopyFinding {
    fileprivate var line: String { "\(kind.rawValue): \(message)" }
}

extension ColumnCensus {
    /// The values by type, such as `12 integers, 3 nulls`.
    fileprivate var words: String {
        let counts = [
            (integers, "integer", "integers"), (reals, "real", "reals"), (texts, "text", "texts"),
            (blobs, "blob", "blobs"), (nulls, "null", "nulls"),
        ]
        let words = counts.filter { $0.0 > 0 }.map { Terminal.count($0.0, $0.1, $0.2) }
        return words.isEmpty ? "no values" : words.joined(separator: ", ")
    }
}

/// What a copy would make, in the command's output.
private struct PlanOutput: Encodable {
    let isPossible: Bool
    let tables: [Table]
    let findings: [FindingOutput]

    struct Table: Encodable {
        let table: String
        let rows: Int
        let columns: [Column]
        let statements: [String]
    }

    struct Column: Encodable {
        let column: String
        let declared: String
        let type: String
        let nulls: Int, integers: Int, reals: Int, texts: Int, blobs: Int
    }

    init(_ plan: TableCopyPlan) {
        isPossible = plan.isPossible
        tables = plan.tables.map { table in
            Table(
                table: table.name, rows: table.rows,
                columns: table.columns.map { column in
                    let census = column.census
                    return Column(
                        column: column.name, declared: column.declaredType, type: column.type,
                        nulls: census.nulls, integers: census.integers, reals: census.reals,
                        texts: census.texts,
                        blobs: census.blobs)
                }, statements: table.statements)
        }
        findings = plan.findings.map { FindingOutput($0) }
    }
}

private struct FindingOutput: Encodable {
    let kind: String
    @OrNull var table: String?
    @OrNull var column: String?
    @OrNull var count: Int?
    let message: String

    init(_ finding: TableCopyFinding) {
        kind = finding.kind.rawValue
        (table, column, count) = (finding.table, finding.column, finding.count)
        message = finding.message
    }
}

/// What was copied, in the command's output.
private struct CopyOutput: Encodable {
    let tables: [Table]
    let findings: [FindingOutput]

    struct Table: Encodable {
        let table: String
        let rows: Int
        let digest: String
    }

    init(_ report: TableCopyReport) {
        tables = report.tables.map {
            Table(table: $0.name, rows: $0.digest.count, digest: $0.digest.description)
        }
        findings = report.findings.map { FindingOutput($0) }
    }

    /// How far a copy has come, as an event of the output.
    struct Event: Encodable {
        let step: String
        let table: String?
        let rows: Int?
        let total: Int?
        let findings: [FindingOutput]?

        init(
            _ step: String, _ table: String? = nil, _ rows: Int? = nil, of total: Int? = nil,
            findings: [FindingOutput]? = nil
        ) {
            (self.step, self.table, self.rows, self.total) = (step, table, rows, total)
            self.findings = findings
        }
    }

    static func tell(_ progress: TableCopyProgress, isJSON: Bool) {
        if isJSON {
            try? Terminal.print(json: event(progress), onOneLine: true)
        } else {
            Terminal.print(lines: lines(progress))
        }
        try? Terminal.flush()
    }

    private static func event(_ progress: TableCopyProgress) -> Event {
        switch progress {
        case .counted(let table, let rows): Event("counted", table, rows)
        case .planned(let plan): Event("planned", findings: plan.findings.map { FindingOutput($0) })
        case .copying(let table, let rows, let total): Event("copying", table, rows, of: total)
        case .indexing(let table): Event("indexing", table)
        case .verified(let table, let rows): Event("verified", table, rows)
        }
    }

    private static func lines(_ progress: TableCopyProgress) -> [String] {
        switch progress {
        case .counted, .verified: []
        case .planned(let plan): plan.findings.map(\.line)
        case .copying(let table, let rows, let total): ["copying  \(table): \(rows) of \(total) rows"]
        case .indexing(let table): ["indexing  \(table)"]
        }
    }
}
