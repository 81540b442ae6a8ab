import Foundation
import Switchyard
import SwitchyardConformance
import TestBackends
import Testing

@Suite("The id of a write, used twice")
struct OperationTests {
    @Model
    struct Mark {
        let id: ID
        var number: Int = 0
    }

    @Test(
        "the second write with one operation id is refused by name, and not kept",
        arguments: TestBackend.available)
    func twice(backend: TestBackend) async throws {
        try await backend.withStore(of: Mark.self) { store in
            let operation = OperationID()
            try await store.write(WriteOptions(operation: operation)) { _ = try $0.insert(Mark(number: 1)) }
            let error = await #expect(throws: StoreError.self) {
                try await store.write(WriteOptions(operation: operation)) {
                    _ = try $0.insert(Mark(number: 2))
                }
            }
            #expect(error?.code == .duplicateOperation)
            #expect(error?.operation == operation)
            #expect(error?.entity == nil)
            #expect(error?.constraint == nil)
            #expect(
                error?.message
                    == "A write with this operation id was committed before, so this one was not. If it is the same "
                    + "write, there is nothing left to do; if it is another one, give it an id of its own.")
            #expect(try await store.wasCommitted(operation))
            #expect(try await store.read { try $0.fetch(Mark.all).map(\.number) } == [1])
        }
    }
}
