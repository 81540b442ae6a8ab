public import SwitchyardCore

/// The capabilities and the syntax of one database's SQL, as a table of facts.
///
/// One generator serves all databases. It looks up their differences in the dialect; no code tests which database it
/// is.
public struct SQLDialect: Sendable {
    /// How a bound parameter is written.
    let placeholder: Placeholder
    /// The type of a column for each attribute type.
    public let columnTypes: [AttributeType: String]
    /// The condition that a column of a type must fulfil beyond its declared type, with `$` for the column.
    ///
    /// Types without such a condition are left out.
    let columnChecks: [AttributeType: String]
    /// Whether a column can only hold valid values of its type, whichever program wrote them: no malformed
    /// text, and no NUL.
    let enforcesTypes: Bool
    /// How a column is restricted to some values.
    let casesCheck: CasesCheck
    /// The condition that restricts a column of doubles to single-precision numbers, with `$` for the column.
    public let singlePrecisionCheck: String
    /// The expression for a column of a type in RETURNING, with `$` for the column; the column itself for types that
    /// are left out.
    let returning: [AttributeType: String]
    /// The collation of each type that needs an explicit one where no column determines it.
    let collations: [AttributeType: String]
    /// The options after the closing parenthesis of an entity's table.
    let tableOptions: String
    /// Those of a table whose primary key is a number.
    let numberedTableOptions: String
    /// Whether every index implicitly ends with the primary key.
    let indexesHoldPrimaryKey: Bool
    /// Whether a row is compared with the unique indexes of its table in the order in which they were made; if not, in the
    /// opposite order.
    let checksIndexesAsMade: Bool
    /// Whether foreign keys are added after all tables exist, because a table cannot refer to a later one.
    let addsForeignKeysLater: Bool
    /// Whether columns and constraints of a table can be altered; if not, any change but a new column
    /// rebuilds the table.
    let altersTables: Bool
    /// Whether the statistics of new tables are gathered on demand.
    let gathersStatistics: Bool
    /// The statements that check references now, where tables cannot be altered before they are checked.
    let checksOfReferences: [String]
    /// The statements before and after tables are rebuilt, so that a view that reads one of them does not
    /// prevent it.
    let remaking: (before: [String], after: [String])
    /// How a unique index treats two nils as equal.
    let equalNils: EqualNils
    /// The operator for "the same value, or both NULL".
    let sameOperator: String
    /// The operator for "not the same value, or exactly one is NULL".
    let differentOperator: String
    /// Whether `NULLS FIRST` and `NULLS LAST` must be written to sort NULL before all values; if not, that is the
    /// default.
    let spellsNullOrder: Bool
    /// The limit that means "no limit", if an offset requires a limit; nil if it does not.
    let unlimited: String?
    /// How to test membership in a list that is one parameter.
    let membership: Membership
    /// Whether an `EXISTS` is planned as a join, which may begin with the inner table.
    let joinsExists: Bool
    /// Whether an update changes a row before it tests the next one, whose condition may look at the first.
    let updatesBeforeItTests: Bool
    /// The function that returns the position of a text in another, counted from 1, or 0 if it does not occur.
    let positionFunction: String
    /// How the end of a text is compared.
    let suffixTest: SuffixTest
    /// How calculations are written.
    let arithmetic: Arithmetic
    /// The exact sum of integers, with `$` for the column; NULL or 0 for no rows.
    let integerSum: String
    /// The minimum and the maximum for types that `MIN` and `MAX` do not support.
    let extremes: [AttributeType: Extremes]
    /// How the period of a timestamp is calculated.
    let periods: Periods
    /// The words before a statement whose plan is asked for, and the columns of the plan; the last one is a step.
    let explanation: (command: String, columns: [AttributeType])
    /// Whether several transactions write at once, so that those of a store with a history must queue.
    let queuesWriters: Bool
    /// Whether rules can hide rows of a table from a role.
    let hidesRows: Bool
    /// How the next digest of a history is calculated; nil if the database cannot do it.
    let historyDigest: DigestFormula?
    /// Whose clock dates the commit of an operation.
    let clock: Clock
    /// The number of open brackets, operators and keywords that the parser's stack holds; nil if only memory limits it.
    let parserStack: Int?
    /// How constants are written in DDL.
    let literals: LiteralStyle

    /// How a bound parameter is written.
    enum Placeholder: Sendable {
        /// `?`, bound in the order of the text.
        case questionMark
        /// `$1`, `$2`, …
        case numbered
    }

    /// How a unique index treats two nils as equal.
    enum EqualNils: Sendable {
        /// `NULLS NOT DISTINCT` after the columns.
        case keyword
        /// A second unique index, over the rows with a nil, with two expressions for each optional column: whether it
        /// is nil, and its value or a constant.
        case expressions
    }

    /// How a column is restricted to some values.
    enum CasesCheck: Sendable {
        /// `IN` with a list of them.
        case list
        /// A `CASE` that compares one after the other, for a database that would build an index of the list for each row.
        case caseExpression
    }

    /// How to test membership in a list that is one parameter.
    enum Membership: Sendable {
        /// `= ANY` of an array.
        case anyArray
        /// `IN` the only column, `value`, of a table-valued function that unpacks the list.
        case tableFunction(String)
    }

    /// How the end of a text is compared.
    enum SuffixTest: Sendable {
        /// A function of text and suffix that returns a truth value.
        case function(String)
        /// The position of the reversed suffix in the reversed text.
        case reversed
    }

    /// How calculations are written.
    enum Arithmetic: Sendable {
        /// By operators, which raise errors. In conditions, integers are calculated as `numeric`, which holds every
        /// result, and a double that is not a number becomes NULL.
        case operators
        /// By functions, since the operators silently convert to doubles.
        case functions(FunctionNames)
    }

    /// The prefixes of the names of functions that calculate; the operator's name follows.
    struct FunctionNames: Sendable {
        /// The prefix of those that return NULL if there is no result.
        let condition: String
        /// The prefix of those that raise an error instead.
        let assignment: String

        func prefix(_ context: CalculationContext) -> String {
            context == .condition ? condition : assignment
        }
    }

    /// Two expressions with `$` for the column.
    struct Extremes: Sendable {
        /// The smallest value.
        let minimum: String
        /// The greatest value.
        let maximum: String
    }

    /// How the period of a timestamp is calculated.
    enum Periods: Sendable {
        /// The column holds microseconds: by an integer division.
        case microseconds
        /// The column is a `timestamptz`: by the day and the seconds since 1970 in UTC.
        case timestampWithTimeZone
    }

    /// Whose clock dates the commit of an operation.
    enum Clock: Sendable {
        /// The server's, with the expression for the current time.
        case server(now: String)
        /// The device's, which can be wrong, so operations are also numbered: with the definition of the number's
        /// column.
        case device(sequence: String)
    }

    /// How constants are written.
    enum LiteralStyle: Sendable {
        /// As SQLite's storage classes.
        case storageClasses
        /// As text with a cast to the type.
        case casts
    }
}
