internal import Dispatch
internal import Foundation
internal import Switchyard
internal import SwitchyardCore
internal import Synchronization

/// A driver that applies a fault's hooks.
///
/// Views have no faults, because faults concern the declared schema.
class FaultyDriver: InterceptingDriver, TransactionRecording {
    let schema: Schema
    /// The backend's schema, which may differ from the declared one.
    let baseSchema: Schema
    let hooks: FaultHooks
    let place: FaultyPlace
    /// The store that each query is sent to separately, if the fault is that a read has no snapshot.
    private let latest: (any Store)?
    let isWriting: Bool
    /// The rows that this transaction has deleted, in the layout that drivers receive, if the fault needs them.
    var deletedRows: [StoredValue: [StoredValue]] = [:]
    /// The unique keys that this transaction has freed.
    var freedKeys: Set<[StoredValue]> = []
    /// The writes so far, for replaying them.
    private(set) var writes: [Write] = []
    private var marks: [Int] = []
    /// The entities whose references are checked before the commit, if the fault skips others.
    var mustCheck: Set<String> = []
    /// How often rows that refer to others through each attribute have been selected.
    var askedReferences: [String: Int] = [:]

    /// One operation with its arguments.
    enum Write: Sendable {
        case insert(String, ConflictResolution, [[StoredValue]])
        case update(String, [Assignment], Condition)
        case delete(String, Condition)

        func carryOut(with driver: FaultyDriver) throws {
            switch self {
            case .insert(let entity, let conflict, let rows):
                _ = try driver.insertRows(rows, into: try driver.schema.require(entity), onConflict: conflict)
            case .update(let entity, let assignments, let condition):
                _ = try driver.base.update(
                    try driver.stored(entity), set: assignments, where: condition, report: nil)
            case .delete(let entity, let condition):
                _ = try driver.base.delete(
                    from: try driver.stored(entity), where: condition, report: nil)
            }
        }
    }

    required init(
        _ base: any TransactionDriver, schema: Schema, baseSchema: Schema, hooks: FaultHooks,
        place: FaultyPlace, isWriting: Bool = false, latest: (any Store)? = nil
    ) {
        self.schema = schema
        self.baseSchema = baseSchema
        self.hooks = hooks
        self.place = place
        self.isWriting = isWriting
        self.latest = latest
        super.init(base)
    }

    /// Whether an entity is one of those in which the store keeps its history, which have faults of their own.
    private func isHistory(_ entity: Entity) -> Bool {
        schema.entity(entity.name) == nil && schema.tables.contains(entity)
    }

    override func insert(
        into entity: Entity, _ values: [Operand], from selection: Selection
    ) throws -> Int? {
        try hooks.insertion.flatMap { try super.insert(into: entity, values, from: $0(selection)) }
    }

    override func select(
        _ selection: Selection, onlyDoubtful: Bool, _ body: (inout RowReader) throws -> Bool
    ) throws {
        if isHistory(selection.entity) { return try hooks.history.select(selection, from: base, body) }
        var asked = selection
        asked.condition = try rewritten(selection.condition, selection.entity)
        asked = hooks.selection?(asked) ?? asked
        if hooks.scopes == .turnsOrder, asked.order.last?.attribute == StoreScope.attribute.name {
            asked.order[asked.order.count - 1] = SortKey(StoreScope.attribute.name, .descending)
        }
        if let rows = try latestAnswer(asked) ?? hooks.select?(self, asked) {
            return try give(rows, to: selection, body)
        }
        asked.entity = try stored(asked.entity.name)
        guard let cell = hooks.cell else { return try base.select(asked, body) }
        let attributes = selection.columns.map { column -> Attribute? in
            if case .attribute(let name) = column { selection.entity.attribute(name) } else { nil }
        }
        try base.select(asked) { row in
            var cells = try attributes.map { attribute in
                let found = try row.next()
                return attribute.map { cell(found, $0) } ?? found
            }
            return try cells.withUnsafeMutableBufferPointer { cells in
                guard let start = cells.baseAddress else { return true }
                var changed = RowReader(cells: start, count: cells.count, context: selection.errorContext)
                return try body(&changed)
            }
        }
    }

    override func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws {
        try findBySelecting(id, in: entity, body)
    }

