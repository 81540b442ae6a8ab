internal import Foundation
public import SwitchyardCore

/// The statements of a schema, generated once for a store rather than in each transaction.
public final class SQLPlan: Sendable {
    /// The generator of the statements.
    public let sql: SQLGenerator
    private let entities: [String: SQLEntityPlan]
    /// The first query of each write, which reads the control row.
    let control: String
    private let controlRequirement: String
    private let enterQueue: String?
    /// The text that adds a transaction to the history; nil where the database cannot calculate its place.
    let appendHistory: String?
    let historyTable = HistoryAddition.entity.table
    /// The query of the last transaction of the history.
    let lastOfHistory: String
    let lastOfHistoryContext = ErrorContext(
        entity: HistoryAddition.entity.name, attributes: ["id", "digest", "time"])
    let controlContext = ErrorContext(
        entity: SQLGenerator.markerTable, attributes: ["role", "successor", "fingerprint", "era"])
    /// The marker that was read last, with its text: every read of a history asks for it, and it seldom changes.
    private let lastMarker = Monitor<(text: String, marker: StoreMarker)?>(nil)

    /// The schema whose entities are the tables.
    public var schema: Schema { sql.schema }

    /// Generates the statements of a schema.
    ///
    /// - Throws: `unsupported` if a statement cannot be generated.
    public init(_ sql: SQLGenerator) throws {
        self.sql = sql
        control = SQLGenerator.selectControl(in: sql.namespace)
        controlRequirement = sql.controlRequirement
        enterQueue = sql.enterQueue
        appendHistory = sql.appendHistory
        lastOfHistory = try sql.lastOfHistory
        entities = Dictionary(
            uniqueKeysWithValues: try sql.schema.tables.map { ($0.name, try SQLEntityPlan($0, sql: sql)) })
    }

    /// The marker of a text.
    ///
    /// - Throws: As `StoreMarker.decode` says.
    func marker(_ text: String?) throws -> StoreMarker {
        guard let text else { return try StoreMarker.decode(nil) }
        // Texts that look the same are equal strings, and different file names.
        if let last = lastMarker.withLock({ $0 }), last.text.utf8.elementsEqual(text.utf8) {
            return last.marker
        }
        let marker = try StoreMarker.decode(text).absolute(in: sql.directory)
        lastMarker.withLock { $0 = (text, marker) }
        return marker
    }

    /// The statement that fails unless the control row is as expected but for its successor.
    func requireControl(_ control: StoreControl) -> SQLStatement {
        SQLStatement(
            text: controlRequirement,
            parameters: [
                .value(.text(control.role), .text), .value(.text(control.fingerprint), .text),
                .value(.int(control.era), .int),
            ])
    }

    /// The statement by which a write waits for those of its scope that came before, until they have ended; nil if the
    /// database has only one writer at a time.
    func enterQueue(of scope: StoreScope?) -> SQLStatement? {
        enterQueue.map { text in
            let uuid = scope?.uuid ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
            return SQLStatement(text: text, parameters: [.value(.uuid(uuid), .uuid)])
        }
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
    /// The entity and its attributes, for errors about a row.
    public let context: ErrorContext
    /// The types of a whole row's columns.
    public let types: [AttributeType]
    /// The types of an inserted row: the scope, if there is one, then the attributes, then the folded copies.
    public let insertTypes: [AttributeType]
    /// The SQL that finds a row by its id.
    public let find: String
    /// The SQL that inserts one row.
    public let insert: String
    /// The SQL that fails unless there is a row with an id; nil where foreign keys see to that.
    let requireRow: String?
    private let attributes: ArraySlice<Attribute>
    /// The SQL that sets all attributes of one row but its id; nil if it has no others.
    private let updateRow: String?

    init(_ entity: Entity, sql: SQLGenerator) throws {
        context = entity.errorContext
        types = entity.attributes.map(\.type)
        let insertion = try sql.insert(into: entity.name, onConflict: .fail)
        insertTypes = insertion.types
        insert = insertion.text
        find = try sql.find(in: entity.name)
        requireRow = sql.isScoped ? try sql.requireRow(in: entity.name) : nil
        attributes = entity.attributes.dropFirst()
        updateRow = attributes.isEmpty ? nil : try sql.updateRow(in: entity)
    }

    /// The statement of an update that sets all attributes of one row, whose text is generated only once; nil if an update
    /// is not one of that kind.
    package func updateRow(_ assignments: [Assignment], where condition: Condition, in scope: StoreScope?)
        -> SQLStatement?
    {
        guard let updateRow, assignments.count == attributes.count,
            case .compare(.attribute("id"), .equal, .value(let id)) = condition
        else { return nil }
        var parameters: [SQLParameter] = []
        parameters.reserveCapacity(insertTypes.count)
        for (attribute, assignment) in zip(attributes, assignments) {
            guard attribute.name == assignment.attribute, case .value(let value) = assignment.value else {
                return nil
            }
            parameters.append(.value(value, attribute.type))
            if attribute.isSearchable { parameters.append(.value(value.folded, .text)) }
        }
        if let scope { parameters.append(.value(.uuid(scope.uuid), .uuid)) }
        parameters.append(.value(id, .uuid))
        return SQLStatement(text: updateRow, parameters: parameters)
    }
}

/// One call of `insert`: its entity, its conflict resolution and its statements.
public final class SQLInsertion {
    /// The entity's statements.
    public let plan: SQLEntityPlan
    /// Whether conflicting rows are refused and the caller does not need the stored rows.
    public let isPlain: Bool
    private let entity: String
    private let conflict: ConflictResolution
    private let givesRows: Bool
    private let statements: SQLPlan
    private let telemetry: TransactionTelemetry?
    /// The SQL by number of rows.
    private var texts: [Int: String] = [:]
    private var textOfArrays: String?

