internal import Foundation
package import SwitchyardCore

/// Keeps one device's store in step with a server: it carries out the engine's effects.
package actor MirrorSession {
    let store: any Store
    let remote: any MirrorRemote
    private let name: String?
    private let observe: @Sendable (MirrorStatus) -> Void
    private(set) var engine: MirrorEngine
    /// Tells its stage from those of other processes.
    private let process = UUIDv7.next()
    private var status = MirrorStatus()
    /// Whether the engine knows what the store holds.
    private var isOpened = false
    private var connection: Connection?
    /// The store's part in a mirror, as it was when the session first looked; a session ends with it.
    private var role: MirrorRole?
    private var failure: StoreError?
    /// When the engine wants to be told of the time (`tick`); nil for never.
    package private(set) var alarm: ContinuousClock.Instant?
    private let start = ContinuousClock.now
    /// The time between two comparisons of a part of the rows; nil for never.
    let interval: Duration?
    /// When a part of the rows was compared last, or the session began.
    var lastComparison = ContinuousClock.now
    /// When the server has told the household last.
    var lastGreeting = ContinuousClock.now
    /// One exchange at a time.
    let turn = AsyncSemaphore(permits: 1)

    struct Connection: Sendable {
        /// The identity of the server's store.
        let server: UUID
        let device: MirrorDevice
    }

    /// Prepares to exchange; nothing is read or changed yet.
    ///
    /// - Parameters:
    ///   - store: The device's store.
    ///   - remote: The server.
    ///   - name: The device's name.
    ///   - patience: How long to wait for things.
    ///   - observe: Is told whenever the status has changed.
    package init(
        _ store: any Store, remote: any MirrorRemote, name: String?,
        patience: MirrorEngine.Patience = MirrorEngine.Patience(),
        observe: @escaping @Sendable (MirrorStatus) -> Void = { _ in }
    ) {
        (self.store, self.remote, self.name) = (store, remote, name)
        self.observe = observe
        engine = MirrorEngine(patience: patience)
        interval = patience.poll.map { .microseconds($0) }
    }

    /// Mirrors a store from now on.
    ///
    /// The rows that the store has are sent to the server, and those of the server come beside them.
    ///
    /// - Returns: The session, which has not exchanged yet.
    /// - Throws: `invalidArgument` if the store is mirrored to another server, or is a server itself; as a write.
    package static func open(_ store: any Store, remote: any MirrorRemote, name: String?) async throws
        -> MirrorSession
    {
        let session = MirrorSession(store, remote: remote, name: name)
        _ = try await session.connect()
        return session
    }

    /// Sends what was written here, and applies what was written elsewhere, until nothing is left to do.
    ///
    /// - Returns: The status then.
    /// - Throws: What kept the server from being reached; `corrupted` if its rows do not fit the store. Nothing is lost
    ///   then, and the next call goes on.
    @discardableResult
    package func exchange() async throws -> MirrorStatus {
        let status = try await turn.withPermit {
            if engine.phase == .ended { throw failure ?? StoreError.revoked }
            if isOpened, case .idle = engine.phase {
                await run(.reachable)
            } else {
                // The engine begins again after a failure, by what the store holds and at once.
                await open()
            }
            if let failure { throw failure }
            return self.status
        }
        await refreshHousehold(after: .seconds(60))
        return status
    }

    /// Tells the engine of an event, and carries out what it wants done.
    package func handle(_ event: MirrorEngine.Event) async {
        // Only a cancelled task gets no turn.
        try? await turn.withPermit {
            // The engine asks for another one, if it wants to be woken again.
            if case .tick = event, let alarm, alarm <= .now { self.alarm = nil }
            if isOpened { await run(event) } else { await open() }
        }
    }

    /// Whether the server was reached, the last time it was tried.
    package var isConnected: Bool { connection != nil && failure == nil }

    // MARK: The engine

    private func open() async {
        isOpened = true
        do {
            role = if let role { role } else { try await store.marker().mirror }
            let (cursor, isStaged) = try await store.read { tx in
                (try MirrorRecords(tx).cursor(), try MirrorRecords(tx).count(.stage) > 0)
            }
            var stage: Stage?
            if isStaged, let server = role?.server {
                stage = try await store.write { [process] tx in
                    try LocalMirror(tx, server: server, process: process).takeOverStage()
                }
                status.received = stage?.rows ?? 0
            }
            await run(.opened(cursor: cursor, stage))
        } catch {
            // The engine's timer is a reason to try again.
            await run(.effectFailed)
            isOpened = false
            fail(error)
            await report()
        }
    }

    private func run(_ event: MirrorEngine.Event) async {
        var events = [event]
        while !events.isEmpty {
            // What a cancelled task leaves undone is begun again by what the store holds then.
            let isCancelled = Task.isCancelled && engine.phase != .ended
            let event = isCancelled ? .interrupted : events.removeFirst()
            for effect in engine.handle(event, now: now) {
                do {
                    if let event = try await carryOut(effect) { events.append(event) }
                } catch {
                    events.append(failed(error) ?? .effectFailed)
                }
            }
            if isCancelled {
                isOpened = false
                fail(StoreError.taskCancelled)
                break
            }
        }
        if case .blocked = engine.phase {
            fail(
                StoreError(
                    .corrupted,
                    "Rows of the server do not fit beside each other in this store. Check both stores; nothing was changed."
                ))
        }
        await report()
    }

    private func fail(_ error: any Error) {
        failure =
            error as? StoreError
            ?? (error is CancellationError
                ? .taskCancelled
                : StoreError(.backend, "The exchange with the server failed.", underlying: error))
    }

    /// Microseconds of a clock that never goes back.
    private var now: Int64 {
        let (seconds, attoseconds) = start.duration(to: .now).components
        return seconds * 1_000_000 + attoseconds / (1_000_000_000_000 as Int64)
    }

    private func carryOut(_ effect: MirrorEngine.Effect) async throws -> MirrorEngine.Event? {
        switch effect {
        case .clearStage:
            // One that stays is taken over by another process, or replaced by the next stage of this one.
            if status.received > 0 { try? await onStore { try $0.clearStage() } }
            status.received = 0
            return nil
        case .prepare(let settled):
            // A new attempt begins.
            failure = nil
            await report()
            do { _ = try await connect() } catch { return failed(error) ?? .interrupted }
            return .prepared(try await prepare(settled))
        case .send(let request, let number):
            let device = try await connect().device
            return await answer(to: number) { try await remote.exchange(request, device) }
        case .sendRows(let request, let number):
            let device = try await connect().device
            return await answer(to: number) { try await remote.rows(request, device) }
        case .stage(let page, let stage):
            guard try await onStore({ try $0.keep(page, stage) }) else { return .stageLost }
            status.received = stage.rows
            await report()
            return .staged
        case .apply(let stage, let page, let from):
            let (time, schema) = (Date(), try await connect().device.schema)
            let (result, cursor) = try await onStore { mirror in
                let result = try mirror.apply(stage, page, from: from)
                if result == .applied { try mirror.noteExchange(at: time, by: schema) }
                return (result, try mirror.cursor())
            }
            if result == .applied { status.received = 0 }
            return .applied(result, cursor: cursor)
        case .offer(let common):
            let cursor = try await onStore { mirror in
                try mirror.offer(after: common, id: UUIDv7.next())
                return try mirror.cursor()
            }
            return .offered(cursor: cursor)
        case .endMembership:
            do {
                try await store.endMembership(of: remote.token, in: role)
                return nil
            } catch {
                fail(error)
                return .membershipLeft
            }
        case .wake(let time):
            alarm = start.advanced(by: .microseconds(time))
            return nil
        }
    }

    private func prepare(_ settled: [UUID]) async throws -> MirrorEngine.Prepared {
        let (settled, schema) = (Set(settled), try await connect().device.schema)
        return try await onStore { mirror in
            try mirror.seal()
            return MirrorEngine.Prepared(
                mutations: try mirror.firstPending(except: settled),
                trail: try mirror.trail(),
                cursor: try mirror.cursor(), earlier: try mirror.earlierSchema(than: schema))
        }
    }

    /// Runs the body in a write of the device's store.
    ///
    /// - Throws: `revoked` if another process has ended the mirror; `identityConflict` if it has begun another one since; as a
    ///   write.
    func onStore<Result: Sendable>(
        _ body: @escaping @Sendable (LocalMirror) throws -> Result
    ) async throws -> Result {
        let (server, role, process) = (try await connect().server, role, process)
        return try await store.write { tx in
            let found = try tx.driver.maintenance.marker().mirror
            guard found == nil || found == role else { throw StoreError.otherServer }
            let mirror = LocalMirror(tx, server: server, process: process)
            guard found != nil else { throw StoreError.revoked }
            guard try mirror.hasJoined() else { throw StoreError.unrecordedMirror }
            return try body(mirror)
        }
    }

    private func answer(
        to number: Int, _ ask: () async throws -> ExchangeAnswer
    ) async -> MirrorEngine.Event {
        do {
            let answer = try await ask()
            try answer.requireFit(store.schema)
            return .answer(answer, to: number)
        } catch {
            return failed(error) ?? .failed(number)
        }
    }

    /// Notes an error.
    ///
    /// - Returns: The event that it is for any request; nil for an error like any other.
    private func failed(_ error: any Error) -> MirrorEngine.Event? {
        fail(error)
        return failure?.code == .revoked ? .revoked : nil
    }

    // MARK: The store and the server

    /// Reaches the server, and makes the store its mirror if it is none yet.
    func connect() async throws -> Connection {
        if let connection { return connection }
        let server = try await remote.connect(expecting: try await store.marker().mirror?.server)
        let role = MirrorRole.device(of: server, in: remote.scope)
        let marker = try await store.marker()
        guard marker.mirror == nil || marker.mirror == role else { throw StoreError.otherServer }
        // Another process has ended the mirror, which is no reason to begin it again.
        guard marker.mirror != nil || self.role == nil else { throw StoreError.revoked }
        guard marker.storeID != server else {
            throw StoreError(.invalidArgument, "A store cannot mirror itself; nothing was changed.")
        }
        if marker.mirror == nil {
            try await store.keepHistory()
            try await store.write(.ofMarker) { try $0.beginMirror(role, of: server) }
        }
        let device = MirrorDevice(id: marker.storeID, name: name, schema: SchemaIdentity(store.schema))
        if let household = remote.knownHousehold { try await store.note(household, at: Date()) }
        lastGreeting = .now
        let connection = Connection(server: server, device: device)
        (self.connection, self.role) = (connection, role)
        return connection
    }

    // MARK: Status

    private func report() async {
        status.problem = failure
        status.phase =
            switch engine.phase {
            case .idle: failure == nil && isOpened ? .upToDate : .waiting
            case .waiting, .blocked: .waiting
            case .ended: .ended
            case .preparing, .exchanging, .staging, .beginningAgain, .applying, .offering:
                .exchanging
            }
        if let counts = try? await store.read({ try MirrorCounts($0) }) { status.counts = counts }
        observe(status)
    }
}

extension StoreError {
    /// The error of a server, or a household on it, that is not the one that the store mirrors.
    static var otherServer: StoreError {
        StoreError(
            .identityConflict,
            "The store mirrors another server, or another household on this one. End that mirror first; nothing "
                + "was changed.")
    }

    /// The error of a store that has a part in a mirror and does not know what it has sent.
    fileprivate static var unrecordedMirror: StoreError {
        StoreError(
            .corrupted,
            "The store has a part in a mirror, but no record of what it has sent. End the mirror and begin it again, which sends "
                + "all rows; nothing was changed.")
    }
}

extension WriteTransaction {
    /// Begins the store's part in a mirror: with its rows to be sent, or not at all.
    fileprivate func beginMirror(_ role: MirrorRole, of server: UUID) throws {
        // Another process may have begun it meanwhile, or another one.
        if let found = try driver.maintenance.marker().mirror {
            guard found == role else { throw StoreError.otherServer }
            return
        }
        try LocalMirror(self, server: server).join()
        try setMirrorRole(role)
    }
}
