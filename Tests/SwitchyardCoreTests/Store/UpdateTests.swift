import Foundation
import MemoryStore
import Switchyard
import SwitchyardCore
import Testing

@Suite("Updates of many rows")
struct UpdateTests {
    typealias Thing = House.Thing

    /// What an update is refused with, in a store of one thing.
    private func refusal(_ changes: [Change<Thing>]) async throws -> StoreError? {
        let store = MemoryStore(schema: try House.schema)
        try await store.write {
            try $0.insert(Thing(label: "a", note: String(repeating: "n", count: 1_500), small: 100))
        }
        do {
            try await store.write { try $0.update(Thing.all, set: changes) }
            return nil
        } catch let error as StoreError {
            return error
        }
    }

    @Test("an attribute can be set once only")
    func twice() async throws {
        let error = try await refusal([.set(\.label, to: "b"), .set(\.label, to: "c")])
        #expect(error?.code == .invalidArgument)
    }

    @Test("an attribute narrower than a calculation can be set to constants only")
    func narrow() async throws {
        let sum = try await refusal([.set(\.small, to: #Expression { $0.small + 100 })])
        #expect(sum?.code == .unsupported)
        #expect(sum?.attribute == "small")
        let operand = Operand.negated(.attribute("ratio"))
        #expect(try await refusal([.set(\.ratio, to: operand)])?.code == .unsupported)
        #expect(try await refusal([.set(\.small, to: 127), .set(\.ratio, to: 0.5)]) == nil)
        #expect(try await refusal([.set(\.first, to: #Expression { ($0.second ?? 1) + 1 })]) == nil)
    }

    @Test("a time that cannot be stored cannot be set")
    func times() async throws {
        let past = Date.distantPast
        #expect(try await refusal([.set(\.bought, to: past)])?.code == .valueNotRepresentable)
        let chosen = try await refusal([.set(\.bought, to: #Expression { $0.bought ?? past })])
        #expect(chosen?.code == .valueNotRepresentable)
    }

    @Test("a searchable attribute can be set to one that is not")
    func searchable() async throws {
        #expect(try await refusal([.set(\.note, to: #Expression { $0.label })]) == nil)
    }

    @Test("an update keeps index entries within their limit")
    func indexEntries() async throws {
        func label(_ count: Int) -> Change<Thing> { .set(\.label, to: String(repeating: "x", count: count)) }
        #expect(try await refusal([label(2_049)])?.code == .valueNotRepresentable)
        #expect(try await refusal([label(549)])?.code == .valueNotRepresentable)
        #expect(try await refusal([label(548)]) == nil)
        #expect(try await refusal([label(2_048), .set(\.note, to: nil)]) == nil)
        let copied = try await refusal([
            .set(\.label, to: Operand.coalesce(.attribute("note"), .value(.text(""))))
        ])
        #expect(copied?.code == .unsupported)
        #expect(copied?.attribute == "label")
    }

    @Test("untyped rows take JSON for JSON attributes only")
    func json() async throws {
        let store = MemoryStore(schema: try House.schema)
        let thing = try Thing.entity.get()
        @Sendable func row(tags: String) -> [StoredValue] {
            thing.attributes.map { attribute in
                switch attribute.name {
                case "id": .uuid(UUID())
                case "label": .text("a")
                case "small": .int(1)
                case "level": .text("low")
                case "tags": .json(tags)
                default: .null
                }
            }
        }
        let refused = await #expect(throws: StoreError.self) {
            try await store.write { try $0.insertRows(into: "Thing", [row(tags: "oops")]) }
        }
        #expect(refused?.code == .valueNotRepresentable)
        #expect(refused?.attribute == "tags")
        #expect(try await store.write { try $0.insertRows(into: "Thing", [row(tags: "[\"x\"]")]) } == 1)
        #expect(try await store.read { try $0.fetch(Thing.all).map(\.tags) } == [["x"]])
    }
}
