public import Logging
public import SwitchyardCore
internal import Synchronization

/// A store that repeats some reads on another one while a switch to it is rehearsed.
///
/// The app gets the answers of its own store without waiting. The answers of the other store are compared
/// afterwards, one read at a time, and findings are recorded in the new store, where `StoreSwitch.status()`
/// reads them. Two answers are only compared if they come from the same moment, which the history tells.
/// Without a rehearsal, one read of many checks whether one has begun.
///
/// ```swift
/// let store = RehearsedStore(try await SwitchableStore.open(file, registry: places, place: place), place: place)
/// ```
///
/// Reads of the history, through the view of another schema, or of several scopes at once are not compared.
public final class RehearsedStore: Store {
    /// The default share of reads that are compared.
    public static let defaultSampleRate = 0.01
    /// How long closing waits for a comparison: as long as two stores need that answer.
    private static let patience = Duration.seconds(2)

    private let base: any Store
    private let sampleRate: Double
    private let logger: Logger?
    private let copy: RehearsalCopy
    private let state = Mutex(State())

    private struct State {
        var comparison: Task<Void, Never>?
        var isClosed = false
    }

    /// Wraps a store.
    ///
    /// - Parameters:
    ///   - base: The store.
    ///   - sampleRate: The share of its reads that are compared, from 0 to 1.
    ///   - logger: Receives a record if the new store cannot be queried.
    ///   - place: Makes a place of the location of the new store, which has no password.
    public init(
        _ base: any Store, sampleRate: Double = defaultSampleRate, logger: Logger? = nil,
        place: @escaping @Sendable (String) async throws -> StorePlace
    ) {
        self.base = base
        self.sampleRate = sampleRate
        self.logger = logger
        copy = RehearsalCopy(place)
    }

    /// The schema of the store.
    public var schema: Schema { base.schema }
    /// The store's backend and location.
    public var info: StoreInfo { base.info }
    /// The store's commits.
    public var commits: CommitFeed { base.commits }

    /// Reads from one snapshot.
    ///
    /// - Throws: As `Store` says.
    public func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        guard isDrawn else { return try await base.read(options, body) }
        let (result, read) = try await base.read(options) { tx -> (Result, RehearsedRead?) in
            let record = tx.scopes.count < 2 ? try tx.driver.maintenance.marker().switching : nil
            guard let record, record.state == .rehearsing else { return (try body(tx), nil) }
            let token = try tx.historyToken()
            let recorder = AnswerRecorder(tx)
            let result = try body(tx.read(through: recorder))
            return (
                result,
                RehearsedRead(
                    switching: record.id, peer: record.peer, token: token, answers: recorder.answers)
            )
        }
        if let read, !read.answers.isEmpty { compare(read, options) }
        return result
    }

    /// Writes in one serializable transaction.
    ///
    /// - Throws: As `Store` says.
    public func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result { try await base.write(options, body) }

    /// Returns whether the write with an operation id was committed.
    ///
    /// - Throws: As `Store` says.
    public func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        try await base.wasCommitted(operation, in: scope)
    }

    /// Checks the store for damage.
    ///
    /// - Throws: As `Store` says.
    public func check() async throws -> [String] { try await base.check() }

    /// Closes the store, after a comparison in progress, unless that takes longer than two seconds.
    ///
    /// - Throws: As `Store` says.
    public func close() async throws {
        let comparison = state.withLock { state in
            state.isClosed = true
            return state.comparison
        }
        // Not awaited directly: a connection attempt cannot be cancelled.
        let (isOver, over) = AsyncStream.makeStream(of: Void.self)
        Task {
            await comparison?.value
            // The rest of it belongs to its own store.
            try? await copy.close()
            over.finish()
        }
        let alarm = Task {
            try await Task.sleep(for: Self.patience)
            over.finish()
        }
        for await _ in isOver {}
        alarm.cancel()
        comparison?.cancel()
        try await base.close()
    }

    /// Whether a read is chosen for comparison.
    private var isDrawn: Bool {
        Double.random(in: 0..<1) < sampleRate && state.withLock { !$0.isClosed && $0.comparison == nil }
    }

    private func compare(_ read: RehearsedRead, _ options: ReadOptions) {
        state.withLock { state in
            guard !state.isClosed, state.comparison == nil else { return }
            state.comparison = Task {
                do { try await copy.compare(read, of: base, options) } catch {
                    logger?.warning(
                        "The new store of a rehearsal cannot be asked.", metadata: ["error": "\(error)"])
                }
                self.state.withLock { $0.comparison = nil }
            }
        }
    }
}

extension SettingKey {
    /// The key `rehearsal.percent`: the share of the reads that a `RehearsedStore` compares, in percent.
    public static let rehearsalPercent = SettingKey(
        "rehearsal.percent", .integer(0...100), default: "1",
        summary: "How many of a hundred reads are asked of both stores while a switch is rehearsed.")
}
