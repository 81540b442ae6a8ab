internal import Foundation
internal import SQLiteStore
internal import SwitchyardCore

/// Plain SQL of SQLite in PostgreSQL's words; nil for everything that might mean something else there.
struct Translation {
    let table: SourceTable
    /// The types of the table's columns.
    let types: [TargetType]
    /// The values of the columns.
    let census: [ColumnCensus]
    private let constants: ConstantColumns
    private var tokens: ArraySlice<SQLToken> = []

    init(
        _ table: SourceTable, _ types: [TargetType], _ census: [ColumnCensus], _ constants: ConstantColumns
    ) {
        (self.table, self.types, self.census, self.constants) = (table, types, census, constants)
    }

    /// The condition of a partial index.
    func condition(_ tokens: [SQLToken]) -> String? {
        var parser = self
        parser.tokens = tokens[...]
        guard let sql = parser.alternative(), parser.tokens.isEmpty else { return nil }
        return sql
    }

    /// An indexed expression: `lower`, `upper` and `length` of a text, which for text in the order of its bytes are
    /// those of SQLite.
    func expression(_ tokens: [SQLToken]) -> String? {
        guard tokens.count == 4, tokens[1].isSymbol("("), tokens[3].isSymbol(")"),
            let function = ["LOWER", "UPPER", "LENGTH"].first(where: tokens[0].isWord),
            let column = column(tokens[2]), types[column] == .text
        else { return nil }
        return "\(function.lowercased())(\(table.columns[column].name.quoted))"
    }

    /// The column whose values an index holds; nil for expressions that are not copied, and for lengths.
    func column(of term: SourceIndex.Term) -> Int? {
        switch term.what {
        case .column(let column): column
        case .expression(let tokens):
            expression(tokens) == nil || tokens[0].isWord("LENGTH") ? nil : column(tokens[2])
        }
    }

    /// A column's default.
    func defaultValue(_ sql: String, of column: Int) -> String? {
        let type = types[column]
        var tokens = SQLToken.tokens(of: sql)[...]
        while tokens.first?.isSymbol("(") == true, tokens.last?.isSymbol(")") == true {
            tokens = tokens.dropFirst().dropLast()
        }
        if tokens.count == 1, tokens.first?.isWord("CURRENT_TIMESTAMP") == true {
            return switch type {
            case .timestamp(.second): "date_trunc('second', now() AT TIME ZONE 'UTC')"
            case .timestamp(let form) where form.hasZone && census[column].values == 0:
                "date_trunc('second', now())"
            case .text: "to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')"
            default: nil
            }
        }
        if tokens.count == 1, tokens.first?.isWord("CURRENT_DATE") == true {
            return switch type {
            case .date: "(now() AT TIME ZONE 'UTC')::date"
            case .text: "to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
            default: nil
            }
        }
        guard let (literal, rest) = Self.literal(tokens), rest.isEmpty,
            let value = constants.stored(literal, as: table.columns[column].affinity.name)
        else { return nil }
        return self.sql(value, in: column)
    }

    /// Whether SQLite and PostgreSQL compare the column with the value alike: not if its numbers became
    /// texts, nor if SQLite has converted the value to a number.
    private func compares(_ column: Int, with value: ForeignValue) -> Bool {
        guard types[column] == .text, table.columns[column].affinity.isNumeric else { return true }
        guard case .text = value else { return false }
        return census[column].numbers == 0
    }

    private func column(_ token: SQLToken) -> Int? {
        guard token.kind == .word || token.kind == .quotedName else { return nil }
        return table.position(of: token.text)
    }

    // MARK: Conditions

    private mutating func take(_ isWanted: (SQLToken) -> Bool) -> Bool {
        guard tokens.first.map(isWanted) == true else { return false }
        tokens.removeFirst()
        return true
    }

    private mutating func takeWord(_ word: String) -> Bool { take { $0.isWord(word) } }

    private mutating func alternative() -> String? {
        guard var sql = conjunction() else { return nil }
        while takeWord("OR") {
            guard let next = conjunction() else { return nil }
            sql += " OR " + next
        }
        return sql
    }

    private mutating func conjunction() -> String? {
        guard var sql = term() else { return nil }
        while takeWord("AND") {
            guard let next = term() else { return nil }
            sql += " AND " + next
        }
        return sql
    }

    private mutating func term() -> String? {
        if takeWord("NOT") { return term().map { "NOT (\($0))" } }
        if take({ $0.isSymbol("(") }) {
            guard let inner = alternative(), take({ $0.isSymbol(")") }) else { return nil }
            return "(\(inner))"
        }
        return comparison()
    }

