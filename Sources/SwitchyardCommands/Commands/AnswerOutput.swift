internal import ArgumentParser
internal import SwitchyardCSV
internal import SwitchyardCore
internal import SwitchyardIntents
internal import SwitchyardQuery

/// The answer to a query in the command's output.
struct AnswerOutput {
    /// How an answer is written.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case table, csv, json
    }

    /// The most rows that are shown of a query without a limit.
    static let mostRows = 1_000
    /// The most characters of a value in a table.
    private static let widest = 80

    private var answer: QueryAnswer
    /// Whether the query has more rows than are shown.
    private let hasMore: Bool

    /// The answer to a query, which was asked for one row more than is shown if it has no limit of its own.
    init(_ answer: QueryAnswer, isBounded: Bool) {
        hasMore = !isBounded && answer.rows.count > Self.mostRows
        self.answer = answer
        if hasMore { self.answer.rows.removeLast() }
    }

    /// Writes the answer to standard output; that a CSV file is not complete goes to `note`.
    func show(as format: Format, note: (String) -> Void) throws {
        let more = "Only the first \(Self.mostRows) rows are shown. Add a limit for more."
        switch format {
        case .json: print("{\"hasMore\": \(hasMore), \"rows\": \(answer.json)}")
        case .csv:
            try writeCSV()
            if hasMore { note(more) }
        case .table: Terminal.print(lines: try lines() + (hasMore ? [more] : []))
        }
    }

    private func writeCSV() throws {
        let (columns, rows) = try answer.flattened()
        var options = CSVWriter.Options()
        options.quotesEmptyText = true
        options.ending = .newline
        var writer = CSVWriter(StandardOutputSink(), options: options)
        for column in columns { try writer.write(column) }
        try writer.endRow()
        for row in rows {
            for value in row { try writer.write(value) }
            try writer.endRow()
        }
        try writer.finish()
    }

    /// A line of names and one for each row, with numbers to the right.
    private func lines() throws -> [String] {
        let (columns, rows) = try answer.flattened()
        let cells = [columns] + rows.map { $0.map { Self.cell($0) } }
        let widths = columns.indices.map { column in cells.reduce(0) { max($0, $1[column].count) } }
        let areNumbers = columns.indices.map { column in rows.allSatisfy { Self.isNumber($0[column]) } }
        return cells.map { row in
            let padded = row.enumerated().map { column, text in
                let space = String(repeating: " ", count: widths[column] - text.count)
                return areNumbers[column] ? space + text : text + space
            }
            var line = padded.joined(separator: "  ")
            while line.hasSuffix(" ") { line.removeLast() }
            return line
        }
    }

    private static func cell(_ value: StoredValue) -> String {
        let text = ValueText.plain(value)
        // The escapes of what is cut off need not be made.
        let shown = VisibleText.escaping(String(text.prefix(widest + 1)))
        return shown.count > widest ? shown.prefix(widest - 1) + "…" : shown
    }

    private static func isNumber(_ value: StoredValue) -> Bool {
        switch value {
        case .null, .int, .double, .decimal: true
        case .bool, .text, .blob, .uuid, .timestamp, .day, .json: false
        }
    }
}