    override func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored take: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        if isHistory(entity) {
            return try base.insert(into: entity, onConflict: conflict, next: next, stored: take)
        }
        let layout = entity.rowLayout
        let isChanged = hooks.rows != nil || hooks.insert != nil || keepsWrites
        guard isChanged else {
            let target = try stored(entity.name)
            return try base.insert(
                into: target, onConflict: conflict,
                next: { row in
                    guard try next(&row) else { return false }
                    guard hooks.value != nil else { return true }
                    let values = faulty(try row.storedValues(of: layout), entity)
                    row.reset()
                    for value in values { try row.write(value) }
                    return true
                }, stored: take)
        }
        var rows: [[StoredValue]] = []
        var writer = RowWriter(context: entity.errorContext)
        while try next(&writer) { rows.append(try writer.storedValues(of: layout)) }
        if let insert = hooks.insert {
            let count = try insert(self, entity, conflict, rows)
            if let take { try giveBack(rows, of: entity, conflict, take) }
            return count
        }
        keep(.insert(entity.name, conflict, rows))
        let kept = hooks.rows?(rows, entity) ?? rows
        let count = try insertRows(kept, into: entity, onConflict: conflict, stored: take)
        return kept.count == rows.count ? count : rows.count
    }

    override func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition, report: ChangeReport?
    ) throws -> Int {
        let condition = try rewritten(condition, entity)
        let assignments = assignments.map { assignment in
            guard let change = hooks.value, case .value(let value) = assignment.value,
                let attribute = entity.attribute(assignment.attribute)
            else { return assignment }
            return Assignment(attribute: attribute.name, value: .value(change(value, attribute)))
        }
        keep(.update(entity.name, assignments, condition))
        return try hooks.update?(self, entity, assignments, condition)
            ?? base.update(
                try stored(entity.name), set: assignments, where: condition, report: faulty(report))
    }

    override func delete(from entity: Entity, where condition: Condition, report: ChangeReport?) throws -> Int
    {
        if isHistory(entity) {
            if hooks.history == .keepsAll { return 0 }
            return try base.delete(from: entity, where: condition, report: report)
        }
        let condition = try rewritten(condition, entity)
        keep(.delete(entity.name, condition))
        return try hooks.delete?(self, entity, condition)
            ?? base.delete(from: try stored(entity.name), where: condition, report: faulty(report))
    }

    /// A report with the fault's omissions or errors.
    private func faulty(_ report: ChangeReport?) -> ChangeReport? {
        guard let report, let change = hooks.report else { return report }
        return change(report)
    }

    override func savepoint(_ depth: Int) throws {
        marks.append(writes.count)
        try base.savepoint(depth)
    }

    override func release(savepoint depth: Int) throws {
        _ = marks.popLast()
        try hooks.release?(self, depth) ?? base.release(savepoint: depth)
    }

    override func rollback(toSavepoint depth: Int) throws {
        if let mark = marks.popLast() { writes.removeSubrange(mark...) }
        try hooks.rollback?(self, depth) ?? base.rollback(toSavepoint: depth)
    }

    override func checkReferences() throws {
        if hooks.history != .checksLate { try super.checkReferences() }
    }

    func endTransaction(as record: TransactionRecord?) throws {
        guard let base = base.capability((any TransactionRecording).self) else {
            throw StoreError(.unsupported, "The store keeps no history.")
        }
        if hooks.history == .dividesNothing { return }
        var record = record
        if hooks.history == .renames { record?.id = OperationID().uuid }
        try base.endTransaction(as: record)
    }

    override func scopes(after last: StoreScope?, limit: Int) throws -> [HeldScope] {
        let held = try super.scopes(after: last, limit: limit)
        return hooks.scopes == .hidesEmpty ? held.filter { $0.lastOfHistory != nil } : held
    }

    override func marker() throws -> StoreMarker {
        var marker = try super.marker()
        marker.schema = schema
        switch hooks.opening {
        case .newIdentityEachTime: marker.storeID = OperationID().uuid
        case .wrongRole: marker.role = .copying
        case .losesSchema: marker.schema = try Schema(version: schema.version, entities: [schema.entities[0]])
        default: break
        }
        return marker
    }

    override func check(_ control: ControlCheck) throws { try control.require(try marker()) }

    override func inspectTables(before steps: [SchemaStep]) throws -> [UnknownPart] {
        let parts = try super.inspectTables(before: steps)
        return hooks.unknownParts?(steps, parts) ?? parts
    }

    override func change(_ changes: [TableChange], to schema: Schema, filling fill: TableFilling?) throws {
        try super.change(
            hooks.changes?(changes) ?? changes, to: schema, filling: hooks.fillsTables ? fill : nil)
    }

    override func setMarker(_ marker: StoreMarker) throws {
        if hooks.opening == .keepsRole { return }
        var marker = marker
        // A migration gives the store another schema.
        marker.schema =
            marker.schema == schema ? baseSchema : try hooks.schema?(marker.schema) ?? marker.schema
        if hooks.opening == .losesSuccessor { marker.successor = nil }
        if hooks.opening == .keepsIdentity { marker.storeID = try super.marker().storeID }
        if hooks.history == .isNeverOn { marker.history = nil }
        if hooks.history == .forgetsMirror { marker.mirror = nil }
        try super.setMarker(marker)
    }

    private var keepsWrites: Bool {
        hooks.transactions == .losesUpdates || hooks.transactions == .readsUncommitted
    }

    private func keep(_ write: Write) {
        guard keepsWrites else { return }
        writes.append(write)
        guard case .insert(let entity, _, let rows) = write else { return }
        place.remember { $0.uncommitted[entity, default: []] += rows }
    }

    private func latestAnswer(_ selection: Selection) throws -> [[StoredValue]]? {
        guard let latest else { return nil }
        // This thread may block, and the other read runs on another thread.
        let found = Answer()
        Task { [schema, baseSchema, hooks, place] in
            let result: Result<[[StoredValue]], any Error>
            do {
                result = .success(
                    try await latest.read { tx in
                        try FaultyDriver(
                            tx.driver, schema: schema, baseSchema: baseSchema, hooks: hooks, place: place
                        ).answer(to: selection)
                    })
            } catch { result = .failure(error) }
            found.give(result)
        }
        return try found.wait()
    }
}

/// A driver that tells what a fault says of how it carries out a selection.
final class ExplainingFaultyDriver: FaultyDriver, SelectionExplaining {
    func explain(_ selection: Selection) throws -> (statement: String, steps: [String], indexes: [String]) {
        hooks.explain?(selection) ?? ("", [], [])
    }
}

/// An answer that another thread will provide.
private final class Answer: Sendable {
    private let result = Mutex<Result<[[StoredValue]], any Error>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func give(_ answer: Result<[[StoredValue]], any Error>) {
        result.withLock { $0 = answer }
        isThere.signal()
    }

    func wait() throws -> [[StoredValue]]? {
        isThere.wait()
        return try result.withLock { $0 }?.get()
    }
}
