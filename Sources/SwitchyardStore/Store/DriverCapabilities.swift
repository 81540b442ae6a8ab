/// A driver whose database can tell which rows of a selection need no closer look.
///
/// A scan for damage reads every row of a store; with this capability, only the doubtful ones leave the database.
public protocol DoubtfulRowSelecting: TransactionDriver {
    /// Runs a selection of whole rows, and may leave out rows that are certainly sound.
    ///
    /// The database itself can tell that of a row whose values are all allowed by their attributes, and whose texts and
    /// blobs have at most `Limits.plainBytes`.
    ///
    /// - Throws: As `select`.
    func selectDoubtful(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws
}

/// A driver that sorts by the attributes of rows that references lead to, and by what is calculated for each row.
///
/// It takes every sort key in every selection. For a driver without the capability, `ReadTransaction` reads the keys of
/// all rows and sorts them.
public protocol RelatedOrdering: TransactionDriver {}

/// A driver that limits how many rows are selected for each value of an attribute.
///
/// It takes selections with a `partition`. For a driver without the capability, all rows of the values are read.
public protocol PartitionLimiting: TransactionDriver {}

/// A driver that inserts a row for each row of a selection by one statement.
///
/// It is asked where nothing but the database is needed for what the rows get. Without it, the selected values are read and
/// inserted in batches.
public protocol SelectionInserting: TransactionDriver {
    /// Inserts rows, which may be of the entity that is selected.
    ///
    /// - Parameters:
    ///   - entity: The entity of the new rows, without searchable attributes.
    ///   - values: The value of each of its attributes, in their order, calculated from a row of the selection as those that
    ///     an update assigns.
    ///   - selection: The rows from which they are made; its columns do not matter.
    /// - Returns: The number of rows inserted; nil if it cannot, and has done nothing.
    /// - Throws: `unique`, or `arithmetic` for a value without a result.
    func insert(into entity: Entity, _ values: [Operand], from selection: Selection) throws -> Int?
}

/// A driver that tells how its database carries out a selection.
public protocol SelectionExplaining: TransactionDriver {
    /// Asks for a plan, without carrying it out.
    ///
    /// - Returns: The statement with placeholders, the database's plan, a line for each step, and the names of the
    ///   indexes in it.
    /// - Throws: As `select`.
    func explain(_ selection: Selection) throws -> (statement: String, steps: [String], indexes: [String])
}

/// A driver that finds the end of the history and adds a transaction there at once.
///
/// Without it, each recorded write asks for the last place by `select`, and then inserts.
public protocol HistoryAppending: TransactionDriver {
    /// Adds a transaction after the last one of its history.
    ///
    /// - Returns: False if it cannot, and has done nothing.
    /// - Throws: `unique` if another transaction has taken the place.
    func append(_ addition: HistoryAddition) throws -> Bool
}

/// A driver of tables to which others can add columns, indexes or triggers.
///
/// A migration refuses what would lose them. Without the capability, it takes the tables for what the schema says.
public protocol TableInspecting: TransactionDriver {
    /// Compares the store's tables with the schema that a migration begins with, before its first stage.
    ///
    /// - Parameter steps: The stages that follow, in order.
    /// - Returns: What the tables have and the first step's older schema does not; each part that a step would lose, or
    ///   whose name it takes, has an obstacle.
    /// - Throws: `corrupted` if the tables lack something that this schema has.
    func inspectTables(before steps: [SchemaStep]) throws -> [UnknownPart]
}

/// A driver that records the changes of a write and can divide them into several transactions of the history.
package protocol TransactionRecording: TransactionDriver {
    /// Writes the changes since the last transaction to the history, as one transaction of it, if there are any.
    ///
    /// - Parameter record: What the transaction says of itself; nil for what the write's options say.
    /// - Throws: `unique`, naming the history's attribute `transaction`, if a transaction has the record's id;
    ///   `serialization` if another write took the same place in the history; `valueNotRepresentable`.
    func endTransaction(as record: TransactionRecord?) throws
}

extension TransactionDriver {
    /// The driver as one that has a capability, or the first beneath it that has; nil if none has.
    package func capability<Capability>(_ type: Capability.Type) -> Capability? {
        (self as? Capability) ?? (self as? InterceptingDriver)?.base.capability(type)
    }

    /// Runs a selection, and may leave out the rows that `DoubtfulRowSelecting` leaves out.
    package func select(
        _ selection: Selection, onlyDoubtful: Bool, _ body: (inout RowReader) throws -> Bool
    ) throws {
        guard onlyDoubtful, let driver = self as? any DoubtfulRowSelecting else {
            return try select(selection, body)
        }
        try driver.selectDoubtful(selection, body)
    }

    /// What the tables have beside their schema; nothing if the driver cannot tell.
    package func unknownParts(before steps: [SchemaStep]) throws -> [UnknownPart] {
        try capability((any TableInspecting).self)?.inspectTables(before: steps) ?? []
    }
}
