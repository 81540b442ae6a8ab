public import SwitchyardCore

/// What a store works out once about its schema, so that no transaction has to.
public struct SQLPlan: Sendable {
    /// Prints the statements.
    public let sql: SQLGenerator
    private let entities: [String: SQLEntityPlan]
    /// What a write asks first.
    let control: String
    let controlContext = ErrorContext(
        entity: SQLGenerator.markerTable, attributes: ["role", "successor", "fingerprint"])

    /// The schema whose entities are the tables.
    public var schema: Schema { sql.schema }

    /// Works out the statements of a schema.
    ///
    /// - Throws: `unsupported` if a statement cannot be printed.
    public init(_ sql: SQLGenerator) throws {
        self.sql = sql
        control = SQLGenerator.selectControl(in: sql.namespace)
        entities = Dictionary(
            uniqueKeysWithValues: try sql.schema.entities.map { ($0.name, try SQLEntityPlan($0, sql: sql)) })
    }

    /// The statements of an entity.
    ///
    /// - Throws: `schemaMismatch` if the schema does not hold it.
    public func entity(_ name: String) throws -> SQLEntityPlan {
        guard let plan = entities[name] else { throw schema.unknownEntity(name) }
        return plan
    }
}

/// The statements of one entity.
public final class SQLEntityPlan: Sendable {
    /// What names the entity and its attributes in an error about a row.
    public let context: ErrorContext
    /// The types of a whole row's columns.
    public let types: [AttributeType]
    /// The types of a row as it is inserted: with the scope before, if there is one, and the folded copies behind.
    public let insertTypes: [AttributeType]
    /// The text that finds a row by its id.
    public let find: String
    /// The text that inserts one row.
    public let insert: String

    init(_ entity: Entity, sql: SQLGenerator) throws {
        context = entity.errorContext
        types = entity.attributes.map(\.type)
        let insertion = try sql.insert(into: entity.name, onConflict: .fail)
        insertTypes = insertion.types
        insert = insertion.text
        find = try sql.find(in: entity.name)
    }
}

/// One call of `insert`: which rows go where, and the statements for them.
public final class SQLInsertion {
    /// The entity's statements.
    public let plan: SQLEntityPlan
    /// Whether rows that meet a conflict are refused and nobody asks for those that are stored.
    public let isPlain: Bool
    private let entity: String
    private let conflict: ConflictResolution
    private let givesRows: Bool
    private let sql: SQLGenerator
    private let telemetry: TransactionTelemetry?
    /// The texts by their numbers of rows.
    private var texts: [Int: String] = [:]
    private var textOfArrays: String?

    init(
        into entity: String, _ plan: SQLEntityPlan, onConflict conflict: ConflictResolution, givesRows: Bool,
        sql: SQLGenerator, telemetry: TransactionTelemetry?
    ) {
        self.telemetry = telemetry
        self.entity = entity
        self.plan = plan
        self.conflict = conflict
        self.givesRows = givesRows
        self.sql = sql
        isPlain = conflict == .fail && !givesRows
    }

    /// The text that inserts a number of rows, whose placeholders take their cells row after row.
    ///
    /// - Throws: `unsupported` if the conflict's key is not one of the entity's.
    public func text(rows: Int) throws -> String {
        if isPlain, rows == 1 { return told(plan.insert) }
        if let text = texts[rows] { return text }
        let text = try sql.insert(into: entity, onConflict: conflict, rows: rows, givesRows: givesRows).text
        texts[rows] = text
        return told(text)
    }

    /// The text that inserts any number of rows, whose placeholders take an array for each column.
    ///
    /// - Throws: `unsupported` if the conflict's key is not one of the entity's.
    public func arrayText() throws -> String {
        if let textOfArrays { return textOfArrays }
        let text = try sql.insertArrays(into: entity, onConflict: conflict, givesRows: givesRows).text
        textOfArrays = text
        return told(text)
    }

    /// The text that takes rows in bulk.
    ///
    /// - Throws: `schemaMismatch` if the schema does not hold the entity.
    public func copyText() throws -> String { told(try sql.copyIn(entity)) }

    private func told(_ text: String) -> String {
        telemetry?.statement(text)
        return text
    }
}
