internal import Foundation
public import Observation
public import SwitchyardCore
internal import Synchronization

/// A device's store that is kept in step with a server, and read and written like any other.
///
/// Reads and writes go to the local store and never wait for a network. In the background, each local write is sent to the
/// server, which decides how it fits beside those of other devices, and what they wrote is applied here, whole transactions
/// at a time. What could not be sent is sent when the server can be reached again, also after a restart.
///
/// ```swift
/// let local = try await plugins.open(url: "sqlite:\(path)", migrating: DairyPlan.self)
/// let server = try StorePlace(url: "postgres://server/dairy", registry: plugins, migrating: DairyPlan.self)
/// let store = try await MirroredStore.open(local, mirroring: .direct(server), device: "Mia's phone")
/// ```
///
/// Other processes, such as a widget, open the local store alone; its history tells the mirror what they wrote.
public final class MirroredStore: Store, Observable {
    let local: any Store
    let remote: any MirrorRemote
    let session: MirrorSession
    private let board: StatusBoard
    private let signals: MirrorSignals
    private let work: Mutex<Task<Void, Never>?>

    private init(
        _ local: any Store, _ remote: any MirrorRemote, _ session: MirrorSession, _ board: StatusBoard
    ) {
        (self.local, self.remote, self.session, self.board) = (local, remote, session, board)
        let signals = MirrorSignals()
        self.signals = signals
        work = Mutex(Task { await signals.exchange(local, remote, session) })
    }

    deinit { work.withLock { $0?.cancel() } }

    /// Mirrors an open store from now on.
    ///
    /// The server is not waited for: that it cannot be reached is a matter of `status`. When a store is mirrored for the first
    /// time, the rows that it has are sent to the server, and those of the server come beside them. It keeps a history from then on.
    ///
    /// - Parameters:
    ///   - local: The device's store. It is closed with this one.
    ///   - server: The server.
    ///   - device: The device's name, as the histories and the log of conflicts show it.
    /// - Returns: The store, which exchanges in the background until it is closed.
    /// - Throws: `invalidArgument` if the store is a server of other devices; `notFound` if it has joined no household, and the
    ///   server is the one that it has joined; `readOnly` if it cannot be written; as a write.
    public static func open(
        _ local: any Store, mirroring server: MirrorServer, device: String? = nil
    ) async throws -> MirroredStore {
        let marker = try await local.marker()
        guard marker.mirror != .server else {
            throw StoreError(
                .invalidArgument,
                "The store is the server of other devices, so that it cannot be a mirror. Nothing was changed."
            )
        }
        if marker.history?.isKept != true { try await local.keepHistory() }
        let remote = try await server.remote(local)
        let board = StatusBoard()
        let session = MirrorSession(local, remote: remote, name: device) { board.status = $0 }
        var status = MirrorStatus()
        status.counts = try await local.read { try MirrorCounts($0) }
        board.status = status
        return MirroredStore(local, remote, session, board)
    }

    /// What the mirror is doing; changes of it can be observed.
    public var status: MirrorStatus { board.status }

    /// The status now, and whenever it has changed, until the store is closed.
    ///
    /// A slow consumer misses what was replaced meanwhile.
    public func statuses() -> AsyncStream<MirrorStatus> { board.stream() }

    /// Sends what was written here, and applies what was written elsewhere, until nothing is left to do.
    ///
    /// It is what a background task calls, and a view that is pulled down. A cancelled exchange leaves nothing half done.
    ///
    /// - Returns: The status when nothing was left to do.
    /// - Throws: What kept the server from being reached or from answering; `identityConflict` if it is not the server that
    ///   the store mirrors; `cancelled`. Nothing is lost then, and the exchange is tried again.
    @discardableResult
    public func exchange() async throws -> MirrorStatus {
        defer { signals.raise(.tick) }
        return try await session.exchange()
    }

    /// Says that there may be something new on the server, as a push message or a device nearby has told.
    public func noteNews() { signals.raise(.news) }

    /// The schema of the store.
    public var schema: Schema { local.schema }
    /// The backend and location of the local store.
    public var info: StoreInfo { local.info }
    /// The commits of the local store, also of what comes from the server.
    public var commits: CommitFeed { local.commits }

    /// Reads from one snapshot of the local store.
    ///
    /// - Throws: As `Store` says.
    public func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result { try await local.read(options, body) }

    /// Writes to the local store in one serializable transaction, which is sent to the server as a whole.
    ///
    /// - Throws: As `Store` says.
    public func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result { try await local.write(options, body) }

    /// Returns whether the write with an operation id was committed to the local store.
    ///
    /// - Throws: As `Store` says.
    public func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        try await local.wasCommitted(operation, in: scope)
    }

    /// Checks the local store for damage.
    ///
    /// - Throws: As `Store` says.
    public func check() async throws -> [String] { try await local.check() }

    /// Ends the exchange in the background, and closes the local store and the connection to the server.
    ///
    /// - Throws: As `Store` says.
    public func close() async throws {
        await end()
        try await local.close()
    }

    /// Ends the exchange in the background and the connection to the server; the local store stays open.
    package func end() async {
        let task = work.withLock { task in
            defer { task = nil }
            return task
        }
        task?.cancel()
        await task?.value
        board.end()
        await remote.close()
    }

    /// Ends the mirror: the store keeps its rows, and is a store like any other; nothing is exchanged any more.
    ///
    /// The server is not told; a member of a household leaves it by `leave(keepingRows:discardingUnsent:)`.
    ///
    /// - Parameter discardsUnsent: Whether writes that the server has not decided on, and those that it has rejected, are
    ///   forgotten. Their changes to the local rows stay.
    /// - Throws: `invalidArgument` if there are such writes, unless they are to be forgotten; as a write.
    public func stop(discardingUnsent discardsUnsent: Bool = false) async throws {
        try await local.endMirror(discardingUnsent: discardsUnsent)
        await end()
        // The exchange may have begun the mirror meanwhile, with nothing but the rows that the store keeps.
        try await local.endMirror(discardingUnsent: true)
    }
}
