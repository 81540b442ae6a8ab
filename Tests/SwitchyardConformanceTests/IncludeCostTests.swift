import Switchyard
import SwitchyardConformanceKit
import SwitchyardCore
import TestBackends
import Testing

@Suite("The cost of related rows")
struct IncludeCostTests {
    @Test("a limit for each row is one statement that returns no more rows", arguments: TestBackend.available)
    func limits(_ backend: TestBackend) async throws {
        let schema = try Schema(version: ContractSchema.version, models: ContractSchema.models)
        try await backend.withStore(schema) { store in
            try await store.write { tx in
                for name in ["a", "b", "c"] {
                    let parent = try tx.insert(Parent(name: name))
                    try tx.insert(contentsOf: (0..<20).map { CascadeChild(parent: parent.id, size: $0) })
                }
            }
            let (rows, indexes) = try await store.read { tx in
                let plans = try tx.explain {
                    try $0.fetch(
                        Parent.all,
                        including: .all(\.cascading) { $0.sorted(by: \.size, .descending).limit(3) },
                        .count(\.cascading), .figure(\.cascading, .sum(\.size)))
                }
                return (plans.map(\.rows), plans[1].indexes)
            }
            #expect(rows == [3, 9, 3, 3])
            if backend == .sqlite { #expect(indexes == ["reference_CascadeChild_parent"]) }
        }
    }

    @Test("two relationships of many rows are no product", arguments: TestBackend.available)
    func product(_ backend: TestBackend) async throws {
        let schema = try Schema(version: ContractSchema.version, models: ContractSchema.models)
        try await backend.withStore(schema) { store in
            try await store.write { tx in
                for name in ["a", "b"] {
                    let parent = try tx.insert(Parent(name: name))
                    try tx.insert(contentsOf: (0..<30).map { _ in CascadeChild(parent: parent.id) })
                    try tx.insert(contentsOf: (0..<20).map { _ in NullifyChild(parent: parent.id) })
                }
            }
            let rows = try await store.read { tx in
                try tx.explain {
                    try $0.fetch(Parent.all, including: .all(\.cascading), .all(\.nullifying))
                }.map(\.rows)
            }
            #expect(rows == [2, 60, 40])
        }
    }
}
