internal import Foundation
internal import SwitchyardCore
internal import SwitchyardSQL

/// One transaction on a session, which the store has begun and will end.
final class PostgresTransaction: TransactionDriver {
    let session: Session
    let plan: StorePlan
    /// The entities whose rows it has changed, or tried to.
    private(set) var changedEntities: Set<String> = []

    init(_ session: Session, plan: StorePlan) {
        self.session = session
        self.plan = plan
    }

    /// Runs a statement that gives no rows.
    ///
    /// - Returns: The number of rows that it changed.
    @discardableResult
    func run(_ statement: SQLStatement) throws -> Int {
        try session.execute(statement.text, Parameters(statement)).affectedRows
    }

    func update(_ entity: Entity, set assignments: [Assignment], where condition: Condition) throws -> Int {
        if assignments.isEmpty { return try count(of: entity, where: condition) }
        willChange(entity)
        return try run(try plan.sql.update(entity.name, set: assignments, where: condition))
    }

    /// Notes that rows of an entity are about to be changed.
    func willChange(_ entity: Entity) { changedEntities.insert(entity.name) }

    func delete(from entity: Entity, where condition: Condition) throws -> Int {
        willChange(entity)
        return try run(try plan.sql.delete(from: entity.name, where: condition))
    }

    func savepoint(_ depth: Int) throws { try session.command("SAVEPOINT switchyard_\(depth)") }

    func release(savepoint depth: Int) throws {
        try session.command("RELEASE SAVEPOINT switchyard_\(depth)")
    }

    func rollback(toSavepoint depth: Int) throws {
        try session.command(
            "ROLLBACK TO SAVEPOINT switchyard_\(depth); RELEASE SAVEPOINT switchyard_\(depth)")
    }

    func record(_ operation: OperationID) throws {
        let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
        do {
            try run(plan.sql.recordOperation(operation, at: now))
        } catch let error as StoreError where error.code == .unique {
            throw StoreError.operationCommitted(operation)
        }
        // Forgetting reads the oldest operations, which under serializable isolation sets writers against
        // each other, so not every write does it.
        if operation.forgetsOthers { try run(plan.sql.forgetOperations(at: now)) }
    }
}
