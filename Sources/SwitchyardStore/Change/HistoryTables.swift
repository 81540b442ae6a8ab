/// The tables in which every store keeps its history, described as entities, so that a driver handles them like any
/// other: it creates them with the store (`Schema.tables`), and Core reads and writes their rows through it.
///
/// A store with scopes has one history for each scope.
extension Entity {
    /// All of them, and the table of the mirror, which follows the history.
    package static let historyTables = [historyTransaction, historyBlock, historyConsumer, mirrorRecord]

    /// One row for each transaction.
    ///
    /// The id is a number that holds the era and the sequence number (`HistoryRowID`), so that the table's own key gives
    /// the order.
    package static let historyTransaction = Entity(
        "switchyard_history",
        attributes: [
            Attribute("id", type: .int),
            Attribute("transaction", type: .uuid),
            Attribute("digest", type: .blob),
            Attribute("time", type: .timestamp),
            Attribute("author", type: .text, isOptional: true),
            Attribute("device", type: .text, isOptional: true),
            Attribute("operation", type: .uuid, isOptional: true),
            Attribute("undone", type: .uuid, isOptional: true),
            Attribute("fingerprint", type: .blob),
            Attribute("count", type: .int),
            Attribute("blocks", type: .int),
            Attribute("changes", type: .blob),
            // Last, as in a table that was made without it.
            Attribute("origin", type: .uuid, isOptional: true),
        ], uniqueConstraints: [UniqueConstraint(["transaction"])])

    /// The changes of a large transaction that do not fit into its row, in blocks.
    ///
    /// The id is that of the transaction, followed by the number of the block, from 1.
    package static let historyBlock = Entity(
        "switchyard_history_block",
        attributes: [Attribute("id", type: .uuid), Attribute("changes", type: .blob)])

    /// One row for each consumer, with the place up to which it has followed the history.
    ///
    /// Of its token, the store's identity and the scope are those of the row.
    package static let historyConsumer = Entity(
        "switchyard_history_consumer",
        attributes: [
            Attribute("id", type: .uuid),
            Attribute("name", type: .text),
            Attribute("era", type: .int),
            Attribute("sequence", type: .int),
            Attribute("digest", type: .blob),
        ], uniqueConstraints: [UniqueConstraint(["name"])])
}

extension Schema {
    /// The entities, followed by those in which every store keeps its history: everything that a backend has a table for.
    ///
    /// The first attribute of each is its id and the table's key: a UUID, or in the table of the history's transactions an
    /// integer.
    public var tables: [Entity] { entities + Entity.historyTables }
}
