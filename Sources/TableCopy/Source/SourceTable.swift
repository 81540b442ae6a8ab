internal import SwitchyardCore

/// A table of the SQLite file, as its catalogue describes it.
struct SourceTable: Sendable {
    let name: String
    let columns: [SourceColumn]
    /// The positions of the key's columns, in the order of the key; empty without a primary key.
    let primaryKey: [Int]
    /// The position of the column that is the row's number: an `INTEGER PRIMARY KEY`.
    let rowNumber: Int?
    /// The largest number that AUTOINCREMENT has given.
    let lastNumber: Int64?
    let indexes: [SourceIndex]
    /// The index of the primary key; nil where the key is the row's number.
    let keyIndex: SourceIndex?
    let foreignKeys: [SourceForeignKey]
    /// The number of CHECK constraints, and of ON CONFLICT clauses that do not abort.
    let checks: Int, conflictClauses: Int

    /// The position of a column; names are the same in SQLite whatever the case of their ASCII letters.
    func position(of column: String) -> Int? {
        columns.firstIndex { $0.name.sqliteFolded == column.sqliteFolded }
    }
}

/// A column of the SQLite file.
struct SourceColumn: Sendable {
    let name: String
    /// The declared type, as written.
    let declaredType: String
    let affinity: Affinity
    let isRequired: Bool
    let isGenerated: Bool
    /// The SQL of the default.
    let defaultSQL: String?
    /// The collation, unless it is BINARY.
    let collation: String?
}

/// An index or a UNIQUE constraint of the SQLite file.
struct SourceIndex: Sendable {
    let name: String
    let isUnique: Bool
    /// Whether a UNIQUE constraint created it, so that it has no name of its own.
    let isConstraint: Bool
    let terms: [Term]
    /// The condition of a partial index.
    let condition: [SQLToken]?

    struct Term: Sendable {
        let what: What
        let isDescending: Bool
        /// The collation, unless it is BINARY.
        let collation: String?
    }

    enum What: Sendable {
        case column(Int)
        case expression([SQLToken])
    }

    /// The positions of the columns; nil if it has an expression or a condition.
    var columns: [Int]? {
        guard condition == nil else { return nil }
        var columns: [Int] = []
        for term in terms {
            guard case .column(let column) = term.what else { return nil }
            columns.append(column)
        }
        return columns
    }
}

/// A foreign key of the SQLite file.
struct SourceForeignKey: Sendable {
    let columns: [Int]
    let parent: String
    /// The names of the parent's columns; empty for its primary key.
    let parentColumns: [String]
    let onUpdate: String, onDelete: String
    let isDeferred: Bool
}

/// SQLite's conversion of values that are stored in a column (sqlite.org/datatype3.html, 3.1).
enum Affinity: Sendable {
    case integer, text, blob, real, numeric

    /// A declared type that has it.
    var name: String {
        switch self {
        case .integer: "INTEGER"
        case .text: "TEXT"
        case .blob: "BLOB"
        case .real: "REAL"
        case .numeric: "NUMERIC"
        }
    }

    /// Whether texts that read as numbers become numbers.
    var isNumeric: Bool { [.integer, .real, .numeric].contains(self) }

    init(declaredType: String, isStrict: Bool) {
        let name = declaredType.uppercased()
        self =
            if name.contains("INT") {
                .integer
            } else if ["CHAR", "CLOB", "TEXT"].contains(where: name.contains) {
                .text
            } else if name.isEmpty || name.contains("BLOB") || (isStrict && name == "ANY") {
                .blob
            } else if ["REAL", "FLOA", "DOUB"].contains(where: name.contains) {
                .real
            } else {
                .numeric
            }
    }
}

extension String {
    /// The name with its ASCII letters in lower case, as SQLite compares names.
    var sqliteFolded: String {
        String(decoding: utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// The name in double quotes, which both databases take.
    var quoted: String { "\"\(replacingBytes(of: "\"", with: "\"\""))\"" }

    /// The text in single quotes.
    var quotedText: String { "'\(replacingBytes(of: "'", with: "''"))'" }
}
