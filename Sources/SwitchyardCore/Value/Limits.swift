/// The sizes that every backend keeps to, so that data can always move between them.
public enum Limits {
    /// The most bytes that one text, JSON or blob value may have: 64 MiB.
    public static let valueBytes = 67_108_864
    /// The most bytes that the values of one row may have together, the folded copies of searchable text among
    /// them: 300 MB.
    ///
    /// PostgreSQL takes no message, and builds no row, of 1 GiB; SQLite takes no row of 1,000,000,000 bytes.
    public static let rowBytes = 300_000_000
    /// The most bytes that the text, JSON and blob attributes of one index entry may have together.
    ///
    /// They share `indexEntryTotalBytes` with the other attributes, so beside very many of those it is less.
    public static let indexEntryBytes = 2_048
    /// The most bytes of a whole index entry: those of its text, JSON and blob attributes and 12 for each of
    /// them, 32 for each decimal, 16 for each UUID and 8 for any other attribute.
    ///
    /// PostgreSQL refuses a B-tree key of more than 2,704 bytes, its header, the id behind the attributes and a
    /// scope before them included, and would do so only once such a row comes along.
    public static let indexEntryTotalBytes = 2_608
    /// The most attributes of one index.
    ///
    /// PostgreSQL takes 32 columns, among them the id behind the attributes and a scope before them.
    public static let indexAttributes = 30
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
