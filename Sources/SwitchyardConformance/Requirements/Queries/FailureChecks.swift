internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// What requirement Q6 says of a calculation that fails for some rows: which rows are tried does not depend on how a
/// backend finds them.
enum FailureChecks {
    static func verify(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        try await store.write { tx in
            try tx.insert(contentsOf: (0...3).map { Specimen(whole: $0, otherWhole: 3 - $0) })
        }
        try await terms(contract, store)
        try await limits(contract, store)
        try await related(contract, store)
        try await constants(contract, store)
    }

    /// 12 divided by `whole`, which fails for one row.
    private static let quotient = Operand.arithmetic(.value(.int(12)), .divide, .attribute("whole"))
    private static let isMore = Condition.compare(quotient, .greater, .value(.int(4)))
    private static let isZero = Condition.compare(.attribute("whole"), .equal, .value(.int(0)))

    private static func wholes(_ store: any Store, _ query: Query<Specimen>) async throws -> [Int] {
        try await store.read { try $0.fetch(query).map(\.whole) }
    }

    private static func terms(_ contract: Contract, _ store: any Store) async throws {
        let byWhole = Specimen.sorted(by: \.whole)
        try contract.expectEqual(
            try await wholes(store, byWhole.matching(.all([.not(isZero), isMore]))), [1, 2],
            "rows where a term before keeps the divisor from 0")
        try contract.expectEqual(
            try await wholes(store, byWhole.matching(.any([isZero, isMore]))), [0, 1, 2],
            "rows where a term before decides already")
        try await contract.expectError(.arithmetic, "a term that comes too late") {
            try await wholes(store, byWhole.matching(.all([isMore, .not(isZero)])))
        }
        let third = try await store.read { try $0.fetch(byWhole.matching(.all([]))).last?.id.uuid }
        try await contract.expectError(.arithmetic, "an id that comes too late") {
            try await wholes(
                store,
                Specimen.matching(
                    .all([
                        isMore, .compare(.attribute("id"), .equal, .value(third.map { .uuid($0) } ?? .null)),
                    ])))
        }
    }

    private static func limits(_ contract: Contract, _ store: any Store) async throws {
        let descending = Specimen.sorted(by: \.whole, .descending)
        for query in [descending, Specimen.sorted(by: \.whole), Specimen.all] {
            try await contract.expectError(.arithmetic, "a limit that leaves out the row that fails") {
                try await wholes(store, query.matching(isMore).limit(1))
            }
        }
        try contract.expectEqual(
            try await wholes(store, descending.matching(isMore).limit(0)), [], "limit 0")
        try contract.expectEqual(
            try await wholes(store, descending.matching(.all([.not(isZero), isMore])).offset(1).limit(1)),
            [1],
            "a limit and an offset where nothing fails")
    }

    private static func related(_ contract: Contract, _ store: any Store) async throws {
        try await store.write { tx in
            let mia = try tx.insert(Parent(name: "Mia"))
            let leo = try tx.insert(Parent(name: "Leo"))
            try tx.insert(contentsOf: [
                CascadeChild(parent: mia.id, size: 1), CascadeChild(parent: mia.id, size: 5),
                CascadeChild(parent: leo.id, size: 0), CascadeChild(parent: leo.id, size: 1),
                CascadeChild(size: 0),
            ])
        }
        func names(_ condition: Condition) async throws -> [String] {
            try await store.read { try $0.fetch(Parent.sorted(by: \.name).matching(condition)).map(\.name) }
        }
        let isSmall = Condition.exists(
            relationship: "cascading",
            .compare(
                .arithmetic(.value(.int(6)), .divide, .attribute("size")), .greater, .value(.int(2))))
        let isMia = Condition.compare(.attribute("name"), .equal, .value(.text("Mia")))
        try contract.expectEqual(
            try await names(.all([isMia, isSmall])), ["Mia"], "rows whose related rows do not fail")
        try contract.expectEqual(
            try await names(.all([isMia, .not(isSmall)])), [], "the opposite")
        try await contract.expectError(.arithmetic, "a related row that fails beside one that decides") {
            try await names(isSmall)
        }
    }

    /// Databases work out calculations with constants before they look at a row, and must not fail there.
    private static func constants(_ contract: Contract, _ store: any Store) async throws {
        let (zero, nothing, most, least) = (0, 0.0, Int.max, Int.min)
        func wholes(_ predicate: Predicate<Specimen>, in store: any Store) async throws -> [Int] {
            try await Self.wholes(store, Specimen.where(predicate).sorted(by: \.whole))
        }
        try contract.expectEqual(
            try await wholes(#Predicate { zero == 0 || $0.whole > 12 / zero }, in: store), [0, 1, 2, 3],
            "a calculation behind a constant that decides")
        try contract.expectEqual(
            try await wholes(#Predicate { $0.whole > (zero == 0 ? 1 : 12 / zero) }, in: store), [2, 3],
            "a calculation that a constant does not choose")
        try contract.expectEqual(
            try await wholes(#Predicate { $0.whole < 4 || $0.whole > 12 / zero }, in: store), [0, 1, 2, 3],
            "a division by zero that no row reaches")
        try contract.expectEqual(
            try await wholes(#Predicate { $0.whole < 4 || $0.real > 1.5 / nothing }, in: store),
            [0, 1, 2, 3],
            "a division of doubles by zero that no row reaches")
        try contract.expectEqual(
            try await wholes(#Predicate { $0.whole > 3 && most + 1 - 1 > $0.whole }, in: store), [],
            "an overflow that no row reaches")
        try contract.expectEqual(
            try await wholes(#Predicate { $0.whole < 4 || -least > $0.whole }, in: store), [0, 1, 2, 3],
            "an opposite out of range that no row reaches")
        try await contract.expectError(.arithmetic, "a division by zero that a row reaches") {
            try await wholes(#Predicate { $0.whole < 3 || $0.whole > 12 / zero }, in: store)
        }
        try contract.expectEqual(
            try await wholes(#Predicate { $0.whole > 12 / zero }, in: try await contract.makeStore()), [],
            "a division by zero where there are no rows")
        let names = try await store.read { tx in
            try tx.fetch(
                Parent.where(#Predicate { $0.cascading.contains { $0.size < 6 || $0.size > 12 / zero } })
                    .sorted(by: \.name), \.name)
        }
        try contract.expectEqual(names, ["Leo", "Mia"], "a division by zero that no related row reaches")
    }
}
