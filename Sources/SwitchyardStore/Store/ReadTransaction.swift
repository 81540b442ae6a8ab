/// A read from one snapshot of a store.
///
/// Use it only inside the closure that received it.
public class ReadTransaction {
    /// The schema of the store.
    public let schema: Schema
    /// The scopes whose rows the transaction sees, ascending; empty in a store without scopes.
    public let scopes: [StoreScope]
    /// Not private, because the conformance suite wraps it in drivers with faults.
    package let driver: any TransactionDriver
    package let progress: Progress
    /// Whether rows are read a few hundred at a time, so that others can be read and written in between.
    @usableFromInline let readsInPages: Bool
    /// Whether the schema differs from the store's.
    private let isView: Bool
    /// The entities of the models that were used so far.
    private var entities: [ObjectIdentifier: Entity] = [:]

    /// The state of a transaction, which all views of it share.
    package final class Progress {
        /// Why the transaction can no longer be used: the first error of an operation, or the end of the body.
        fileprivate(set) var ending: Ending?
        fileprivate var isPerforming = false
        /// The number of open savepoints.
        var depth = 0
    }

    enum Ending {
        case failed(StoreError)
        case finished
    }

    package init(
        schema: Schema, driver: any TransactionDriver, sharing progress: Progress? = nil,
        readsInPages: Bool = false
    ) {
        self.schema = schema
        self.driver = driver
        scopes = driver.scopes
        self.progress = progress ?? Progress()
        self.readsInPages = readsInPages
        isView = progress != nil
    }

    /// Returns the same snapshot seen through another schema.
    ///
    /// ```swift
    /// // The rows of the first version are in a table of their own while they are migrated.
    /// let feed = try V1.Feed.entity.get().stored(in: "Feed_1")
    /// let old = try tx.view(of: try Schema(version: V1.version, entities: [feed]))
    /// for feed in try old.fetch(V1.Feed.all) { try tx.insert(V2.Feed(feed)) }
    /// ```
    ///
    /// - Parameter schema: Entities whose tables (`Entity.stored(in:)`) exist in the store's own schema, with the same
    ///   attributes and unique constraints; the names of entities and relationships may differ.
    /// - Returns: A view of this transaction for the schema's models. An error in either one ends both.
    /// - Throws: `schemaMismatch` if the store has no such table, or the table has other attributes.
    public func view(of schema: Schema) throws -> ReadTransaction {
        ReadTransaction(
            schema: schema, driver: try driver(for: schema), sharing: progress, readsInPages: readsInPages)
    }

    func driver(for view: Schema) throws -> any TransactionDriver {
        try perform {
            for entity in view.entities {
                guard let own = schema.entity(inTable: entity.table), own.holdsRows(of: entity) else {
                    throw StoreError(
                        .schemaMismatch,
                        "The store has no table \(entity.table) with the attributes and unique constraints of this "
                            + "\(entity.name).", entity: entity.name)
                }
            }
            return try driver.view(of: view)
        }
    }

    /// Runs one operation: throws if the transaction has ended, and ends the transaction if the operation throws.
    ///
    /// This makes all backends behave alike: PostgreSQL aborts a transaction at the first error, while SQLite would
    /// go on with half of the work.
    package func perform<Result>(_ operation: () throws -> Result) throws -> Result {
        try requireOpen()
        // On some backends, a connection that is delivering rows can do nothing else in the meantime.
        guard !progress.isPerforming else {
            throw StoreError(
                .unsupported,
                "An operation cannot begin while another one reads or writes rows. Fetch the rows first, then go on."
            )
        }
        progress.isPerforming = true
        defer { progress.isPerforming = false }
        do {
            return try operation()
        } catch {
            let failure = error as? StoreError
            guard let failure else {
                fail(StoreError(.backend, "A closure given to the transaction threw.", underlying: error))
                throw error
            }
            let told = isView ? failure.told(by: schema) : failure
            fail(told)
            throw told
        }
    }

