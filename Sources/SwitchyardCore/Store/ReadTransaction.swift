/// One snapshot of a store, to ask questions of.
///
/// It is good inside the closure that received it only.
public class ReadTransaction {
    /// The schema of the store.
    public let schema: Schema
    /// The scopes whose rows it sees, ascending; none in a store whose rows are not divided.
    public let scopes: [StoreScope]
    /// The suite puts drivers with faults in front of it.
    package let driver: any TransactionDriver
    let progress: Progress
    /// Whether the schema is another than the store's.
    private let isView: Bool
    /// The entities of the models that were used so far.
    private var entities: [ObjectIdentifier: Entity] = [:]

    /// How far a transaction has come, which all views of it share.
    final class Progress {
        /// Why nothing more can be done: the first error that an operation threw, or the end of the body.
        fileprivate(set) var ending: Ending?
        fileprivate var isPerforming = false
        /// How many savepoints have been begun.
        var depth = 0
    }

    enum Ending {
        case failed(StoreError)
        case finished
    }

    init(schema: Schema, driver: any TransactionDriver, sharing progress: Progress? = nil) {
        self.schema = schema
        self.driver = driver
        scopes = driver.scopes
        self.progress = progress ?? Progress()
        isView = progress != nil
    }

    /// The same snapshot in the words of another schema.
    ///
    /// ```swift
    /// // The rows of the first version lie in a table of their own while they are migrated.
    /// let feed = try V1.Feed.entity.get().stored(in: "Feed_1")
    /// let old = try tx.view(of: try Schema(version: V1.version, entities: [feed]))
    /// for feed in try old.fetch(V1.Feed.all) { try tx.insert(V2.Feed(feed)) }
    /// ```
    ///
    /// - Parameter schema: Entities whose tables (`Entity.stored(in:)`) are tables of the store's own schema, with
    ///   the same attributes and unique constraints; names of entities and relationships are its own.
    /// - Returns: A transaction for its models; both are one, so that an error in one ends the other.
    /// - Throws: `schemaMismatch` if a table is not the store's, or has other attributes.
    public func view(of schema: Schema) throws -> ReadTransaction {
        ReadTransaction(schema: schema, driver: try driver(for: schema), sharing: progress)
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

    /// Runs one operation: refuses it when the transaction has ended, and ends the transaction when it
    /// throws.
    ///
    /// Every backend is held to this, because PostgreSQL ends a transaction at the first error and SQLite
    /// would go on with half of the work.
    func perform<Result>(_ operation: () throws -> Result) throws -> Result {
        try requireOpen()
        // A connection that is handing over rows can do nothing else meanwhile, on some backends.
        guard !progress.isPerforming else {
            throw StoreError(
                .unsupported,
                "An operation cannot begin while another one hands over or takes rows. Fetch the rows first, then go on."
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

    /// The entity of a model in this store.
    ///
    /// - Throws: `schemaMismatch` if the store's schema does not hold the model, or holds one of its name
    ///   that is not the same: that of another version.
    func entity<Element: Model>(_ model: Element.Type) throws -> Entity {
        if let entity = entities[ObjectIdentifier(model)], entity.name == Element.entityName { return entity }
        let entity = try schema.require(Element.entityName)
        let described = try Element.entity.get()
        guard described.stored(in: entity.table) == entity else {
            throw StoreError(
                .schemaMismatch,
                "\(String(reflecting: model)) is not the \(entity.name) of the store's schema, version "
                    + "\(schema.version): use the model that the schema was made of.", entity: entity.name)
        }
        entities[ObjectIdentifier(model)] = entity
        return entity
    }

    func requireOpen() throws {
        switch progress.ending {
        case nil: return
        case .finished:
            throw StoreError(.closed, "The transaction has ended; use it inside its closure only.")
        case .failed(let first):
            throw StoreError(
                .transactionAborted,
                "An earlier error ended the transaction. Wrap what may fail in nested { }, or let the error out.",
                underlying: first)
        }
    }

    func fail(_ error: StoreError) { if progress.ending == nil { progress.ending = .failed(error) } }
    func reopen() { progress.ending = nil }
    func finish() { progress.ending = .finished }

    /// Runs a body, and where it fails because its work must be run again or was cancelled, throws that error
    /// rather than what the body made of it: a plugin decides by it.
    func showingFirstCause<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw decidingError ?? error }
    }

    /// The first error, if it is one after which all of the work must be run again or is given up.
    var decidingError: StoreError? {
        guard case .failed(let first) = progress.ending, first.isRetryable || first.code == .cancelled else {
            return nil
        }
        return first
    }

    /// Throws if an operation failed and the body hid the error, so that half of the work is never kept.
    func requireUnbroken() throws {
        if case .failed = progress.ending { try requireOpen() }
    }
}

@available(*, unavailable)
extension ReadTransaction: Sendable {}

extension ReadTransaction {
    /// Lends a driver as a transaction to a body, and ends the transaction when the body returns.
    ///
    /// Plugins call this between their own BEGIN and COMMIT.
    ///
    /// - Parameters:
    ///   - schema: The schema of the store.
    ///   - driver: Does the work.
    ///   - options: What the read was given.
    ///   - telemetry: Learns of each operation; nil if nobody listens.
    ///   - body: Reads.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; `transactionAborted` if it hid the error of an operation; `scopeMismatch` for
    ///   scopes of a driver that has none.
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

extension Entity {
    /// Whether another entity's rows are rows of this one as well: entities and relationships may have other
    /// names.
    fileprivate func holdsRows(of other: Entity) -> Bool {
        attributes.map(\.plain) == other.attributes.map(\.plain)
            && uniqueConstraints == other.uniqueConstraints
    }
}

extension Attribute {
    /// The attribute without the name of the entity that it points at.
    fileprivate var plain: Attribute {
        Attribute(
            name, column: column, type: type, isOptional: isOptional, defaultValue: defaultValue,
            cases: cases,
            domain: domain, isSearchable: isSearchable)
    }
}

extension StoreError {
    /// The error of a constraint in the words of the schema that has the constraint's table.
    fileprivate func told(by schema: Schema) -> StoreError {
        guard let violation = constraint.flatMap(schema.violation) else { return self }
        var error = self
        (error.entity, error.attribute) = (violation.entity, violation.attribute)
        return error
    }
}
