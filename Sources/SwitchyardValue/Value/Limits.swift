/// The limits that apply on every backend, so that data can always move between them.
public enum Limits {
    /// The maximum size of a text, JSON or blob value: 64 MiB.
    public static let valueBytes = 67_108_864
    /// The maximum size of all values of a row together, including the folded copies of searchable text: 300 MB.
    ///
    /// PostgreSQL accepts no message and builds no row of 1 GiB; SQLite accepts no row of 1,000,000,000 bytes.
    public static let rowBytes = 300_000_000
    /// The number of bytes of all texts and blobs of a row, without folded copies, up to which it fits into every index.
    public static let plainBytes = 512
    /// The maximum number of bytes of all text, JSON and blob attributes in one index entry.
    ///
    /// They share `indexEntryTotalBytes` with the other attributes, so very many of those lower the limit.
    public static let indexEntryBytes = 2_048
    /// The maximum number of bytes of a whole index entry: the bytes of its text, JSON and blob attributes and 12 for
    /// each of them, 32 for each decimal, 16 for each UUID and 8 for any other attribute.
    ///
    /// PostgreSQL refuses a B-tree key of more than 2,704 bytes, including its header, the id after the attributes and
    /// a scope before them, and only does so once such a row is written.
    public static let indexEntryTotalBytes = 2_608
    /// The maximum number of attributes of an index.
    ///
    /// PostgreSQL allows 32 columns, including the id after the attributes and a scope before them.
    public static let indexAttributes = 30
    /// The maximum number of bytes of a name in the database.
    ///
    /// PostgreSQL truncates longer names silently.
    public static let nameBytes = 63
    /// The maximum depth of a condition: each list of terms, comparison and operand inside another is one level.
    public static let conditionDepth = 200
    /// The maximum depth of a calculation, in a condition or an update.
    ///
    /// A calculation and a `??` are one level each; a choice between two operands is two, an `exists` three.
    /// SQLite before 3.46 parses with a stack of 100 entries, and each level takes about five.
    public static let calculationDepth = 12
    /// The maximum number of constants in a condition, not counting those in lists.
    ///
    /// PostgreSQL binds at most 65,535 parameters and SQLite 32,766.
    public static let conditionConstants = 30_000
}
