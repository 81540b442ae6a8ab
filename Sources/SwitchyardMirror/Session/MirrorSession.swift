internal import Foundation
package import SwitchyardCore

/// Keeps one device's store in step with a server: it carries out the engine's effects.
package actor MirrorSession {
    private let store: any Store
    private let remote: StoreRemote
    private let server: UUID
    private let device: MirrorDevice
    private var engine = MirrorEngine()
    private var pages = StagedPages()
    private var isOpened = false
    private var lastError: (any Error)?
    private let clock = ContinuousClock()
    private let start = ContinuousClock().now
    /// One exchange at a time.
    private let turn = AsyncSemaphore(permits: 1)

    /// How many mutations one request holds.
    private static let mutationsPerRequest = 500

    private init(_ store: any Store, _ remote: StoreRemote, server: UUID, device: MirrorDevice) {
        self.store = store
        self.remote = remote
        self.server = server
        self.device = device
    }

    /// Mirrors a store from now on.
    ///
    /// The rows that the store has are sent to the server, and those of the server come beside them.
    ///
    /// - Parameters:
    ///   - store: The device's store. It keeps a history from now on.
    ///   - remote: The server.
    ///   - name: The device's name.
    /// - Returns: The session, which has not exchanged yet.
    /// - Throws: `invalidArgument` if the store is mirrored to another server, or is a server itself; as a write.
    package static func open(_ store: any Store, remote: StoreRemote, name: String?) async throws
        -> MirrorSession
    {
        let server = try await remote.id()
        let marker = try await store.marker()
        guard marker.mirror == nil || marker.mirror == .device(of: server) else {
            throw StoreError(
                .invalidArgument,
                "The store is a mirror of another server's. End that mirror first; nothing was changed.")
        }
        guard marker.storeID != server else {
            throw StoreError(.invalidArgument, "A store cannot be a mirror of itself; nothing was changed.")
        }
        if marker.mirror == nil {
            try await store.keepHistory()
            try await store.write { try LocalMirror($0, server: server).join() }
            try await store.setMirrorRole(.device(of: server))
        }
        return MirrorSession(
            store, remote, server: server, device: MirrorDevice(id: marker.storeID, name: name))
    }

    /// Sends what was written here, and applies what was written elsewhere, until nothing is left to do.
    ///
    /// - Throws: What kept the server from being reached; `corrupted` if its rows do not fit the store. Nothing is lost
    ///   then, and the next call goes on.
    package func exchange() async throws {
        try await turn.withPermit { try await exchangeAlone() }
    }

    private func exchangeAlone() async throws {
        lastError = nil
        var events: [MirrorEngine.Event] = []
        if isOpened, case .idle = engine.phase {
            events = [.reachable]
        } else {
            // The engine begins again after a failure, by what the store holds.
            engine = MirrorEngine()
            events = [.opened(cursor: try await cursor())]
            isOpened = true
        }
        while !events.isEmpty {
            try Task.checkCancellation()
            for effect in engine.handle(events.removeFirst(), now: now) {
                if let event = try await carryOut(effect) { events.append(event) }
            }
        }
        if let lastError { throw lastError }
        if case .blocked = engine.phase {
            throw StoreError(
                .corrupted,
                "Rows of the server do not fit beside each other in this store. Check both stores; nothing was changed."
            )
        }
    }

    /// Microseconds of a clock that never goes back.
    private var now: Int64 {
        let (seconds, attoseconds) = start.duration(to: clock.now).components
        return seconds * 1_000_000 + attoseconds / (1_000_000_000_000 as Int64)
    }

    private func cursor() async throws -> HistoryPosition? {
        let server = server
        return try await store.write { try LocalMirror($0, server: server).cursor() }
    }

    private func carryOut(_ effect: MirrorEngine.Effect) async throws -> MirrorEngine.Event? {
        let (server, pages) = (server, pages)
        switch effect {
        case .clearStage:
            self.pages = StagedPages()
            return nil
        case .prepare:
            return .prepared(
                try await store.write { tx in
                    let mirror = LocalMirror(tx, server: server)
                    try mirror.seal()
                    let mutations = try mirror.pending().filter { pages.verdicts[$0.id] == nil }
                    return MirrorEngine.Prepared(
                        mutations: Array(mutations.prefix(Self.mutationsPerRequest)),
                        trail: try mirror.trail(),
                        cursor: try mirror.cursor())
                })
        case .send(let request, let number):
            return await answer(to: number) { try await remote.exchange(request, device) }
        case .sendRows(let request, let number):
            return await answer(to: number) { try await remote.rows(request, device) }
        case .stage(let page):
            self.pages.add(page)
            return .staged
        case .stageRows(let page):
            self.pages.add(page)
            return .staged
        case .apply(let from, let upTo):
            let (result, cursor) = try await store.write { tx in
                let mirror = LocalMirror(tx, server: server, staged: pages)
                return (try mirror.apply(from: from, upTo: upTo), try mirror.cursor())
            }
            return .applied(result, cursor: cursor)
        case .offer(let common):
            let cursor = try await store.write { tx in
                let mirror = LocalMirror(tx, server: server)
                try mirror.offer(after: common, id: UUIDv7.next())
                return try mirror.cursor()
            }
            return .offered(cursor: cursor)
        // The caller exchanges again when it likes.
        case .wake: return nil
        }
    }

    private func answer(
        to number: Int, _ ask: () async throws -> ExchangeAnswer
    ) async -> MirrorEngine.Event {
        do {
            return .answer(try await ask(), to: number)
        } catch {
            lastError = error
            return .failed(number)
        }
    }
}

extension LocalMirror {
    /// Seals the rows that the store has had before it was mirrored, as one mutation that inserts them.
    fileprivate func join() throws {
        guard try !hasJoined() else { return }
        let keys = try keys()
        var changes: [MutationChange] = []
        for key in keys {
            if let row = try row(key) { changes.append(.insert(key, row)) }
            try setBase(key, nil)
        }
        let time = Int64(Date().timeIntervalSince1970 * 1_000_000)
        try seal(
            changes.isEmpty ? [] : [Mutation(id: UUIDv7.next(), time: time, cursor: 0, changes: changes)])
    }
}
