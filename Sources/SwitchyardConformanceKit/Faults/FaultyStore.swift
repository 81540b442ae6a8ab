internal import Switchyard
internal import SwitchyardCore
internal import Synchronization

/// A store that wraps another one and makes one mistake.
final class FaultyStore: Store {
    let base: any Store
    let schema: Schema
    let fault: Fault
    let place: FaultyPlace
    private let closed = Mutex(false)
    /// Tells all followers of all commits.
    private let loud = CommitFeed()

    init(_ base: any Store, schema: Schema, fault: Fault, place: FaultyPlace) {
        self.base = base
        self.schema = schema
        self.fault = fault
        self.place = place
    }

    var info: StoreInfo { base.info }
    var commits: CommitFeed { fault.hooks.scopes == .tellsAll ? loud : base.commits }
    var isClosed: Bool { closed.withLock { $0 } }

    func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await translatingErrors {
            try await read(faulty(options), by: fault.hooks.transactions, body)
        }
    }

    func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        let result = try await translatingErrors {
            try await write(faulty(options), by: fault.hooks.transactions, body)
        }
        loud.announce(schema.entities.map(\.name))
        return result
    }

    func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        var wasCommitted = try await base.wasCommitted(operation, in: scope)
        if fault.hooks.scopes == .sharesOperations {
            for other in place.remember({ $0.scopes }) where !wasCommitted {
                wasCommitted = try await base.wasCommitted(operation, in: other)
            }
        }
        return switch fault.hooks.opening {
        case .knowsNoOperation: false
        case .knowsEveryOperation: true
        case .keepsFailedOperations: wasCommitted || place.hasSeen(operation)
        default: wasCommitted
        }
    }

    func check() async throws -> [String] {
        let found = try await base.check()
        return switch fault.hooks.opening {
        case .findsNothing: []
        case .findsSomething: found + ["A row may be damaged."]
        default: found
        }
    }

    func close() async throws {
        closed.withLock { $0 = true }
        if fault.hooks.opening != .answersWhenClosed { try await base.close() }
    }

    private func faulty(_ options: ReadOptions) -> ReadOptions {
        guard let scopes = options.scopes else { return options }
        switch fault.hooks.scopes {
        case .readsOwn: return ReadOptions()
        case .readsFirst: return ReadOptions(scopes: Array(scopes.prefix(1)))
        case .readsAll where !scopes.isEmpty:
            return ReadOptions(scopes: scopes + place.remember { Array($0.scopes) })
        default: return options
        }
    }

    private func faulty(_ options: WriteOptions) -> WriteOptions {
        guard let scope = options.scope else { return options }
        place.remember { _ = $0.scopes.insert(scope) }
        var options = options
        if fault.hooks.scopes == .writesOwn { options.scope = nil }
        return options
    }

    private func translatingErrors<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as StoreError {
            throw fault.hooks.error?(error, schema) ?? error
        }
    }
}

/// Faults in a store as a whole.
enum OpeningFault: Sendable {
    case none
    case forgetsOnOpening, startsAnewFromDamage
    case keepsRowsAtClosing, ignoresSchema, makesWhatIsMissing, writesWhenReadOnly
    case waitsForEver, answersWhenClosed
    case newIdentityEachTime, wrongRole, losesSchema, keepsRole, losesSuccessor, keepsIdentity
    case findsNothing, findsSomething
    case knowsNoOperation, knowsEveryOperation, keepsFailedOperations, takesOperationTwice
}

/// Faults in scopes.
enum ScopeFault: Sendable {
    case none
    /// A read or a write ignores the scope of its options, and uses the one in which the store was opened.
    case readsOwn, writesOwn
    /// A read of several scopes uses only the first, or a read of one sees all.
    case readsFirst, readsAll
    /// An operation recorded in one scope is known in all.
    case sharesOperations
    /// Of rows with the same id in several scopes, those of the last scope come first.
    case turnsOrder
    /// A scope without a history is not among those of the store.
    case hidesEmpty
    /// Followers of every scope are told of every commit.
    case tellsAll
}

/// The state that all openings of one place share.
final class FaultyPlace: Sendable {
    struct Memory: Sendable {
        /// The unique keys that were freed, but are still held.
        var heldKeys: Set<[StoredValue]> = []
        /// The folded copies as first stored with their rows, by entity and attribute.
        var folded: [String: [StoredValue: StoredValue]] = [:]
        /// The rows that a running write has inserted so far.
        var uncommitted: [String: [[StoredValue]]] = [:]
        /// All rows as they were before the last write, by entity.
        var before: [String: [[StoredValue]]]?
        /// Figures that were asked for, by the selection.
        var figures: [String: [[StoredValue]]] = [:]
        var operations: Set<OperationID> = []
        var scopes: Set<StoreScope> = []
        var writes = 0
        var running = 0
    }

    private let memory = Mutex(Memory())

    /// Reads or changes the shared state.
    func remember<Result: Sendable>(_ body: (inout sending Memory) -> sending Result) -> Result {
        memory.withLock(body)
    }

    func hasSeen(_ operation: OperationID) -> Bool { remember { $0.operations.contains(operation) } }
}
