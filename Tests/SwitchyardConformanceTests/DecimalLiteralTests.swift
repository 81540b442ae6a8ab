import Foundation
import Switchyard
import SwitchyardCore
import TestBackends
import Testing

/// Foundation makes 4.990000000000001024 of the literal 4.99.
@Suite("Decimal literals")
struct DecimalLiteralTests {
    typealias Film = Cinema.Film

    @Test("a model's decimal default has the digits as written", arguments: TestBackend.available)
    func modelDefault(backend: TestBackend) async throws {
        #expect(
            try Film.entity.get().attribute("rate")?.defaultValue
                == .decimal(try #require(Decimal(string: "4.99"))))
        try await backend.withStore(try Cinema.schema) { store in
            try await store.write { try $0.insert(Film(title: "Egg Igby")) }
            let rate = try #require(Decimal(string: "4.99"))
            let found = try await store.read { tx in
                try tx.fetch(Film.where(#Predicate { $0.rate == rate }), \.rate)
            }
            #expect(found.map(\.description) == ["4.99"])
        }
    }

    @Test("a decimal literal that Swift misreads is refused in a predicate")
    func predicates() async throws {
        let queries: [Query<Film>] = [
            Film.where(#Predicate { $0.rate == 4.99 }),
            Film.where(#Predicate { $0.rate < -4.99 }),
            Film.where(#Predicate { 0.07 != $0.rate }), Film.where(#Predicate { $0.budget == 4.99 }),
            Film.where(#Predicate { [0.5, 4.99].contains($0.rate) }),
            Film.where(#Predicate { (0.5...4.99).contains($0.rate) }),
            Film.where(#Predicate { (4.99..<5.5).contains($0.rate) }),
        ]
        for query in queries {
            guard case .failure(let error) = query.condition else {
                Issue.record("not refused: \(query)")
                continue
            }
            #expect(error.code == .invalidArgument)
            #expect(error.message.contains("Decimal(string: \"4.99\")!"))
        }
        let range: ClosedRange<Decimal> = 1...19.99
        let list: Set<Decimal> = [1, 19.99]
        for query in [
            Film.where(#Predicate { range.contains($0.rate) }),
            Film.where(#Predicate { list.contains($0.rate) }),
        ] {
            guard case .failure(let error) = query.condition else {
                Issue.record("not refused: \(query)")
                continue
            }
            #expect(error.detail == "19.98999999999999488 of 19.99")
        }
    }

    @Test("a decimal literal that Swift reads exactly can be compared with")
    func exact() throws {
        struct Price: Codable { let rate: Decimal }
        let price = Price(rate: 4.99)
        let long = try #require(Decimal(string: "3.14159265358979323846264338327950288"))
        let near = try #require(Decimal(string: "4.990000000000001025"))
        let rates = ["0.1", "4.99", "19.99", "1234567.89", "0.07"].compactMap { Decimal(string: $0) }
        let queries: [Query<Film>] = [
            Film.where(#Predicate { $0.rate == 5 }), Film.where(#Predicate { $0.rate == 0.1 }),
            Film.where(#Predicate { $0.rate == 2.675 }), Film.where(#Predicate { $0.rate == long }),
            Film.where(#Predicate { $0.rate == near }), Film.where(#Predicate { $0.rate < -0.5 }),
            Film.where(#Predicate { rates.contains($0.rate) }),
            Film.where(#Predicate { $0.rate == price.rate }),
        ]
        for query in queries {
            #expect(throws: Never.self) { try query.condition.get() }
        }
    }

    @Test("a decimal default whose type has another name is refused with what to write")
    func alias() throws {
        var declaration = EntityDeclaration<Film>()
        declaration.add(declaration.attribute("rate", Decimal.self, default: 4.99))
        let error = #expect(throws: StoreError.self) { try declaration.entity.get() }
        #expect(
            error?.description
                == "schemaInvalid: The default of `rate` is 4.990000000000001024, which Swift reads from the "
                + "literal 4.99. Declare the property with the type Decimal, or write 'Decimal(string: "
                + "\"4.99\")!'. [Film.rate]"
        )
    }
}
