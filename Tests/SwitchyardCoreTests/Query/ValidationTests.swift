import SwitchyardCore
import Testing

@testable import SwitchyardModel

@Suite("Validation of conditions")
struct ValidationTests {
    private let entity: Entity
    private let schema: Schema

    init() throws {
        schema = try Nursery.schema
        entity = try Baby.entity.get()
    }

    @Test("a condition about a missing or incomparable attribute is `unsupported`")
    func refusals() throws {
        let wrong: [Condition] = [
            .compare(.attribute("nope"), .equal, .value(.int(1))),
            .compare(.attribute("name"), .equal, .value(.int(1))),
            .compare(.attribute("isPremature"), .less, .value(.int(1))),
            .isIn(.attribute("name"), [.text("a"), .int(1)]),
            .match(.attribute("isPremature"), .contains, .value(.text("a"))),
            .search(attribute: "isPremature", .contains, text: "a"),
            .exists(relationship: "nope", .constant(true)),
            .exists(relationship: "feeds", .compare(.attribute("name"), .equal, .value(.text("a")))),
            .compare(.negated(.attribute("name")), .equal, .value(.text("a"))),
        ]
        for condition in wrong {
            #expect(throws: StoreError.self, "\(condition)") {
                try condition.validated(in: entity, schema: schema)
            }
        }
    }

    @Test("a condition deeper than the limit is an error, not an overflow of the stack")
    func depth() throws {
        var condition = name(.equal, "a")
        for _ in 0..<5_000 { condition = .not(condition) }
        let error = #expect(throws: StoreError.self) { try condition.validated(in: entity, schema: schema) }
        #expect(error?.code == .unsupported)
    }

    @Test("a condition and its calculations are limited to the documented depth, exactly")
    func limits() throws {
        func nested(_ levels: Int) -> Condition {
            (0..<levels).reduce(name(.equal, "a")) { inner, level in
                level.isMultiple(of: 2)
                    ? .any([inner, name(.equal, "b")]) : .all([inner, name(.notEqual, "c")])
            }
        }
        // A comparison and its operand are the two innermost levels.
        _ = try nested(198).validated(in: entity, schema: schema)
        #expect(throws: StoreError.self) { try nested(199).validated(in: entity, schema: schema) }

        func calculation(_ levels: Int) -> Condition {
            let text = (0..<levels).reduce(Operand.attribute("name")) { inner, _ in
                .coalesce(inner, .attribute("name"))
            }
            return .compare(text, .equal, .value(.text("a")))
        }
        _ = try calculation(12).validated(in: entity, schema: schema)
        let error = #expect(throws: StoreError.self) {
            try calculation(13).validated(in: entity, schema: schema)
        }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("more than 12 levels deep") == true)
    }

    @Test("a condition of ten thousand terms is valid")
    func width() throws {
        let condition = Condition.any((0..<10_000).map { name(.equal, "\($0)") })
        let test = try CompiledCondition(
            try condition.validated(in: entity, schema: schema), entity: entity, schema: schema
        ) { _, _ in }
        #expect(try test.holds([.null, .text("9999"), .bool(true), .null]))
        #expect(try !test.holds([.null, .text("10000"), .bool(true), .null]))
    }

    @Test("more constants than every backend can bind are an error")
    func constants() throws {
        let condition = Condition.any((0...30_000).map { name(.equal, "\($0)") })
        #expect(throws: StoreError.self) { try condition.validated(in: entity, schema: schema) }
    }

    @Test("comparisons of constants are folded, and constants stand on the right")
    func folding() throws {
        func validated(_ condition: Condition) throws -> Condition {
            try condition.validated(in: entity, schema: schema)
        }
        #expect(try validated(.compare(.value(.int(1)), .less, .value(.int(2)))) == .constant(true))
        #expect(try validated(.compare(.value(.null), .equal, .value(.null))) == .constant(true))
        #expect(try validated(.compare(.attribute("name"), .less, .value(.null))) == .constant(false))
        #expect(try validated(.compare(.value(.text("a")), .less, .attribute("name"))) == name(.greater, "a"))
        #expect(try validated(.isIn(.attribute("name"), [])) == .constant(false))
        #expect(try validated(.all([.all([name(.equal, "a")]), .constant(true)])) == name(.equal, "a"))
    }

    @Test("a calculation with constants is folded, to nil if it has no result")
    func constantCalculations() throws {
        let feed = try Feed.entity.get()
        func validated(_ operand: Operand) throws -> Condition {
            try Condition.compare(.attribute("count"), .notEqual, operand).validated(in: feed, schema: schema)
        }
        #expect(
            try validated(.arithmetic(.value(.int(2)), .add, .value(.int(3))))
                == .compare(.attribute("count"), .notEqual, .value(.int(5))))
        let nothing: [Operand] = [
            .arithmetic(.value(.int(100)), .divide, .value(.int(0))), .negated(.value(.int(.min))),
            .arithmetic(.arithmetic(.value(.int(.max)), .add, .value(.int(1))), .subtract, .value(.int(1))),
        ]
        for operand in nothing {
            #expect(
                try validated(operand) == .compare(.attribute("count"), .notEqual, .value(.null)))
            #expect(
                try Condition.compare(.attribute("count"), .greater, operand).validated(
                    in: feed, schema: schema)
                    == .constant(false))
        }
    }

    @Test("an assigned calculation with constants without a result fails only for rows that reach it")
    func failingConstants() throws {
        let feed = try Feed.entity.get()
        let isOne = Condition.compare(.attribute("count"), .equal, .value(.int(1)))
        let quotient = Operand.arithmetic(.value(.int(100)), .divide, .value(.int(0)))
        let assigned = try Assignment(
            attribute: "count", value: .conditional(isOne, .value(.int(7)), quotient)
        )
        .validated(in: feed, schema: schema)
        let value = try CompiledOperand(assigned.value, entity: feed, schema: schema) { _, _ in }
        func row(count: Int64) -> [StoredValue] {
            feed.attributes.map { $0.name == "count" ? .int(count) : .null }
        }
        #expect(try value.value(row(count: 1)) == .int(7))
        let error = #expect(throws: StoreError.self) { try value.value(row(count: 2)) }
        #expect(error?.code == .arithmetic)
    }

    @Test("a time that cannot be stored can be compared with, but not used in an index filter")
    func times() throws {
        let feed = try Feed.entity.get()
        func condition(_ time: Int64) -> Condition {
            .compare(.attribute("startTime"), .greater, .value(.timestamp(time)))
        }
        for time in [-62_135_596_800_000_001, 253_402_300_800_000_000] as [Int64] {
            _ = try condition(time).validated(in: feed, schema: schema)
            let error = #expect(throws: StoreError.self) {
                try condition(time).validated(in: feed, schema: schema, isKept: true)
            }
            #expect(error?.code == .valueNotRepresentable)
        }
        let error = #expect(throws: StoreError.self) {
            try condition(.min).validated(in: feed, schema: schema)
        }
        #expect(error?.code == .valueNotRepresentable)
    }
}
