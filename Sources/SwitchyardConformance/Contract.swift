internal import Switchyard
internal import Synchronization

/// One row's test at work on one backend: makes stores, and says what was expected and what came.
final class Contract: Sendable {
    let row: ContractRow
    let harness: any ConformanceHarness
    private let stores = Mutex<[any Store]>([])

    init(row: ContractRow, harness: any ConformanceHarness) {
        self.row = row
        self.harness = harness
    }

    /// A new, empty store with the suite's models.
    func makeStore() async throws -> any Store { try await makeStore(try ContractSchema.schema) }

    /// A new, empty store with a schema.
    func makeStore(_ schema: Schema) async throws -> any Store {
        let store = try await harness.makeStore(schema)
        stores.withLock { $0.append(store) }
        return store
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
