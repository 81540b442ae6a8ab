/// One snapshot of a store, to ask questions of.
///
/// It is good inside the closure that received it only.
public class ReadTransaction {
    /// The schema of the store.
    public let schema: Schema
    /// The suite puts drivers with faults in front of it.
    package let driver: any TransactionDriver
    /// Why nothing more can be done: the first error that an operation threw, or the end of the body.
    private(set) var ending: Ending?
    private var isPerforming = false
    /// The entities of the models that were used so far.
    private var entities: [ObjectIdentifier: Entity] = [:]

    enum Ending {
        case failed(StoreError)
        case finished
    }

    init(schema: Schema, driver: any TransactionDriver) {
        self.schema = schema
        self.driver = driver
    }

    /// Runs one operation: refuses it when the transaction has ended, and ends the transaction when it
    /// throws.
    ///
    /// Every backend is held to this, because PostgreSQL ends a transaction at the first error and SQLite
    /// would go on with half of the work.
    func perform<Result>(_ operation: () throws -> Result) throws -> Result {
        try requireOpen()
        // A connection that is handing over rows can do nothing else meanwhile, on some backends.
        guard !isPerforming else {
            throw StoreError(
                .unsupported,
                "An operation cannot begin while another one hands over or takes rows. Fetch the rows first, then go on."
            )
        }
        isPerforming = true
        defer { isPerforming = false }
        do {
            return try operation()
        } catch {
            let failure = error as? StoreError
            fail(
                failure
                    ?? StoreError(.backend, "A closure given to the transaction threw.", underlying: error))
            throw error
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
        guard described == entity else {
            throw StoreError(
                .schemaMismatch,
                "\(String(reflecting: model)) is not the \(entity.name) of the store's schema, version "
                    + "\(schema.version): use the model that the schema was made of.", entity: entity.name)
        }
        entities[ObjectIdentifier(model)] = entity
        return entity
    }

    func requireOpen() throws {
        switch ending {
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

    func fail(_ error: StoreError) { if ending == nil { ending = .failed(error) } }
    func reopen() { ending = nil }
    func finish() { ending = .finished }

    /// Runs a body, and where it fails because its work must be run again or was cancelled, throws that error
    /// rather than what the body made of it: a plugin decides by it.
    func showingFirstCause<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw decidingError ?? error }
    }

    /// The first error, if it is one after which all of the work must be run again or is given up.
    var decidingError: StoreError? {
        guard case .failed(let first) = ending, first.isRetryable || first.code == .cancelled else {
            return nil
        }
        return first
    }

    /// Throws if an operation failed and the body hid the error, so that half of the work is never kept.
    func requireUnbroken() throws {
        if case .failed = ending { try requireOpen() }
    }
}

@available(*, unavailable)
extension ReadTransaction: Sendable {}

extension ReadTransaction {
    /// Lends a driver as a transaction to a body, and ends the transaction when the body returns.
    ///
    /// Plugins call this between their own BEGIN and COMMIT.
    ///
    /// - Throws: What the body throws; `transactionAborted` if it hid the error of an operation.
    public static func run<Result>(
        schema: Schema, driver: any TransactionDriver, _ body: (ReadTransaction) throws -> Result
    ) throws -> Result {
        let transaction = ReadTransaction(schema: schema, driver: driver)
        defer { transaction.finish() }
        return try transaction.showingFirstCause {
            let result = try body(transaction)
            try transaction.requireUnbroken()
            return result
        }
    }
}
