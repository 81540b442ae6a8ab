public import SwitchyardCore

/// The capabilities and spellings of one database's SQL, as a table of facts.
///
/// There is one generator for all databases. It looks up the differences in the dialect; no code tests which database
/// it is.
public struct SQLDialect: Sendable {
    /// How a bound parameter is written.
    let placeholder: Placeholder
    /// The type of a column for each attribute type.
    public let columnTypes: [AttributeType: String]
    /// The condition that a column of a type must fulfil beyond what its type says, with `$` for the column.
    ///
    /// A type without one is left out.
    let columnChecks: [AttributeType: String]
    /// The condition that a column of doubles must fulfil to hold single-precision numbers only, with `$` for
    /// the column.
    public let singlePrecisionCheck: String
    /// How a column of a type is given back by the statement that writes it, with `$` for the column; itself
    /// for a type that is left out.
    let returning: [AttributeType: String]
    /// The collation of each type that needs one named wherever no column brings it along.
    let collations: [AttributeType: String]
    /// What follows the closing parenthesis of a table of rows.
    let tableOptions: String
    /// Whether every index holds the primary key behind its own columns without being told.
    let indexesHoldPrimaryKey: Bool
    /// Whether foreign keys are added once all tables exist, because a table cannot refer to one that is
    /// still to come.
    let addsForeignKeysLater: Bool
    /// How a unique index counts two nils as equal.
    let equalNils: EqualNils
    /// The operator for "the same value, or both NULL".
    let sameOperator: String
    /// The operator for "not the same value, or exactly one is NULL".
    let differentOperator: String
    /// Whether `NULLS FIRST` and `NULLS LAST` must be spelt to have NULL before all values; if not, it is so
    /// by default.
    let spellsNullOrder: Bool
    /// The limit that means "no limit", if an offset requires a limit; nil if it does not.
    let unlimited: String?
    /// How membership in a list that is one parameter is asked.
    let membership: Membership
    /// Whether an `EXISTS` is planned as a join, which may begin with the inner table.
    let joinsExists: Bool
    /// The function that returns the position of a text in another, counted from 1; 0 if it does not occur.
    let positionFunction: String
    /// How the end of a text is compared.
    let suffixTest: SuffixTest
    /// How numbers are calculated with.
    let arithmetic: Arithmetic
    /// How the exact sum of integers is worked out, with `$` for the column; NULL or 0 if there is none.
    let integerSum: String
    /// The smallest and the greatest value of the types that `MIN` and `MAX` do not take.
    let extremes: [AttributeType: Extremes]
    /// How the day of a timestamp is worked out.
    let dayBucket: DayBucket
    /// Whose clock tells when an operation was committed.
    let clock: Clock
    /// How many open brackets, operators and keywords the parser can remember; nil if that takes only memory.
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

    /// How a unique index counts two nils as equal.
    enum EqualNils: Sendable {
        /// `NULLS NOT DISTINCT` behind the columns.
        case keyword
        /// A second unique index, over the rows with a nil, with two expressions for each column that may be
        /// nil: whether it is, and its value or a constant.
        case expressions
    }

    /// How membership in a list that is one parameter is asked.
    enum Membership: Sendable {
        /// `= ANY` of an array.
        case anyArray
        /// `IN` the only column, `value`, of a table-valued function that unpacks the list.
        case tableFunction(String)
    }

    /// How the end of a text is compared.
    enum SuffixTest: Sendable {
        /// A function of text and suffix that gives a truth value.
        case function(String)
        /// The position of the reversed suffix in the reversed text.
        case reversed
    }

    /// How numbers are calculated with.
    enum Arithmetic: Sendable {
        /// By the operators, which raise an error where one is due; in conditions integers by way of `numeric`, which
        /// holds every result. A double that is not a number is made NULL.
        case operators
        /// By functions, since the operators go over to doubles without a word.
        case functions(FunctionNames)
    }

    /// How the names of functions that calculate begin; they end in the operator's name.
    struct FunctionNames: Sendable {
        /// Of those that give NULL where there is no result.
        let condition: String
        /// Of those that raise an error there.
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

    /// How the day of a timestamp is worked out.
    enum DayBucket: Sendable {
        /// The column holds microseconds: an integer division that rounds down.
        case microseconds
        /// The column is a `timestamptz`: a cast to `date` in UTC.
        case timestampWithTimeZone
    }

    /// Whose clock tells when an operation was committed.
    enum Clock: Sendable {
        /// The server's, with the expression for the present time.
        case server(now: String)
        /// The device's, which can be wrong, so that operations are numbered as they come, too: with the
        /// definition of that column, and what follows the closing parenthesis of the table.
        case device(sequence: String, tableOptions: String)
    }

    /// How constants are written.
    enum LiteralStyle: Sendable {
        /// As SQLite's storage classes.
        case storageClasses
        /// As text with a cast to the type.
        case casts
    }
}
