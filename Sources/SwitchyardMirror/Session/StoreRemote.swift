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
    private let opened = Mutex<MirrorHost?>(nil)
    private let opening = AsyncSemaphore(permits: 1)

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
    package func store() async throws -> any Store { try await host().store }

    private func host(isKnown: Bool = true) async throws -> MirrorHost {
        try await opening.withPermit {
            if let known = opened.withLock({ $0 }) { return known }
            let new = MirrorHost(try await open(isKnown), migratedBy: plan, functions: functions, now: now)
            opened.withLock { $0 = new }
            return new
        }
    }

    package func connect(expecting known: UUID?) async throws -> UUID {
        let host = try await host(isKnown: known != nil)
        if let known, try await host.store.marker().storeID != known { throw StoreError.otherServer }
        return try await host.begin()
    }

    package func exchange(_ request: ExchangeRequest, _ device: MirrorDevice) async throws -> ExchangeAnswer {
        try await host().exchange(request, from: device, in: scope)
    }

    package func rows(_ request: RowsRequest, _ device: MirrorDevice) async throws -> ExchangeAnswer {
        try await host().rows(request, from: device, in: scope)
    }

    package func part(_ request: PartRequest, _ device: MirrorDevice) async throws -> PartAnswer {
        try await host().part(request, from: device, in: scope)
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
