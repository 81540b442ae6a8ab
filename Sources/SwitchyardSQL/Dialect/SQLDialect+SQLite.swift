internal import SwitchyardCore

extension SQLDialect {
    /// The dialect of SQLite 3.38 or later.
    ///
    /// A connection must register what SQLite lacks: the collation `switchyard_decimal`; the functions
    /// `switchyard_add`, `_subtract`, `_multiply`, `_divide`, `_remainder` and `_negate`, which return NULL if there is
    /// no result, and `switchyard_checked_add` and so on, which raise an error instead; `switchyard_has_suffix(text,
    /// suffix)`; the aggregate `switchyard_sum`; and the table-valued function `switchyard_list(parameter)`.
    ///
    /// Tables are `STRICT`, so that no column holds a value of another type, and `WITHOUT ROWID`, so that the
    /// id, by which rows are sorted and found, is the key of the table itself rather than of a second B-tree.
    /// A numeric id is the rowid, and so that key as well.
    public static let sqlite = SQLDialect(
        placeholder: .questionMark,
        columnTypes: [
            .bool: "INTEGER", .int: "INTEGER", .double: "REAL",
            .decimal: "TEXT COLLATE \"switchyard_decimal\"",
            .text: "TEXT", .blob: "BLOB", .uuid: "BLOB", .timestamp: "INTEGER", .day: "INTEGER",
            .json: "TEXT",
        ],
        columnChecks: [
            .bool: "$ IN (0, 1)",
            .uuid: "length($) = 16",
            .timestamp: "$ BETWEEN -62135596800000000 AND 253402300799999999",
            .day: "$ BETWEEN -719162 AND 2932896",
        ],
        // A text is any bytes, and tables can be made to take any value.
        enforcesTypes: false,
        // With three values or more, SQLite would rebuild an index of the list for each row, which is a third
        // of the time of a bulk insert.
        casesCheck: .caseExpression,
        // SQLite has no single-precision type to cast to. A double fits into the 24 bits of one if Veltkamp's splitting
        // by 2^29 + 1 leaves it unchanged; below 2^-126, if it is a multiple of 2^-149.
        singlePrecisionCheck: "CASE WHEN abs($) > 3.4028235e38 THEN abs($) = 9e999 "
            + "WHEN abs($) < 1.1754943508222875e-38 THEN "
            + "$ * 1125899906842624.0 * 1125899906842624.0 * 562949953421312.0 = "
            + "CAST($ * 1125899906842624.0 * 1125899906842624.0 * 562949953421312.0 AS INTEGER) "
            + "ELSE $ * 536870913.0 - ($ * 536870913.0 - $) = $ END",
        // SQLite stores 1.0 as the integer 1 and converts it back when it reads the column, but not in RETURNING
        // (sqlite.org/forum/forumpost/712251ee03).
        returning: [.double: "CAST($ AS REAL)"],
        collations: [.decimal: "switchyard_decimal"],
        tableOptions: " STRICT, WITHOUT ROWID",
        numberedTableOptions: " STRICT",
        indexesHoldPrimaryKey: true,
        checksIndexesAsMade: false,
        addsForeignKeysLater: false,
        altersTables: false,
        gathersStatistics: false,
        checksOfReferences: [],
        // Otherwise the rename of a table reads every view and trigger of the file, and fails at one whose
        // table is temporarily missing (sqlite.org/lang_altertable.html, "Compatibility Note").
        remaking: (["PRAGMA legacy_alter_table = ON"], ["PRAGMA legacy_alter_table = OFF"]),
        equalNils: .expressions,
        sameOperator: "IS",
        differentOperator: "IS NOT",
        spellsNullOrder: false,
        unlimited: "-1",
        membership: .tableFunction("switchyard_list"),
        joinsExists: false,
        updatesBeforeItTests: true,
        positionFunction: "instr",
        suffixTest: .function("switchyard_has_suffix"),
        arithmetic: .functions(FunctionNames(condition: "switchyard_", assignment: "switchyard_checked_")),
        integerSum: "switchyard_sum($)",
        extremes: [:],
        periods: .microseconds,
        explanation: ("EXPLAIN QUERY PLAN ", [.int, .int, .int, .text]),
        queuesWriters: false,
        hidesRows: false,
        historyDigest: nil,
        clock: .device(sequence: "\"sequence\" INTEGER PRIMARY KEY"),
        parserStack: 100,
        literals: .storageClasses)
}
