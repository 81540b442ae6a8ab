/// A driver that can look at a store whose tables do not fit its marker, and make them anew.
package protocol RebuildingDriver: TransactionDriver {
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
    /// - Throws: As `TransactionDriver.change(_:to:filling:)`.
    func rebuild(_ rebuild: StoreRebuild) throws
    /// The greatest era among the rows of the history; 0 without rows.
    func lastEra() throws -> Int64
}

/// What a store really holds.
package struct StoreExamination: Sendable {
    /// The marker, or why it cannot be read; nil if there is none.
    package let marker: Result<StoreMarker, StoreError>?
    /// Whether what the store keeps beside the marker's JSON fits it.
    package let isSummaryRight: Bool
    /// What is wrong with the tables that the store keeps for itself, except that of the marker: a phrase each.
    package let bookkeepingFaults: [String]
    /// What is wrong with the indexes of these tables: a phrase each.
    package let bookkeepingIndexFaults: [String]
    /// The greatest era among the rows of the history; 0 without rows.
    package let lastEra: Int64
    /// The tables that any schema has, by name.
    package let tables: [String: ExaminedTable]
    /// Tables with the names that a change of tables gives to drafts, and how many rows they have.
    package let drafts: [String: Int]
    /// What the tables have and none of the schemas does.
    package let unknown: [UnknownPart]

    /// Creates the result of an examination.
    package init(
        marker: Result<StoreMarker, StoreError>?, isSummaryRight: Bool, bookkeepingFaults: [String],
        bookkeepingIndexFaults: [String], lastEra: Int64, tables: [String: ExaminedTable],
        drafts: [String: Int], unknown: [UnknownPart]
    ) {
        self.marker = marker
        self.isSummaryRight = isSummaryRight
        self.bookkeepingFaults = bookkeepingFaults
        self.bookkeepingIndexFaults = bookkeepingIndexFaults
        self.lastEra = lastEra
        self.tables = tables
        self.drafts = drafts
        self.unknown = unknown
    }

    /// The columns of a table that no schema has.
    func unknownColumns(of table: String) -> Set<String> {
        Set(unknown.filter { $0.table == table && $0.kind == .column }.map(\.name))
    }
}

/// A table as it was found.
package struct ExaminedTable: Sendable {
    /// The number of rows, in all scopes.
    package let rows: Int
    /// How it differs from the table of an entity, by the place of the schema in the list and the entity's name.
    package let differences: [EntityPlace: TableDifferences]

    /// Creates a table.
    package init(rows: Int, differences: [EntityPlace: TableDifferences]) {
        self.rows = rows
        self.differences = differences
    }
}

/// An entity of one of several schemas.
package struct EntityPlace: Sendable, Hashable {
    /// The place of the schema in the list.
    package let schema: Int
    /// The entity's name.
    package let entity: String

    /// Creates a place.
    package init(_ schema: Int, _ entity: String) {
        self.schema = schema
        self.entity = entity
    }
}

/// How a table differs from that of an entity: a phrase for each fault, as the end of a sentence that begins with the table.
package struct TableDifferences: Sendable {
    /// Columns that are missing, or of another type.
    package let columns: [String]
    /// The names of additional columns.
    package let additions: [String]
    /// References that are aimed at another table, or lack their foreign key.
    package let references: [String]
    /// Other keys and checks.
    package let constraints: [String]
    /// Indexes.
    package let indexes: [String]

    /// Creates the differences.
    package init(
        columns: [String], additions: [String], references: [String], constraints: [String],
        indexes: [String]
    ) {
        self.columns = columns
        self.additions = additions
        self.references = references
        self.constraints = constraints
        self.indexes = indexes
    }

    /// Whether the table itself, without its indexes and additional columns, is as it was made.
    var areNone: Bool { columns.isEmpty && references.isEmpty && constraints.isEmpty }
}

/// How the tables of a store that was found half-way become those of one schema.
package struct StoreRebuild: Sendable {
    /// The schema afterwards.
    package let schema: Schema
    /// The schemas of all versions: what none of them has is not the store's.
    package let versions: [Schema]
    /// What becomes of each table that does not stay as it is.
    package let changes: [TableChange]
    /// Tables whose rows are added to those of another one that lacks them, before they are dropped.
    package let merges: [Merge]
    /// Tables that are dropped beside those of the changes.
    package let dropped: [String]
    /// The marker afterwards.
    package var marker: StoreMarker

    /// Whether rows may have other values afterwards, or be in other tables.
    var changesRows: Bool { !changes.isEmpty || !merges.isEmpty }

    /// The rows of one table are added to another.
    package struct Merge: Sendable {
        /// The table that is dropped.
        package let old: Entity
        /// The one that gets the rows.
        package let new: Entity
        /// Where the values come from, one for each attribute of the new entity.
        package let sources: [ValueSource]
    }
}
