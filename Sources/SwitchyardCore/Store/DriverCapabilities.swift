/// A driver whose database can tell which rows of a selection need no closer look.
///
/// A scan for damage reads every row of a store; with this capability, only the doubtful ones leave the database.
public protocol DoubtfulRowSelecting: TransactionDriver {
    /// Runs a selection of whole rows, and may leave out those of which the database itself can tell that every store would
    /// take them: each value is one that its attribute allows, and texts and blobs have `Limits.plainBytes` at most.
    ///
    /// - Throws: As `select`.
    func selectDoubtful(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws
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

/// A driver that can look at a store whose tables do not fit its marker, and make them anew.
///
/// It is what `store check` and `store repair` stand on; without it, they refuse with `unsupported`.
public protocol TableRebuilding: TransactionDriver {
    /// Compares the tables of the store with those of schemas.
    ///
    /// - Parameter schemas: The schemas.
    /// - Returns: What was found. A table that no schema has is not looked at.
    /// - Throws: As a selection.
    /// - Complexity: Counts the rows of each table.
    func examine(_ schemas: [Schema]) throws -> StoreExamination

    /// The number of rows of a table that refer to rows which none of some tables has.
    ///
    /// - Parameters:
    ///   - attribute: The reference, by the column of which the rows are found.
    ///   - table: The table.
    ///   - targets: The tables.
    /// - Returns: The number, in all scopes.
    /// - Throws: As a selection.
    func strayReferences(_ attribute: Attribute, in table: String, to targets: [String]) throws -> Int

    /// Makes tables anew, and everything else that the store lacks of a schema: indexes, foreign keys and the marker.
    ///
    /// - Throws: As `StoreMaintenance.change(_:to:filling:)`.
    func rebuild(_ rebuild: StoreRebuild) throws

    /// The greatest era among the rows of the history; 0 without rows.
    func lastEra() throws -> Int64
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
    func unknownParts(before steps: [SchemaStep]) throws -> [UnknownPart] {
        try capability((any TableInspecting).self)?.inspectTables(before: steps) ?? []
    }
}
