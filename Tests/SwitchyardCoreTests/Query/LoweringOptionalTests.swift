import Foundation
import Switchyard
import SwitchyardCore
import Testing

@Suite("Lowering of optionals")
struct LoweringOptionalTests {
    private let memo = Operand.attribute("memo")
    private let hasMemo = Condition.compare(.attribute("memo"), .notEqual, .value(.null))
    private let hasNoMemo = Condition.compare(.attribute("memo"), .equal, .value(.null))
    private let mentionsNap = Condition.match(.attribute("memo"), .contains, .value(.text("nap")))

    @Test("optional chaining to a Bool is compared with true, false and nil")
    func chaining() throws {
        #expect(
            try lower(#Predicate<Feed> { $0.memo?.contains("nap") == true }) == .all([hasMemo, mentionsNap]))
        #expect(
            try lower(#Predicate<Feed> { $0.memo?.contains("nap") == false })
                == .all([hasMemo, .not(mentionsNap)]))
        #expect(try lower(#Predicate<Feed> { $0.memo?.contains("nap") == nil }) == hasNoMemo)
        #expect(try lower(#Predicate<Feed> { $0.memo?.contains("nap") != nil }) == hasMemo)
        #expect(
            try lower(#Predicate<Feed> { $0.memo?.contains("nap") != true })
                == .not(.all([hasMemo, mentionsNap])))
    }

    @Test("?? gives the value of a missing optional")
    func coalescing() throws {
        #expect(
            try lower(#Predicate<Feed> { $0.memo?.contains("nap") ?? false }) == .all([hasMemo, mentionsNap]))
        #expect(
            try lower(#Predicate<Feed> { $0.memo?.contains("nap") ?? true })
                == .any([.all([hasMemo, mentionsNap]), hasNoMemo]))
        #expect(
            try lower(#Predicate<Feed> { ($0.memo ?? "none") == "none" })
                == .compare(.coalesce(memo, .value(.text("none"))), .equal, .value(.text("none"))))
        let nothing: String? = nil
        let something: String? = "x"
        #expect(
            try lower(#Predicate<Feed> { ($0.memo ?? "") == (nothing ?? "y") })
                == .compare(.coalesce(memo, .value(.text(""))), .equal, .value(.text("y"))))
        #expect(
            try lower(#Predicate<Feed> { $0.memo == (something ?? "y") })
                == .compare(memo, .equal, .value(.text("x"))))
    }

    @Test("a ! after ?? must hold only where it is reached")
    func unreachedUnwrapping() throws {
        let (first, second) = (Operand.attribute("first"), Operand.attribute("second"))
        #expect(
            try lower(#Predicate<House.Thing> { ($0.first ?? $0.second!) == 1 })
                == .all([
                    .any([
                        .compare(first, .notEqual, .value(.null)), .compare(second, .notEqual, .value(.null)),
                    ]),
                    .compare(.coalesce(first, second), .equal, .value(.int(1))),
                ]))
    }

    @Test("a ! before a search must hold, even if the search is negated")
    func unwrappedSearch() throws {
        let same = ComparisonResult.orderedSame
        let hasNote = Condition.compare(.attribute("note"), .notEqual, .value(.null))
        #expect(
            try lower(#Predicate<House.Thing> { $0.note!.caseInsensitiveCompare("x") != same })
                == .all([hasNote, .not(.search(attribute: "note", .equals, text: "x"))]))
    }

    @Test("flatMap of an attribute is lowered")
    func flatMap() throws {
        #expect(
            try lower(#Predicate<Feed> { $0.amount.flatMap { $0 * 2 } == 5 })
                == .compare(
                    .arithmetic(.attribute("amount"), .multiply, .value(.double(2))), .equal,
                    .value(.double(5))))
        #expect(
            try lower(#Predicate<Feed> { $0.spare.flatMap { _ in 1 } == 1 })
                == .compare(
                    .conditional(
                        .compare(.attribute("spare"), .notEqual, .value(.null)), .value(.int(1)),
                        .value(.null)),
                    .equal, .value(.int(1))))
    }

    @Test("flatMap of a captured value is evaluated when the predicate is lowered")
    func capturedFlatMap() throws {
        let limit: Int? = 4
        let none: Int? = nil
        #expect(
            try lower(#Predicate<Feed> { feed in limit.flatMap { feed.count < $0 } ?? true })
                == .compare(.attribute("count"), .less, .value(.int(4))))
        #expect(
            try lower(#Predicate<Feed> { feed in none.flatMap { feed.count < $0 } ?? true })
                == .constant(true))
    }

    @Test("a comparison with a forced unwrap of nil is false, whatever the comparison")
    func forcedUnwrap() throws {
        let hasSpare = Condition.compare(.attribute("spare"), .notEqual, .value(.null))
        #expect(
            try lower(#Predicate<Feed> { $0.spare! == 3 })
                == .all([hasSpare, .compare(.attribute("spare"), .equal, .value(.int(3)))]))
        #expect(
            try lower(#Predicate<Feed> { $0.spare! != 3 })
                == .all([hasSpare, .compare(.attribute("spare"), .notEqual, .value(.int(3)))]))
        #expect(
            try lower(#Predicate<Feed> { $0.spare! + 1 < 3 })
                == .all([
                    hasSpare,
                    .compare(.arithmetic(.attribute("spare"), .add, .value(.int(1))), .less, .value(.int(3))),
                ]))
    }

    @Test("a forced unwrap in a branch counts only if the branch is taken")
    func forcedUnwrapInBranch() throws {
        let condition = try lower(#Predicate<Feed> { ($0.spare != nil ? $0.spare! : 0) < 3 })
        let entity = try Feed.entity.get()
        let schema = try Nursery.schema
        let test = try CompiledCondition(condition, entity: entity, schema: schema) { _, _ in }
        #expect(try test.holds(row(spare: .null)))
        #expect(try test.holds(row(spare: .int(2))))
        #expect(try !test.holds(row(spare: .int(3))))
    }

    private func row(spare: StoredValue) throws -> [StoredValue] {
        try Feed.entity.get().attributes.map { $0.name == "spare" ? spare : .null }
    }
}
