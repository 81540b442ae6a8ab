public import Foundation
public import SwitchyardCore

/// A transaction on an SQL database: the driver's operations as statements on a connection.
///
/// A backend implements the connection, and begins and ends the transaction; the operations themselves are the same for
/// all databases.
public final class SQLTransaction<Connection: SQLConnection>: TransactionDriver, StoreMaintenance,
    DoubtfulRowSelecting, HistoryAppending, PartitionLimiting, RelatedOrdering, SelectionExplaining,
    SelectionInserting, TableInspecting, TableRebuilding
{
    /// The connection, inside the transaction.
    public let connection: Connection
    /// The statements of the schema.
    public let plan: SQLPlan
    /// The scopes whose rows the transaction sees, ascending; empty if the tables have none.
    public let scopes: [StoreScope]
    /// Learns of each statement; nil if nobody listens.
    public let telemetry: TransactionTelemetry?
    /// The generator of statements that are confined to the scopes.
    private(set) lazy var sql = plan.sql.isScoped ? plan.sql.confined(to: scopes) : plan.sql
    let changes: TransactionChanges
    /// What the connection knows of the end of the history; nil if nothing.
    package let historyEnd: HistoryEnd?

    /// The names of the tables whose rows the transaction has changed, tried to change, or keeps others from changing.
    public var changedTables: Set<String> { Set(changes.tables).union(changes.fenced) }

    /// The names of the tables whose rows the transaction has changed, if only for a while.
    public var writtenTables: Set<String> { Set(changes.written) }

    /// Creates a transaction on a connection that has begun one.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - plan: The statements of the store's schema.
    ///   - scopes: The scopes whose rows it sees, ascending, one for a write; none where the tables have none.
    ///   - telemetry: Learns of each statement; nil if nobody listens.
    public convenience init(
        _ connection: Connection, plan: SQLPlan, scopes: [StoreScope] = [],
        telemetry: TransactionTelemetry? = nil
    ) {
        self.init(
            connection, plan: plan, scopes: scopes, telemetry: telemetry, historyEnd: nil,
            changes: TransactionChanges(schema: plan.schema))
    }

    /// Creates a transaction on a connection that remembers the end of the history.
    package convenience init(
        _ connection: Connection, plan: SQLPlan, scopes: [StoreScope], telemetry: TransactionTelemetry?,
        historyEnd: HistoryEnd?
    ) {
        self.init(
            connection, plan: plan, scopes: scopes, telemetry: telemetry, historyEnd: historyEnd,
            changes: TransactionChanges(schema: plan.schema))
    }

    /// The same transaction in other scopes, by the statements of a plan, without a memory of what it changes: what nobody
    /// has to check at the end.
    func confined(to scopes: [StoreScope], _ plan: SQLPlan) -> SQLTransaction {
        SQLTransaction(connection, plan: plan, scopes: scopes, telemetry: telemetry)
    }

    private init(
        _ connection: Connection, plan: SQLPlan, scopes: [StoreScope], telemetry: TransactionTelemetry?,
        historyEnd: HistoryEnd?, changes: TransactionChanges
    ) {
        self.connection = connection
        self.plan = plan
        self.scopes = scopes
        self.telemetry = telemetry
        self.historyEnd = historyEnd
        self.changes = changes
    }

    /// The same transaction over the tables of another schema.
    ///
    /// - Throws: As `TransactionDriver` says.
    public func view(of schema: Schema) throws -> any TransactionDriver {
        SQLTransaction(
            connection, plan: try SQLPlan(plan.sql.printing(schema)), scopes: scopes, telemetry: telemetry,
            historyEnd: historyEnd, changes: changes)
    }

    /// Runs a selection.
    ///
    /// - Throws: As `TransactionDriver` says.
    public func select(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        try run(try sql.select(selection), of: selection, body)
    }

    /// Runs a selection for the rows that may have something that not every store would take.
    ///
    /// - Throws: As `DoubtfulRowSelecting` says.
    public func selectDoubtful(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        try run(try sql.selectDoubtful(selection), of: selection, body)
    }

    private func run(
        _ statement: SQLStatement, of selection: Selection, _ body: (inout RowReader) throws -> Bool
    ) throws {
        let types = selection.columns.map { $0.type(in: selection.entity) }
        try telling(statement.text).query(
            statement, types: types, context: selection.errorContext, body)
    }

    /// Finds the row of an id.
    ///
    /// - Throws: As `TransactionDriver` says.
    public func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws {
        guard scopes.count > 1 else {
            let plan = try plan.entity(entity.name)
            return try telling(plan.find).find(id, in: scopes.first, by: plan, body)
        }
        try select(
            .rows(
                of: entity, where: .compare(.attribute("id"), .equal, .value(.uuid(id))),
                order: [SortKey(StoreScope.attribute.name)], limit: 1)
        ) { row in
            try body(&row)
            return false
        }
    }

    /// Updates rows by a condition.
    ///
    /// - Throws: As `TransactionDriver` says.
    public func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition, report: ChangeReport?
    ) throws -> Int {
        if assignments.isEmpty { return try count(of: entity, where: condition) }
        try willChange(entity)
        // RETURNING returns the rows after the change, so they are read before it.
        if let report, report.content == .rowBefore {
            try select(.rows(of: entity, where: condition, order: [])) { row in
                try report.body(&row)
                return true
            }
        }
        noteReferences(of: entity, setBy: assignments)
        let content = report?.content == .id ? report?.content : nil
        let statement =
            try content == nil
            ? plan.entity(entity.name).updateRow(assignments, where: condition, in: scopes.first) : nil
        return noting(
            try run(
                try statement
                    ?? sql.update(entity.name, set: assignments, where: condition, returning: content),
                of: entity, returning: content, report), rowsOf: entity)
    }

    /// Deletes rows by a condition.
    ///
    /// - Throws: As `TransactionDriver` says.
    public func delete(from entity: Entity, where condition: Condition, report: ChangeReport?) throws -> Int {
        try willChange(entity)
        let report = notesDeletions(of: entity) ? notingDeletions(of: entity, for: report) : report
        return noting(
            try run(
                try sql.delete(from: entity.name, where: condition, returning: report?.content),
                of: entity, returning: report?.content, report), rowsOf: entity)
    }

    /// Runs a statement that changes rows, and calls the body with those that it returns.
    private func run(
        _ statement: SQLStatement, of entity: Entity, returning content: ChangeReport.Content?,
        _ report: ChangeReport?
    ) throws -> Int {
        let connection = telling(statement.text)
        guard let content, let report else { return try connection.run(statement) }
        let selection = Selection(
            entity: entity, columns: content.attributes(of: entity).map { .attribute($0.name) })
        var count = 0
        try connection.query(
            statement, types: content.attributes(of: entity).map(\.type), context: selection.errorContext
        ) { row in
            count += 1
            try report.body(&row)
            return true
        }
        return count
    }

    /// Adds the indexes and foreign keys of a store that was made without, and gathers the statistics of its tables.
    ///
    /// - Throws: As `StoreMaintenance` says.
    public func addConstraints() throws {
        for text in try plan.sql.addConstraints() + plan.sql.gatherStatistics() {
            _ = try telling(text).run(SQLStatement(text: text))
        }
    }

    /// Removes the indexes and foreign keys that `addConstraints` adds.
    ///
    /// - Throws: As `StoreMaintenance` says.
    public func removeConstraints() throws {
        for text in try plan.sql.removeConstraints() {
            _ = try telling(text).run(SQLStatement(text: text))
        }
    }

    /// Begins a savepoint.
    ///
    /// - Throws: As `TransactionDriver` says.
    public func savepoint(_ depth: Int) throws { try command("SAVEPOINT switchyard_\(depth)") }

    /// Keeps what was done since a savepoint.
    ///
    /// - Throws: As `TransactionDriver` says.
    public func release(savepoint depth: Int) throws {
        try command("RELEASE SAVEPOINT switchyard_\(depth)")
    }

    /// Undoes what was done since a savepoint.
    ///
    /// - Throws: As `TransactionDriver` says.
    public func rollback(toSavepoint depth: Int) throws {
        historyEnd?.forget()
        try command(
            "ROLLBACK TO SAVEPOINT switchyard_\(depth); RELEASE SAVEPOINT switchyard_\(depth)")
    }

    /// Records the id of this write, and deletes old ones now and then.
    ///
    /// - Throws: As `StoreMaintenance` says.
    public func record(_ operation: OperationID) throws {
        let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
        do {
            _ = try run(sql.recordOperation(operation, at: now))
        } catch let error as StoreError where error.code == .unique {
            throw StoreError.operationCommitted(operation)
        }
        // Deleting reads the oldest operations, which makes writers conflict under serializable isolation, so not every
        // write does it.
        if operation.forgetsOthers { _ = try run(sql.forgetOperations(at: now)) }
    }

    /// The recorded ids after another one.
    ///
    /// - Throws: As `StoreMaintenance` says.
    public func operations(after last: OperationID?, limit: Int) throws -> [CommittedOperation] {
        var operations: [CommittedOperation] = []
        let statement = sql.selectOperations(after: last, limit: limit)
        try telling(statement.text).query(
            statement, types: [.uuid, .timestamp],
            context: ErrorContext(entity: SQLGenerator.operationTable, attributes: ["id", "committed_at"])
        ) { row in
            guard case .uuid(let id) = try row.read(.uuid),
                case .timestamp(let time) = try row.read(.timestamp)
            else { return false }
            operations.append(CommittedOperation(OperationID(id), time: time))
            return true
        }
        return operations
    }

    /// Records the ids of another store's writes.
    ///
    /// - Throws: As `StoreMaintenance` says.
    public func adopt(_ operations: [CommittedOperation]) throws {
        for operation in operations {
            let statement = sql.adoptOperation(operation)
            try telling(statement.text).runAhead(statement)
        }
    }

    /// The scopes after another one.
    ///
    /// - Throws: As `StoreMaintenance` says.
    public func scopes(after last: StoreScope?, limit: Int) throws -> [HeldScope] {
        guard sql.isScoped, limit > 0 else { return [] }
        var scopes: [HeldScope] = []
        let statement = try sql.selectScopes(after: last, limit: limit)
        try telling(statement.text).query(
            statement, types: [.uuid, .int],
            context: ErrorContext(
                entity: HistoryAddition.entity.name, attributes: [StoreScope.attribute.name, "id"])
        ) { row in
            scopes.append(HeldScope(StoreScope(try UUID(from: &row)), lastOfHistory: try Int64?(from: &row)))
            return true
        }
        return scopes
    }

    /// The ends of the histories of some scopes.
    ///
    /// Where row-level security hides them, a function tells them that grants give to the role of a mirror's service.
    ///
    /// - Throws: As `StoreMaintenance` says.
    public func heads(of scopes: Set<StoreScope>) throws -> [HeldScope] {
        guard sql.isScoped, !scopes.isEmpty else { return [] }
        guard !sql.isDistributed else { return try allHeads(of: scopes) }
        var isGranted = false
        if let privilege = sql.selectHeadsPrivilege {
            try telling(privilege.text).query(
                privilege, types: [.bool],
                context: ErrorContext(entity: SQLGenerator.headsFunction, attributes: ["privilege"])
            ) { row in
                isGranted = try row.read(.bool) == .bool(true)
                return false
            }
        }
        var heads: [HeldScope] = []
        let statement = try sql.selectHeads(of: scopes.sorted(), asGranted: isGranted)
        try telling(statement.text).query(
            statement, types: [.uuid, .int],
            context: ErrorContext(
                entity: HistoryAddition.entity.name, attributes: [StoreScope.attribute.name, "id"])
        ) { row in
            heads.append(HeldScope(StoreScope(try UUID(from: &row)), lastOfHistory: try Int64?(from: &row)))
            return true
        }
        return heads
    }

    /// Whether the id of a write is recorded and not yet deleted.
    public func hasRecorded(_ operation: OperationID) throws -> Bool {
        var isFound = false
        let statement = sql.findOperation(operation)
        try telling(statement.text).query(
            statement, types: [.uuid],
            context: ErrorContext(entity: SQLGenerator.operationTable, attributes: ["id"])
        ) { _ in
            isFound = true
            return false
        }
        return isFound
    }

    /// The store's marker.
    ///
    /// - Throws: As `StoreMaintenance` says.
    public func marker() throws -> StoreMarker {
        var json: String?
        let statement = SQLStatement(text: SQLGenerator.selectMarker(in: plan.sql.namespace))
        try telling(statement.text).query(
            statement, types: [.text],
            context: ErrorContext(entity: SQLGenerator.markerTable, attributes: ["marker"])
        ) { row in
            json = try String(from: &row)
            return false
        }
        return try plan.marker(json)
    }

    /// Replaces the store's marker.
    ///
    /// - Throws: As `StoreMaintenance` says.
    public func setMarker(_ marker: StoreMarker) throws {
        try StoreMarker.requireKnown(marker.format)
        let tables = try presentTables()
        changes.fenced = Set(tables + [SQLGenerator.markerTable])
        try connection.awaitWriters(of: tables.map(plan.sql.qualified))
        _ = try run(try plan.sql.updateMarker(marker))
    }

    /// The tables of the store as it is: it may have been opened by another version of the app for the sake of its marker.
    private func presentTables() throws -> [String] {
        do {
            return SQLGenerator.tables(writtenWith: try marker().schema)
        } catch let error as StoreError where error.code == .corrupted { return plan.sql.writtenTables }
    }

    /// Checks the control row, which the store keeps beside its marker.
    ///
    /// - Throws: As `StoreMaintenance` says.
    public func check(_ control: ControlCheck) throws {
        changes.isCopy = control.expected.role == StoreRole.copying.rawValue
        let requirement = { [plan] in plan.requireControl(control.expected) }
        // The place in the history is taken at the end, but kept free from the beginning: writers that took it from each
        // other would have to begin again. A cluster's machines detect conflicts each for itself, and the marker may be read
        // on another one than the rows.
        let queues = control.expected.era > 0 || plan.sql.isDistributed
        let queue = queues ? plan.enterQueue(of: scopes.first) : nil
        if let queue { telemetry?.statement(queue.text) }
        try telling(plan.control).begin(
            with: plan.control, types: [.text, .text, .text, .int], context: plan.controlContext,
            behind: queue, orRequire: requirement
        ) { [directory = plan.sql.directory] row in
            let (role, successor) = (try String(from: &row), try String?(from: &row))
            try control.require(
                StoreControl(
                    role: role, successor: successor.map { directory?.absolute($0) ?? $0 },
                    fingerprint: try String(from: &row),
                    era: try Int64(from: &row)))
        }
    }

    /// The connection, on which a text is run now.
    func telling(_ text: String) -> Connection {
        telemetry?.statement(text)
        return connection
    }

    func run(_ statement: SQLStatement) throws -> Int {
        try telling(statement.text).run(statement)
    }

    private func command(_ text: String) throws { try telling(text).command(text) }

    /// Notes that rows of an entity were changed, if any were; returns their number.
    func noting(_ count: Int, rowsOf entity: Entity) -> Int {
        if count > 0, !changes.written.contains(entity.table) { changes.written.append(entity.table) }
        return count
    }

    func willChange(_ entity: Entity) throws {
        if let historyEnd, entity.table == plan.historyTable { historyEnd.forget() }
        if entity.table != plan.historyTable { changes.hasUncheckedReferences = true }
        guard !changes.tables.contains(entity.table) else { return }
        changes.tables.append(entity.table)
        try connection.willChange(entity)
    }
}

