/// What a store really holds.
public struct StoreExamination: Sendable {
    /// The marker, or why it cannot be read; nil if there is none.
    public let marker: Result<StoreMarker, StoreError>?
    /// Whether what the store keeps beside the marker's JSON fits it.
    public let isSummaryRight: Bool
    /// What is wrong with the tables that the store keeps for itself, except that of the marker: a phrase each.
    public let bookkeepingFaults: [String]
    /// What is wrong with the indexes of these tables: a phrase each.
    public let bookkeepingIndexFaults: [String]
    /// The greatest era among the rows of the history; 0 without rows.
    public let lastEra: Int64
    /// The tables that any schema has, by name.
    public let tables: [String: ExaminedTable]
    /// Tables with the names that a change of tables gives to drafts, and how many rows they have.
    public let drafts: [String: Int]
    /// What the tables have and none of the schemas does.
    public let unknown: [UnknownPart]

    /// Creates the result of an examination.
    public init(
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
public struct ExaminedTable: Sendable {
    /// The number of rows, in all scopes.
    public let rows: Int
    /// How it differs from the table of an entity, by the place of the schema in the list and the entity's name.
    public let differences: [EntityPlace: TableDifferences]

    /// Creates a table.
    public init(rows: Int, differences: [EntityPlace: TableDifferences]) {
        self.rows = rows
        self.differences = differences
    }
}

/// An entity of one of several schemas.
public struct EntityPlace: Sendable, Hashable {
    /// The place of the schema in the list.
    public let schema: Int
    /// The entity's name.
    public let entity: String

    /// Creates a place.
    public init(_ schema: Int, _ entity: String) {
        self.schema = schema
        self.entity = entity
    }
}

/// How a table differs from that of an entity: a phrase for each fault, as the end of a sentence that begins with the table.
public struct TableDifferences: Sendable {
    /// Columns that are missing, or of another type.
    public let columns: [String]
    /// The names of additional columns.
    public let additions: [String]
    /// References that are aimed at another table, or lack their foreign key.
    public let references: [String]
    /// Other keys and checks.
    public let constraints: [String]
    /// Indexes.
    public let indexes: [String]

    /// Creates the differences.
    public init(
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
public struct StoreRebuild: Sendable {
    /// The schema afterwards.
    public let schema: Schema
    /// The schemas of all versions: what none of them has is not the store's.
    public let versions: [Schema]
    /// What becomes of each table that does not stay as it is.
    public let changes: [TableChange]
    /// Tables whose rows are added to those of another one that lacks them, before they are dropped.
    public let merges: [Merge]
    /// Tables that are dropped beside those of the changes.
    public let dropped: [String]
    /// The marker afterwards.
    public var marker: StoreMarker

    /// Whether rows may have other values afterwards, or be in other tables.
    var changesRows: Bool { !changes.isEmpty || !merges.isEmpty }

    /// The rows of one table are added to another.
    public struct Merge: Sendable {
        /// The table that is dropped.
        public let old: Entity
        /// The one that gets the rows.
        public let new: Entity
        /// Where the values come from, one for each attribute of the new entity.
        public let sources: [ValueSource]
    }
}