    private mutating func comparison() -> String? {
        guard let token = tokens.first, let column = column(token), table.columns[column].collation == nil
        else { return nil }
        tokens.removeFirst()
        let name = table.columns[column].name.quoted
        if takeWord("ISNULL") { return "\(name) IS NULL" }
        if takeWord("NOTNULL") { return "\(name) IS NOT NULL" }
        if takeWord("IS") {
            let isNegated = takeWord("NOT")
            return takeWord("NULL") ? "\(name) IS \(isNegated ? "NOT " : "")NULL" : nil
        }
        let isNegated = takeWord("NOT")
        if isNegated, takeWord("NULL") { return "\(name) IS NOT NULL" }
        if takeWord("IN") {
            guard take({ $0.isSymbol("(") }), var list = value(in: column) else { return nil }
            while take({ $0.isSymbol(",") }) {
                guard let next = value(in: column) else { return nil }
                list += ", " + next
            }
            return take { $0.isSymbol(")") } ? "\(name) \(isNegated ? "NOT " : "")IN (\(list))" : nil
        }
        if isNegated { return nil }
        if takeWord("BETWEEN") {
            guard let low = value(in: column), takeWord("AND"), let high = value(in: column) else {
                return nil
            }
            return "\(name) BETWEEN \(low) AND \(high)"
        }
        guard let symbol = tokens.first, symbol.kind == .symbol,
            let comparison = [
                "=": "=", "==": "=", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
            ][symbol.text]
        else { return nil }
        tokens.removeFirst()
        return value(in: column).map { "\(name) \(comparison) \($0)" }
    }

    /// A value that the column is compared with.
    private mutating func value(in column: Int) -> String? {
        guard let (literal, rest) = Self.literal(tokens),
            let value = constants.stored(literal, as: table.columns[column].affinity.name), value != .null,
            compares(column, with: value)
        else { return nil }
        tokens = rest
        return sql(value, in: column)
    }

    // MARK: Values

    /// A constant, in SQLite's words.
    private static func literal(_ tokens: ArraySlice<SQLToken>) -> (String, rest: ArraySlice<SQLToken>)? {
        guard let first = tokens.first else { return nil }
        let rest = tokens.dropFirst()
        switch first.kind {
        case .number: return (first.text, rest)
        case .text: return (first.text.quotedText, rest)
        case .blob: return ("x\(first.text.quotedText)", rest)
        case .word where ["NULL", "TRUE", "FALSE"].contains(where: first.isWord): return (first.text, rest)
        case .symbol where first.text == "-" || first.text == "+":
            guard let next = rest.first, next.kind == .number else { return nil }
            return ("\(first.text)\(next.text)", rest.dropFirst())
        default: return nil
        }
    }

    /// A value that SQLite would store as a literal of the column's type; nil if the column cannot hold it.
    private func sql(_ value: ForeignValue, in column: Int) -> String? {
        switch (types[column], value) {
        case (_, .null): "NULL"
        case (.bigint, .integer(let integer)): "\(integer)"
        case (.boolean, .integer(0)): "false"
        case (.boolean, .integer(1)): "true"
        case (.double, .integer(let integer)): Double(exactly: integer).map { _ in "\(integer)" }
        case (.double, .real(let real)):
            PlainDecimal(real)?.text
                ?? (real.isInfinite
                    ? "'\(real < 0 ? "-" : "")Infinity'::double precision" : "'\(real)'::double precision")
        case (.numeric(let precision), .integer(let integer)):
            Self.fits(String(integer.magnitude).utf8.count, 0, precision) ? "\(integer)" : nil
        case (.numeric(let precision), .real(let real)):
            PlainDecimal(real).flatMap { Self.fits($0.whole, $0.fraction, precision) ? $0.text : nil }
        // As the rows of a column for numbers that became text.
        case (.text, .integer(let integer)): table.columns[column].affinity.isNumeric ? "'\(integer)'" : nil
        case (.text, .real(let real)): table.columns[column].affinity.isNumeric ? "'\(real)'" : nil
        case (.text, .text(let text)): text.utf8.contains(0) ? nil : text.quotedText
        case (.date, .text(let text)): Self.time(text, .day)
        case (.timestamp(let form), .text(let text)): Self.time(text, form)
        case (.bytea, .blob(let data)): "'\\x\(String(hexadecimal: data))'::bytea"
        default: nil
        }
    }

    private static func fits(_ whole: Int, _ fraction: Int, _ precision: TargetType.Precision?) -> Bool {
        guard let precision else { return true }
        return fraction <= precision.fraction && whole <= precision.digits - precision.fraction
    }

    private static func time(_ text: String, _ form: TextForm) -> String? {
        var text = text
        let isTime = text.withUTF8 { form.microseconds(of: UnsafeRawBufferPointer($0)) != nil }
        return isTime ? text.quotedText : nil
    }
}
