package import Foundation
package import SwitchyardCore
internal import Synchronization

/// A server that a device reaches directly: a store, or one scope of it.
///
/// It needs a connection to the server's database, so it is for trusted machines and tests.
package final class StoreRemote: MirrorRemote {
    package let scope: StoreScope?
    private let functions: MergeFunctions
    /// The time in microseconds since 1970.
    private let now: @Sendable () -> Int64
    /// Opens the store; one that the device mirrors already is not made.
    private let open: @Sendable (_ isKnown: Bool) async throws -> any Store
    /// Whether the store was opened here, and so is closed here.
    private let closes: Bool
    private let plan: MigrationPlan?
    private let opened = Mutex<Opened?>(nil)
    private let opening = AsyncSemaphore(permits: 1)

    private struct Opened: Sendable {
        let store: any Store
        let versions: ServerVersions
    }

    /// Prepares to exchange with an open store, whose schema is the newest of a plan.
    package init(
        _ store: any Store, migratedBy plan: MigrationPlan? = nil, scope: StoreScope? = nil,
        functions: MergeFunctions = MergeFunctions(),
        now: @escaping @Sendable () -> Int64 = StoreRemote.systemTime
    ) {
        (self.scope, self.functions, self.now, closes) = (scope, functions, now, false)
        self.plan = plan
        open = { _ in store }
    }

    /// Prepares to exchange with the store of a place, which is opened when it is needed first.
    package init(_ place: StorePlace, scope: StoreScope?, functions: MergeFunctions = MergeFunctions()) {
        (self.scope, self.functions, now, closes) = (scope, functions, Self.systemTime, true)
        plan = place.plan
        open = { isKnown in
            try await place.open(
                OpenOptions(createsIfMissing: !isKnown, scope: scope, keepsHistory: !isKnown))
        }
    }

    package static let systemTime: @Sendable () -> Int64 = {
        Int64(Date().timeIntervalSince1970 * 1_000_000)
    }

    /// The open store.
    ///
    /// - Throws: As opening it.
    package func store() async throws -> any Store { try await server().store }

    private func server(isKnown: Bool = true) async throws -> Opened {
        try await opening.withPermit {
            if let known = opened.withLock({ $0 }) { return known }
            let store = try await open(isKnown)
            let new = Opened(store: store, versions: ServerVersions(store.schema, plan))
            opened.withLock { $0 = new }
            return new
        }
    }

    package func connect(expecting known: UUID?) async throws -> UUID {
        let store = try await server(isKnown: known != nil).store
        try functions.require(by: store.schema)
        let marker = try await store.marker()
        guard known == nil || marker.storeID == known else { throw StoreError.otherServer }
        guard marker.mirror?.isDevice != true else {
            throw StoreError(
                .invalidArgument,
                "The store at \(store.info.location) is a mirror itself. Name the server that it mirrors; nothing was changed."
            )
        }
        if marker.mirror == nil {
            try await store.keepHistory()
            try await store.setMirrorRole(.server)
        }
        return marker.storeID
    }

    /// The mutations and the page are one transaction, each mutation in a savepoint and a transaction of the history of its
    /// own.
    ///
    /// A request without mutations only reads.
    package func exchange(_ request: ExchangeRequest, _ device: MirrorDevice) async throws -> ExchangeAnswer {
        guard !request.mutations.isEmpty || !request.stored.isEmpty else {
            return try await read(device) { try $0.answer(request) }
        }
        let (opened, view) = try await view(of: device)
        return try await opened.store.write(WriteOptions(scope: scope)) { [functions, now] tx in
            let server = ServerMirror(
                tx, device: device, functions: functions, now: now(), versions: opened.versions, view: view)
            return try server.answer(request)
        }
    }

    package func rows(_ request: RowsRequest, _ device: MirrorDevice) async throws -> ExchangeAnswer {
        try await read(device) { try $0.page(request) }
    }

    private func read(
        _ device: MirrorDevice, _ body: @escaping @Sendable (ServerMirror) throws -> ExchangeAnswer
    ) async throws -> ExchangeAnswer {
        let (opened, view) = try await view(of: device)
        return try await opened.store.read(ReadOptions(scopes: scope.map { [$0] })) { [functions, now] tx in
            try body(
                ServerMirror(
                    tx, device: device, functions: functions, now: now(), versions: opened.versions,
                    view: view))
        }
    }

    /// The store, and what the device sees of it.
    private func view(of device: MirrorDevice) async throws -> (Opened, VersionProjection?) {
        let opened = try await server()
        return (opened, try opened.versions.view(of: device.schema))
    }

    package func follow(_ body: @Sendable () -> Void) async throws {
        var changes = try await store().changes().makeAsyncIterator()
        try await changes.begin()
        // What was committed before is told to nobody.
        body()
        while try await changes.next() != nil { body() }
    }

    package func close() async {
        guard closes, let store = opened.withLock({ $0?.store }) else { return }
        // Its connections end with the process at the latest, and nothing was left undone.
        _ = try? await store.close()
    }
}
