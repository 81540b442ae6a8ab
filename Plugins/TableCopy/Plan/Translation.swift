internal import Foundation

/// Plain SQL of SQLite in PostgreSQL's words; nil for everything that might mean something else there.
struct Translation {
    let table: SourceTable
    /// The types of the table's columns.
    let types: [TargetType]
    /// What the columns hold.
    let census: [ColumnCensus]
    private var tokens: ArraySlice<SQLToken> = []

    init(_ table: SourceTable, _ types: [TargetType], _ census: [ColumnCensus]) {
        (self.table, self.types, self.census) = (table, types, census)
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
        guard let (literal, rest) = Self.literal(tokens), rest.isEmpty else { return nil }
        return self.sql(literal, in: column)
    }

    /// Whether SQLite compares the column with the value as PostgreSQL does: not if its numbers became texts, nor if it makes
    /// a number of the value.
    private func compares(_ column: Int, with value: Literal) -> Bool {
        guard types[column] == .text, table.columns[column].affinity.isNumeric else { return true }
        guard census[column].numbers == 0, case .text(let text) = value else { return false }
        return Double(text.trimmingCharacters(in: .whitespaces)) == nil
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
        guard let (literal, rest) = Self.literal(tokens), literal != .null, compares(column, with: literal)
        else { return nil }
        tokens = rest
        return sql(literal, in: column)
    }

    // MARK: Values

    enum Literal: Equatable {
        case null
        case number(String)
        case text(String)
        case blob(String)
    }

    private static func literal(_ tokens: ArraySlice<SQLToken>) -> (Literal, rest: ArraySlice<SQLToken>)? {
        guard let first = tokens.first else { return nil }
        let rest = tokens.dropFirst()
        switch first.kind {
        case .number: return number(first.text).map { (.number($0), rest) }
        case .text: return (.text(first.text), rest)
        case .blob: return (.blob(first.text), rest)
        case .word where first.isWord("NULL"): return (.null, rest)
        case .word where first.isWord("TRUE"): return (.number("1"), rest)
        case .word where first.isWord("FALSE"): return (.number("0"), rest)
        case .symbol where first.text == "-" || first.text == "+":
            guard let next = rest.first, next.kind == .number, let number = number(next.text) else {
                return nil
            }
            return (.number((first.text == "-" ? "-" : "") + number), rest.dropFirst())
        default: return nil
        }
    }

    /// A number in plain digits; nil for a hexadecimal one.
    private static func number(_ text: String) -> String? {
        if let integer = Int64(text) { return String(integer) }
        guard text.utf8.allSatisfy({ (48...57).contains($0) || ".eE+-".utf8.contains($0) }) else {
            return nil
        }
        return Double(text).flatMap { PlainDecimal($0)?.text }
    }

    /// A value as a literal of a column's type; nil if the column would not hold the value.
    private func sql(_ literal: Literal, in column: Int) -> String? {
        let affinity = table.columns[column].affinity
        return switch (literal, types[column]) {
        case (.null, _): "NULL"
        case (.number(let text), .bigint): Int64(text).map { "\($0)" }
        case (.number(let text), .boolean): text == "0" ? "false" : text == "1" ? "true" : nil
        case (.number(let text), .double), (.number(let text), .numeric(nil)): text
        case (.number(let text), .numeric(let precision?)):
            Double(text).flatMap { PlainDecimal($0) }.flatMap {
                $0.fraction <= precision.fraction && $0.whole <= precision.digits - precision.fraction
                    ? text : nil
            }
        case (.number(let text), .text) where affinity == .text: Int64(text).map { "'\($0)'" }
        case (.text(let text), .text): text.utf8.contains(0) ? nil : text.quotedText
        // A column for numbers makes a number of it.
        case (.text(let text), .bigint), (.text(let text), .numeric), (.text(let text), .double),
            (.text(let text), .boolean):
            affinity.isNumeric ? Self.number(text).flatMap { sql(.number($0), in: column) } : nil
        case (.text(let text), .date): Self.time(text, .day)
        case (.text(let text), .timestamp(let form)): Self.time(text, form)
        case (.blob(let digits), .bytea): "'\\x\(digits)'::bytea"
        default: nil
        }
    }

    private static func time(_ text: String, _ form: TextForm) -> String? {
        var text = text
        let isTime = text.withUTF8 { form.microseconds(of: UnsafeRawBufferPointer($0)) != nil }
        return isTime ? text.quotedText : nil
    }
}