    /// Returns the entity of a model in this store.
    ///
    /// - Throws: `schemaMismatch` if the store's schema does not contain the model, or contains a different one of the
    ///   same name, such as that of another version.
    package func entity<Element: Model>(_ model: Element.Type) throws -> Entity {
        if let entity = entities[ObjectIdentifier(model)], entity.name == Element.entityName { return entity }
        let entity = try schema.require(Element.entityName)
        let described = try Element.entity.get()
        guard described.stored(in: entity.table) == entity else {
            throw StoreError(
                .schemaMismatch,
                "\(String(reflecting: model)) is not the \(entity.name) of the store's schema, version "
                    + "\(schema.version). Use the model that the schema was made from.", entity: entity.name)
        }
        entities[ObjectIdentifier(model)] = entity
        return entity
    }

    func requireOpen() throws {
        switch progress.ending {
        case nil: return
        case .finished:
            throw StoreError(.closed, "The transaction has ended; use it only inside its closure.")
        case .failed(let first):
            throw StoreError(
                .transactionAborted,
                "An earlier error ended the transaction. Wrap what may fail in nested { }, or rethrow the error.",
                underlying: first)
        }
    }

    func fail(_ error: StoreError) { if progress.ending == nil { progress.ending = .failed(error) } }
    func reopen() { progress.ending = nil }
    package func finish() { progress.ending = .finished }

    /// Rethrows the transaction's first error if it concerns the whole transaction, even if the body replaced it: plugins decide
    /// by it whether to retry.
    package func showingFirstCause<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw decidingError ?? error }
    }

    /// The first error, if it concerns the whole transaction.
    var decidingError: StoreError? {
        guard case .failed(let first) = progress.ending, first.concernsTransaction else { return nil }
        return first
    }

    /// Throws if an operation failed and the body swallowed the error, so that half of the work is never committed.
    package func requireUnbroken() throws {
        if case .failed = progress.ending { try requireOpen() }
    }
}

@available(*, unavailable)
extension ReadTransaction: Sendable {}

extension ReadTransaction {
    /// Runs a body with a transaction over a driver; the transaction ends when the body returns.
    ///
    /// Plugins call this between their own BEGIN and COMMIT.
    ///
    /// - Parameters:
    ///   - schema: The schema of the store.
    ///   - driver: The driver that does the work.
    ///   - options: The options of the read.
    ///   - telemetry: Records each operation; nil if nobody listens.
    ///   - body: Reads from the transaction.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; `transactionAborted` if it swallowed the error of an operation; `scopeMismatch`
    ///   if the options name scopes and the driver has none.
    public static func run<Result>(
        schema: Schema, driver: any TransactionDriver, options: ReadOptions = ReadOptions(),
        telemetry: TransactionTelemetry? = nil, _ body: (ReadTransaction) throws -> Result
    ) throws -> Result {
        _ = try options.scopes(inStoreOf: driver.scopes.first)
        let transaction = ReadTransaction(schema: schema, driver: ObservedDriver.around(driver, telemetry))
        defer { transaction.finish() }
        return try transaction.showingFirstCause {
            let result = try TransactionTelemetry.inContext(of: telemetry) { try body(transaction) }
            try transaction.requireUnbroken()
            return result
        }
    }
}

extension StoreError {
    /// Whether nothing of a transaction can be kept after the error, whatever its body makes of it.
    var concernsTransaction: Bool { isRetryable || code == .cancelled || code == .connectionLost }
}

extension Entity {
    /// Whether another entity describes the same rows; the names of entities and relationships may differ.
    fileprivate func holdsRows(of other: Entity) -> Bool {
        attributes.map(\.plain) == other.attributes.map(\.plain)
            && uniqueConstraints.map(\.plain) == other.uniqueConstraints.map(\.plain)
    }
}

extension Attribute {
    /// The attribute without the name of the entity that it refers to.
    fileprivate var plain: Attribute {
        Attribute(
            name, column: column, type: type, isOptional: isOptional, defaultValue: defaultValue,
            cases: cases,
            domain: domain, isSearchable: isSearchable)
    }
}

extension StoreError {
    /// The error of a constraint, with the entity and attribute names of the given schema.
    fileprivate func told(by schema: Schema) -> StoreError {
        guard let violation = constraint.flatMap(schema.violation) else { return self }
        var error = self
        (error.entity, error.attribute) = (violation.entity, violation.attribute)
        return error
    }
}
