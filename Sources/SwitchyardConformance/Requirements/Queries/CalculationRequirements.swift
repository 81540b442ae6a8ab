internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Calculations without a result: nil in a condition, and an error in an update.
///
/// A condition is thus a function of the row, so that the result does not depend on which rows and terms a backend
/// evaluates, nor on their order.
enum CalculationRequirements {
    static let all: [Requirement] = [
        Requirement(
            "Q6", "a calculation divides as in Swift, and is nil in a condition where it has no result"
        ) {
            contract in
            try await division(contract)
            let store = try await contract.makeStore()
            try await store.write { tx in
                try tx.insert(
                    contentsOf: (0...3).map {
                        Specimen(id: Specimen.ID(BatchSpecimen.id($0)), whole: $0, otherWhole: 3 - $0)
                    })
            }
            try await nothing(contract, store)
            try await terms(contract, store)
            try await limits(contract, store)
            try await constants(contract, store)
            try await related(contract, store)
        },
        Requirement("Q6+range", "integers have results up to the ends of 64 bits, and none beyond") {
            contract in
            try await range(contract)
        },
        Requirement("Q6+double", "doubles have no result where they are no number or divided by 0") {
            contract in
            try await doubles(contract)
        },
        Requirement(
            "Q6+figures", "a figure, an update and a delete are of the rows that fulfil the condition"
        ) {
            contract in
            try await figures(contract)
        },
        Requirement("Q6+filter", "a row without a result is outside the filter of a unique constraint") {
            contract in
            try await filter(contract)
        },
        Requirement("Q6+update", "an update whose value has no result for one of its rows is an error") {
            contract in
            try await update(contract)
        },
    ]

    static let whole = Operand.attribute("whole")
    /// 12 divided by `whole`, which has no result if that is 0.
    static let quotient = Operand.arithmetic(.value(.int(12)), .divide, whole)
    static let isMore = Condition.compare(quotient, .greater, .value(.int(4)))
    static let isZero = Condition.compare(whole, .equal, .value(.int(0)))

    static func isNil(_ operand: Operand) -> Condition { .compare(operand, .equal, .value(.null)) }

    private static func wholes(_ store: any Store, _ query: Query<Specimen>) async throws -> [Int] {
        try await store.read { try $0.fetch(query).map(\.whole) }
    }

    static func wholes(_ store: any Store, _ condition: Condition) async throws -> [Int] {
        try await wholes(store, Specimen.matching(condition).sorted(by: \.whole))
    }

