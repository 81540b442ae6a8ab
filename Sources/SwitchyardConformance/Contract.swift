internal import Switchyard
internal import Synchronization

/// One row's test at work on one backend: makes stores, and says what was expected and what came.
final class Contract: Sendable {
    let row: ContractRow
    let harness: any ConformanceHarness
    private let stores = Mutex<[any Store]>([])
    private let reasons = Mutex<[String]>([])

    init(row: ContractRow, harness: any ConformanceHarness) {
        self.row = row
        self.harness = harness
    }

    /// Why parts of the row have no meaning for the backend; nil if there is none.
    var reason: String? {
        let reasons = reasons.withLock { $0 }
        return reasons.isEmpty ? nil : reasons.joined(separator: " ")
    }

    /// Notes why a part of the row has no meaning for the backend.
    func note(_ reason: String) {
        reasons.withLock { if !$0.contains(reason) { $0.append(reason) } }
    }

    /// Whether the backend has a capability that a part of the row needs; the reason is noted if not.
    func has(_ capability: StoreCapability) -> Bool {
        guard let reason = harness.limitations[capability] else { return true }
        note(reason)
        return false
    }

    /// Plants a fault behind the store's back; false, and the reason noted, if the backend allows none.
    func plant(_ fault: PlantedFault, in store: any Store) async throws -> Bool {
        switch try await harness.plant(fault, in: store) {
        case .planted: return true
        case .refusedByBackend(let reason):
            note(reason)
            return false
        }
    }

    /// A new, empty store with the suite's models.
    ///
    /// A machine that is busy with all suites at once may let a writer wait for long.
    func makeStore(busyTimeout: Duration = .seconds(60)) async throws -> any Store {
        try await makeStore(try ContractSchema.schema, busyTimeout: busyTimeout)
    }

    /// A new, empty store with a schema.
    func makeStore(_ schema: Schema, busyTimeout: Duration = .seconds(60)) async throws -> any Store {
        let store = try await harness.makeStore(schema, busyTimeout: busyTimeout)
        stores.withLock { $0.append(store) }
        return store
    }

    /// Opens the place of a store once more.
    func reopen(
        _ store: any Store, _ schema: Schema? = nil, _ options: OpenOptions = OpenOptions()
    ) async throws -> any Store {
        try await harness.reopen(store, schema: schema ?? ContractSchema.schema, options: options)
    }

    func disposeAll() async {
        for store in stores.withLock({ $0 }) { await harness.dispose(store) }
    }

    func fail(_ message: String) -> ConformanceFailure {
        ConformanceFailure(row: row.description, backend: harness.name, message: message)
    }

    func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        guard condition else { throw fail(message()) }
    }

    func expectEqual<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws {
        guard found == expected else {
            throw fail("\(what): expected \(expected), found \(found)")
        }
    }

    /// Expects an error with a code, and gives it for a closer look.
    @discardableResult
    func expectError<Result>(
        _ code: StoreError.Code, _ what: String, _ body: () async throws -> Result
    ) async throws -> StoreError {
        do {
            _ = try await body()
        } catch let error as StoreError {
            guard error.code == code else {
                throw fail("\(what): expected the error \(code), found \(error.debugDescription)")
            }
            return error
        }
        throw fail("\(what): expected the error \(code), found none")
    }
}
