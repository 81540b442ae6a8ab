public import SwitchyardCore

/// What a query found.
public struct QueryAnswer: Sendable, Hashable {
    /// The columns of each row.
    public let columns: [AnswerColumn]
    /// The rows, each with a cell for each column.
    public var rows: [[AnswerCell]]
}

/// A column of an answer.
public struct AnswerColumn: Sendable, Hashable {
    /// What its cells are.
    public indirect enum Content: Sendable, Hashable {
        /// A value.
        case value
        /// A related row, or none.
        case row([AnswerColumn])
        /// A list of related rows.
        case rows([AnswerColumn])
    }

    /// The name of the attribute, the relationship or the figure, or the one that the query gives.
    public let name: String
    /// What its cells are.
    public let content: Content
}

/// What an answer has in one column of a row.
public indirect enum AnswerCell: Sendable, Hashable {
    /// A value.
    case value(StoredValue)
    /// The cells of a related row; nil without one.
    case row([AnswerCell]?)
    /// The cells of each related row.
    case rows([[AnswerCell]])
}

extension QueryAnswer {
    /// The answer as a table of plain columns: those of a related row have its name before their own, as in `baby.name`.
    ///
    /// - Throws: `unsupported` for a list of related rows, which no table holds.
    public func flattened() throws -> (columns: [String], rows: [[StoredValue]]) {
        (try columns.flatMap { try $0.names(after: "") }, rows.map { Self.values($0, columns) })
    }

    private static func values(_ cells: [AnswerCell]?, _ columns: [AnswerColumn]) -> [StoredValue] {
        columns.enumerated().flatMap { position, column -> [StoredValue] in
            switch (cells?[position], column.content) {
            case (.value(let value), _): [value]
            case (.row(let inner), .row(let columns)): values(inner, columns)
            case (_, .row(let columns)): values(nil, columns)
            default: [.null]
            }
        }
    }
}

extension AnswerColumn {
    fileprivate func names(after prefix: String) throws -> [String] {
        switch content {
        case .value: return [prefix + name]
        case .row(let columns): return try columns.flatMap { try $0.names(after: "\(prefix)\(name).") }
        case .rows:
            throw StoreError(
                .unsupported,
                "`\(prefix)\(name)` is a list of rows, which a table cannot hold. Include a figure such as "
                    + "count(\(prefix)\(name)), or ask for JSON.")
        }
    }
}
