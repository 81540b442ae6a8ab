package import Switchyard
internal import SwitchyardCore
internal import Synchronization

/// Runs one requirement's test on one backend: creates stores, and records what does not apply to the backend.
package final class Contract: Sendable {
    let requirement: Requirement
    package let harness: any ConformanceHarness
    /// What the test is waiting for.
    let waits = Waits()
    private let stores = Mutex<[WatchedStore]>([])
    private let signals = Mutex<[Signal]>([])
    private let reasons = Mutex<[String]>([])
    /// The last expectation that was met.
    let lastStep = Monitor<(subject: String, place: SourceLine)?>(nil)
    /// Whether a store was changed from outside.
    let isDamaged = Mutex(false)

    init(requirement: Requirement, harness: any ConformanceHarness) {
        self.requirement = requirement
        self.harness = harness
    }

    /// Why parts of the requirement do not apply to the backend; nil if all of them do.
    var reason: String? {
        let reasons = reasons.withLock { $0 }
        return reasons.isEmpty ? nil : reasons.joined(separator: " ")
    }

    /// Records why a part of the requirement does not apply to the backend.
    package func note(_ reason: String) {
        reasons.withLock { if !$0.contains(reason) { $0.append(reason) } }
    }

    /// Whether the backend has a capability that a part of the requirement needs; records the reason if not.
    package func has(_ capability: StoreCapability) -> Bool {
        guard let reason = harness.limitations[capability] else { return true }
        note(reason)
        return false
    }

    /// A new, empty store with the suite's models.
    ///
    /// The default timeout is long because a machine that runs all suites at once may delay a writer.
    package func makeStore(busyTimeout: Duration = .seconds(60)) async throws -> any Store {
        try await makeStore(try ContractSchema.schema, busyTimeout: busyTimeout)
    }

    /// A new, empty store with a schema.
    package func makeStore(_ schema: Schema, busyTimeout: Duration = .seconds(60)) async throws -> any Store {
        try await keeping("a new store") { try await harness.makeStore(schema, busyTimeout: busyTimeout) }
    }

    /// A new, empty store whose rows are divided into scopes, opened in one.
    package func makeStore(in scope: StoreScope) async throws -> any Store {
        let schema = try ContractSchema.schema
        return try await keeping("a new store with scopes") {
            try await harness.makeScopedStore(schema, busyTimeout: .seconds(60), scope: scope)
        }
    }

    /// A new, empty store whose connections can be cut, if the backend has connections.
    package func makeStoreToCut() async throws -> any Store {
        try await keeping("a new store") {
            try await harness.makeStoreToCut(try ContractSchema.schema, scope: nil)
        }
    }

    private func keeping(_ what: String, _ make: () async throws -> any Store) async throws -> any Store {
        let store = WatchedStore(try await waits.during(what, make), waits)
        stores.withLock { $0.append(store) }
        return store
    }

    /// Opens a store's place again.
    package func reopen(
        _ store: any Store, _ schema: Schema? = nil, _ options: OpenOptions = OpenOptions(),
        busyTimeout: Duration = .seconds(60)
    ) async throws -> any Store {
        let schema = try schema ?? ContractSchema.schema
        return WatchedStore(
            try await waits.during("a store that is opened again") {
                try await harness.reopen(
                    Self.base(of: store), schema: schema, options: options, busyTimeout: busyTimeout)
            }, waits)
    }

    /// The harness's own store inside one of the test's.
    package static func base(of store: any Store) -> any Store { (store as? WatchedStore)?.base ?? store }

    /// Disposes of a store before the test ends.
    package func dispose(_ store: any Store) async {
        stores.withLock { stores in stores.removeAll { $0 === store as? WatchedStore } }
        await waits.during("a store that is removed") { await harness.dispose(Self.base(of: store)) }
    }

    /// Disposes of all stores and their places.
    func disposeAll() async {
        for store in stores.withLock({ $0 }) { await dispose(store) }
    }

    /// Expects that the rows that the harness has put into another scope are unchanged, if there are any.
    ///
    /// If the test has damaged a store from outside, those rows may be damaged too.
    func requireRowsBeside() async throws {
        guard let harness = harness as? ScopedHarness, !isDamaged.withLock({ $0 }) else { return }
        for store in stores.withLock({ $0 }) {
            guard let found = try await harness.rowsBeside(store.base) else { continue }
            for entity in store.schema.entities {
                try expectRows(
                    found[entity.name] ?? [], SampleRows.of(entity), of: entity,
                    "\(entity.name) in another scope of the store")
            }
        }
    }

    /// An event that the test can wait for; `name` completes "the moment when".
    package func signal(_ name: String) -> Signal {
        let signal = Signal(name, waits)
        signals.withLock { $0.append(signal) }
        return signal
    }

    /// Waits for an event in the work of a task.
    ///
    /// - Throws: `ConformanceFailure` if the task ends without the event, saying how it ended.
    package func wait<Value>(for signal: Signal, in task: Task<Value, any Error>) async throws {
        let ending = Task {
            let outcome = await task.result
            signal.abandon()
            return outcome
        }
        if await signal.wait() { return }
        let found =
            switch await ending.value {
            case .success: "it returned before"
            case .failure(let error): "it threw \(ShownValue.text(error))"
            }
        throw fail("a transaction's work", expected: "a moment when \(signal.name)", found: found)
    }

    /// Releases all tasks that wait for an event; called at the end.
    func abandonSignals() {
        for signal in signals.withLock({ $0 }) { signal.abandon() }
    }
}
