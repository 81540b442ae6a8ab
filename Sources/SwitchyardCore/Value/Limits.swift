/// The sizes that every backend keeps to, so that data can always move between them.
public enum Limits {
    /// The most bytes that one text, JSON or blob value may have: 64 MiB.
    public static let valueBytes = 67_108_864
    /// The most bytes that the text, JSON and blob attributes of one index entry may have together.
    ///
    /// PostgreSQL refuses a B-tree key of more than 2,704 bytes, and would do so only once such a row comes
    /// along.
    public static let indexEntryBytes = 2_048
    /// The most bytes of a name in the database.
    ///
    /// PostgreSQL cuts longer ones without a word.
    public static let nameBytes = 63
    /// The deepest condition: each list of terms, comparison and operand inside another is one level.
    public static let conditionDepth = 200
    /// The deepest calculation, in a condition or an update.
    ///
    /// A calculation, a `??` and a list of terms of which one can fail are one level each; a choice between
    /// two operands is two, an `exists` three. SQLite before 3.46 parses with a stack of 100 entries, of
    /// which each level takes about five.
    public static let calculationDepth = 12
    /// The most constants of a condition, lists not counted.
    ///
    /// PostgreSQL binds at most 65,535 parameters and SQLite 32,766.
    public static let conditionConstants = 30_000
}
