internal import SwitchyardCore

extension SQLDialect {
    /// The dialect of PostgreSQL 15 or later.
    ///
    /// With scopes it keeps to the SQL that Citus accepts, which spreads tables over several machines: no triggers, sequences
    /// or procedures.
    ///
    /// Text columns have the collation `C`, so that text compares by bytes whatever the default of the database.
    public static let postgres = SQLDialect(
        placeholder: .numbered,
        columnTypes: [
            .bool: "boolean", .int: "bigint", .double: "double precision", .decimal: "numeric",
            .text: "text COLLATE \"C\"", .blob: "bytea", .uuid: "uuid", .timestamp: "timestamptz",
            .day: "date",
            .json: "text COLLATE \"C\"",
        ],
        columnChecks: [
            .double: "$ <> 'NaN'::double precision",
            .decimal: "$ NOT IN ('NaN'::numeric, 'Infinity'::numeric, '-Infinity'::numeric)",
            .timestamp: "$ BETWEEN '0001-01-01 00:00:00+00'::timestamptz "
                + "AND '9999-12-31 23:59:59.999999+00'::timestamptz",
            .day: "$ BETWEEN '0001-01-01'::date AND '9999-12-31'::date",
        ],
        enforcesTypes: true,
        casesCheck: .list,
        // A cast that overflows or underflows raises an error, so those cases are tested first.
        singlePrecisionCheck: "CASE WHEN abs($) > 3.4028235e38 THEN abs($) = 'Infinity'::double precision "
            + "WHEN abs($) < 1.4e-45 THEN $ = 0 ELSE $ = $::real END",
        returning: [:],
        collations: [.text: "C", .json: "C"],
        tableOptions: "",
        numberedTableOptions: "",
        indexesHoldPrimaryKey: false,
        checksIndexesAsMade: true,
        addsForeignKeysLater: true,
        altersTables: true,
        gathersStatistics: true,
        checksOfReferences: ["SET CONSTRAINTS ALL IMMEDIATE"],
        remaking: ([], []),
        equalNils: .keyword,
        sameOperator: "IS NOT DISTINCT FROM",
        differentOperator: "IS DISTINCT FROM",
        spellsNullOrder: true,
        unlimited: nil,
        membership: .anyArray,
        joinsExists: true,
        updatesBeforeItTests: false,
        positionFunction: "strpos",
        suffixTest: .reversed,
        arithmetic: .operators,
        integerSum: "SUM($)::bigint",
        extremes: [
            .bool: Extremes(minimum: "bool_and($)", maximum: "bool_or($)"),
            .uuid: Extremes(
                minimum: "MIN($::text COLLATE \"C\")::uuid", maximum: "MAX($::text COLLATE \"C\")::uuid"),
            .blob: Extremes(
                minimum: "decode(MIN(encode($, 'hex') COLLATE \"C\"), 'hex')",
                maximum: "decode(MAX(encode($, 'hex') COLLATE \"C\"), 'hex')"),
        ],
        periods: .timestampWithTimeZone,
        explanation: ("EXPLAIN ", [.text]),
        queuesWriters: true,
        hidesRows: true,
        historyDigest: DigestFormula(
            bytes: "uuid_send($)", hash: "substring(sha256($) FOR 16)",
            first: "decode(repeat('00', 16), 'hex')"),
        clock: .server(now: "transaction_timestamp()"),
        parserStack: nil,
        literals: .casts)
}