    init(
        into entity: String, _ plan: SQLEntityPlan, onConflict conflict: ConflictResolution, givesRows: Bool,
        of statements: SQLPlan, telemetry: TransactionTelemetry?
    ) {
        self.telemetry = telemetry
        self.entity = entity
        self.plan = plan
        self.conflict = conflict
        self.givesRows = givesRows
        self.statements = statements
        isPlain = conflict == .fail && !givesRows
    }

    /// The SQL that inserts a number of rows, whose cells are bound row by row.
    ///
    /// - Throws: `unsupported` if the conflict's key is not one of the entity's.
    public func text(rows: Int) throws -> String {
        if isPlain, rows == 1 { return told(plan.insert) }
        if let text = texts[rows] { return text }
        let text = try statements.sql.insert(
            into: entity, onConflict: conflict, rows: rows, givesRows: givesRows
        ).text
        texts[rows] = text
        return told(text)
    }

    /// The SQL that inserts any number of rows, bound as one array for each column.
    ///
    /// - Throws: `unsupported` if the conflict's key is not one of the entity's.
    public func arrayText() throws -> String {
        if let textOfArrays { return textOfArrays }
        let text = try statements.sql.insertArrays(into: entity, onConflict: conflict, givesRows: givesRows)
            .text
        textOfArrays = text
        return told(text)
    }

    /// The key whose conflicts are resolved; nil without one.
    package var resolvedKey: [String]? {
        switch conflict {
        case .fail: nil
        case .ignore(let key), .update(let key, _): key
        }
    }

    /// The keys of all rows on which a row can be refused, in the order in which a violation is named, and its error: the id,
    /// then the unique constraints as they are declared.
    ///
    /// - Throws: `schemaMismatch` if the schema does not hold the entity.
    package func refusals() throws -> [(key: [String], error: StoreError)] {
        let entity = try statements.sql.layout(entity).entity
        return [(["id"], .duplicateID(in: entity))]
            + entity.uniqueConstraints.filter { $0.filter == nil }.map {
                ($0.attributes, .duplicate($0, in: entity))
            }
    }

    /// The SQL that inserts one row, unless another one has its key.
    ///
    /// - Throws: `unsupported` if the key is not one of the entity's.
    package func text(unlessTaken key: [String]) throws -> String {
        told(try statements.sql.insert(into: entity, onConflict: .ignore(key: key)).text)
    }

    /// The quoted name of the table.
    ///
    /// - Throws: `schemaMismatch` if the schema does not hold the entity.
    package func table() throws -> String { try statements.sql.layout(entity).table }

    /// The SQL of the bulk command.
    ///
    /// - Throws: `schemaMismatch` if the schema does not hold the entity.
    public func copyText() throws -> String { told(try statements.sql.copyIn(entity)) }

    private func told(_ text: String) -> String {
        telemetry?.statement(text)
        return text
    }
}