extension ChangeReport.Content {
    /// The attributes that are told, in order.
    func attributes(of entity: Entity) -> [Attribute] {
        switch self {
        case .id: entity.attribute("id").map { [$0] } ?? []
        case .rowBefore: entity.attributes
        }
    }
}

/// The state that all views of a transaction share.
final class TransactionChanges {
    /// The schema of the store.
    let schema: Schema
    /// The names of the tables whose rows were changed, or tried to.
    var tables: [String] = []
    /// The names of the tables that have changed rows.
    var written: [String] = []
    /// The tables whose writers a change of the marker excludes, and that of the marker; none if it was not changed.
    var fenced: Set<String> = []
    /// Whether the store is an incomplete copy, whose references may lead to rows that are yet to come.
    var isCopy = false
    /// The references to check before the commit, if rows have scopes.
    var references = TouchedReferences()
    /// Whether rows were changed since references were checked last.
    var hasUncheckedReferences = false

    init(schema: Schema) {
        self.schema = schema
        // As many as a small transaction changes, with the history.
        tables.reserveCapacity(4)
        written.reserveCapacity(4)
    }
}

extension SelectedColumn {
    /// The type of the column; an attribute that is not the entity's has been refused before.
    fileprivate func type(in entity: Entity) -> AttributeType {
        switch self {
        case .attribute(let name), .group(.attribute(let name)), .aggregate(.minimum(let name)),
            .aggregate(.maximum(let name)):
            entity.attribute(name)?.type ?? (name == StoreScope.attribute.name ? .uuid : .int)
        case .group(.period(let period, _, _)): period == .day ? .day : .int
        case .aggregate: .int
        }
    }
}