    private static func division(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        try await store.write { tx in
            try tx.insert(contentsOf: [Specimen(whole: -7), Specimen(whole: 7)])
        }
        func found(_ predicate: Predicate<Specimen>) async throws -> [Int] {
            try await wholes(store, Specimen.where(predicate).sorted(by: \.whole))
        }
        try contract.expectEqual(
            try await found(#Predicate { $0.whole / 2 == -3 }), [-7], "division towards 0")
        try contract.expectEqual(
            try await found(#Predicate { $0.whole % 4 == -3 }), [-7], "the remainder's sign")
        try contract.expectEqual(
            try await found(#Predicate { $0.whole * 2 + 1 == 15 }), [7], "a calculation")
    }

    // The store holds 0 to 3, so that 12 divided by them is nil, 12, 6 and 4.
    private static func nothing(_ contract: Contract, _ store: any Store) async throws {
        let (six, four) = (Operand.value(.int(6)), Operand.value(.int(4)))
        let remainder = Operand.arithmetic(.value(.int(7)), .remainder, whole)
        let expected: [(String, Condition, [Int])] = [
            ("greater", isMore, [1, 2]),
            ("not greater", .not(isMore), [0, 3]),
            ("less or equal", .compare(quotient, .lessOrEqual, four), [3]),
            ("not less or equal", .not(.compare(quotient, .lessOrEqual, four)), [0, 1, 2]),
            ("equal", .compare(quotient, .equal, six), [2]),
            ("not equal", .compare(quotient, .notEqual, six), [0, 1, 3]),
            ("the opposite of equal", .not(.compare(quotient, .equal, six)), [0, 1, 3]),
            ("nil", isNil(quotient), [0]),
            ("not nil", .not(isNil(quotient)), [1, 2, 3]),
            ("in a list", .isIn(quotient, [.int(6), .int(4)]), [2, 3]),
            ("outside a list", .not(.isIn(quotient, [.int(6), .int(4)])), [0, 1]),
            ("in a list with nil", .isIn(quotient, [.int(6), .null, .int(4)]), [0, 2, 3]),
            ("outside a list with nil", .not(.isIn(quotient, [.int(6), .null, .int(4)])), [1]),
            ("equal to another one without a result", .compare(quotient, .equal, remainder), [0]),
            ("not equal to another", .compare(quotient, .notEqual, remainder), [1, 2, 3]),
            ("replaced by a value", .compare(.coalesce(quotient, six), .equal, six), [0, 2]),
            ("calculated with again", isNil(.arithmetic(quotient, .multiply, .value(.int(0)))), [0]),
            ("negated", .compare(.negated(quotient), .less, .value(.int(-4))), [1, 2]),
            (
                "chosen by a comparison without a result",
                .compare(.conditional(isMore, whole, .value(.int(9))), .equal, .value(.int(9))), [0, 3]
            ),
        ]
        for (what, condition, wholes) in expected {
            try contract.expectEqual(try await Self.wholes(store, condition), wholes, "12 divided, \(what)")
        }
    }

    private static func terms(_ contract: Contract, _ store: any Store) async throws {
        let second = try await store.read {
            try $0.fetch(Specimen.matching(.compare(whole, .equal, .value(.int(2)))))
        }
        let isSecond = Condition.compare(
            .attribute("id"), .equal, .value(second.first.map { .uuid($0.id.uuid) } ?? .null))
        for (terms, all, any) in [
            ([.not(isZero), isMore], [1, 2], [1, 2, 3]),
            ([isZero, isMore], [], [0, 1, 2]),
            ([isZero, .not(isMore)], [0], [0, 3]),
            ([isSecond, isMore], [2], [1, 2]),
        ] as [([Condition], [Int], [Int])] {
            for terms in [terms, terms.reversed()] {
                try contract.expectEqual(
                    try await wholes(store, .all(terms)), all, "rows with all of \(terms)")
                try contract.expectEqual(
                    try await wholes(store, .any(terms)), any, "rows with any of \(terms)")
                try contract.expectEqual(
                    try await wholes(store, .not(.all(terms))), (0...3).filter { !all.contains($0) },
                    "rows without all of \(terms)")
            }
        }
    }

    private static func limits(_ contract: Contract, _ store: any Store) async throws {
        let (ascending, descending) = (
            Specimen.sorted(by: \.whole), Specimen.sorted(by: \.whole, .descending)
        )
        let expected: [(String, Query<Specimen>, [Int])] = [
            ("before a row without a result", descending.matching(isMore).limit(1), [2]),
            ("behind one", ascending.matching(isMore).limit(1), [1]),
            ("behind one in the order of ids", Specimen.matching(isMore).limit(1), [1]),
            ("at one", ascending.matching(.not(isMore)).limit(1), [0]),
            ("0", descending.matching(isMore).limit(0), []),
            ("behind an offset", descending.matching(.not(isMore)).offset(1).limit(1), [0]),
        ]
        for (what, query, wholes) in expected {
            try contract.expectEqual(try await Self.wholes(store, query), wholes, "a limit \(what)")
        }
    }

    /// Databases evaluate calculations with constants before they read a row, and must not fail then.
    private static func constants(_ contract: Contract, _ store: any Store) async throws {
        let (zero, nothing, most, least) = (0, 0.0, Int.max, Int.min)
        let expected: [(String, Predicate<Specimen>, [Int])] = [
            (
                "behind a constant that decides", #Predicate { zero == 0 || $0.whole > 12 / zero },
                [0, 1, 2, 3]
            ),
            (
                "that a constant does not choose", #Predicate { $0.whole > (zero == 0 ? 1 : 12 / zero) },
                [2, 3]
            ),
            ("divided by zero", #Predicate { $0.whole > 12 / zero }, []),
            ("divided by zero, as the opposite", #Predicate { !($0.whole > 12 / zero) }, [0, 1, 2, 3]),
            ("divided by zero, unequal", #Predicate { $0.whole != 12 / zero }, [0, 1, 2, 3]),
            ("beside a comparison", #Predicate { $0.whole < 2 || $0.whole > 12 / zero }, [0, 1]),
            ("of doubles", #Predicate { $0.whole < 2 || $0.real < 1.5 / nothing }, [0, 1]),
            ("out of range", #Predicate { $0.whole > 1 && most + 1 - 1 > $0.whole }, []),
            ("the opposite out of range", #Predicate { $0.whole == 3 || -least > $0.whole }, [3]),
            ("a remainder", #Predicate { $0.whole % zero == 0 }, []),
        ]
        for (what, predicate, wholes) in expected {
            try contract.expectEqual(
                try await Self.wholes(store, Specimen.where(predicate).sorted(by: \.whole)), wholes,
                "a calculation \(what)")
        }
    }

    private static func related(_ contract: Contract, _ store: any Store) async throws {
        try await store.write { tx in
            let mia = try tx.insert(Parent(name: "Mia"))
            let leo = try tx.insert(Parent(name: "Leo"))
            try tx.insert(contentsOf: [
                CascadeChild(parent: mia.id, size: 1), CascadeChild(parent: mia.id, size: 5),
                CascadeChild(parent: leo.id, size: 0), CascadeChild(parent: leo.id, size: 7),
                CascadeChild(size: 0),
            ])
        }
        let quotient = Operand.arithmetic(.value(.int(6)), .divide, .attribute("size"))
        func names(_ inner: Condition, isOpposite: Bool) async throws -> [String] {
            let exists = Condition.exists(relationship: "cascading", inner)
            return try await store.read { tx in
                try tx.fetch(Parent.matching(isOpposite ? .not(exists) : exists).sorted(by: \.name), \.name)
            }
        }
        let expected: [(String, Condition, [String])] = [
            ("greater", .compare(quotient, .greater, .value(.int(2))), ["Mia"]),
            ("not greater than 0", .not(.compare(quotient, .greater, .value(.int(0)))), ["Leo"]),
            ("not equal", .compare(quotient, .notEqual, .value(.int(0))), ["Leo", "Mia"]),
            ("nil", isNil(quotient), ["Leo"]),
        ]
        for (what, condition, found) in expected {
            try contract.expectEqual(
                try await names(condition, isOpposite: false), found, "rows with a related one, \(what)")
            try contract.expectEqual(
                try await names(condition, isOpposite: true), ["Leo", "Mia"].filter { !found.contains($0) },
                "rows without a related one, \(what)")
        }
    }
}
