import Switchyard
import SwitchyardCore
import SwitchyardQuery
import TestBackends
import Testing

@Suite("A path over many references")
struct LongPathTests {
    enum Family: VersionedSchema {
        static let version = SchemaVersion(1)
        static let models: [any Model.Type] = [Person.self]

        @Model
        struct Person {
            let id: ID
            var number: Int
            var parent: Person.ID?
            @Relationship(deleteRule: .nullify, inverse: \Person.parent)
            var children: ToMany<Person>
        }
    }

    /// Twenty generations of one person each, numbered from 0, and two more children of number 5.
    private func fill(_ store: any Store) async throws {
        try await store.write { tx in
            var people: [Family.Person.ID] = []
            for number in 0..<20 {
                people.append(try tx.insert(Family.Person(number: number, parent: people.last)).id)
            }
            for number in 20..<22 { try tx.insert(Family.Person(number: number, parent: people[5])) }
        }
    }

    nonisolated static let answers: [(String, [Int64])] = [
        // Number 16 has no such ancestor.
        ("where number >= 16 and number < 20 sort \(parents(17)).number desc, number", [19, 18, 17, 16]),
        (
            "where number >= 16 and number < 20 sort \(parents(17)).number desc nulls first, number",
            [16, 19, 18, 17]
        ),
        ("where number >= 12 and number < 20 sort \(parents(5)).number desc limit 2", [19, 18]),
        (
            "where number >= 12 and number < 20 "
                + "sort count(\(parents(11)).children where \(parents(3)).number >= 0) desc, number",
            [16, 13, 14, 15, 17, 18, 19, 12]
        ),
    ]

    private static func parents(_ count: Int) -> String {
        Array(repeating: "parent", count: count).joined(separator: ".")
    }

    @Test("sorts rows alike on every backend", arguments: TestBackend.available)
    func order(backend: TestBackend) async throws {
        try await backend.withStore(try Schema(version: Family.version, models: Family.models)) { store in
            try await fill(store)
            for (text, expected) in Self.answers {
                let query = try StoredQuery(parsing: "Person \(text) show number", schema: store.schema)
                let answer = try await store.read { try $0.answer(query) }
                #expect(answer.rows == expected.map { [.value(.int($0))] }, "\(text)")
            }
        }
    }
}
