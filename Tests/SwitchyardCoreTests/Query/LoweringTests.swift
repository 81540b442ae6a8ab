import Foundation
import Switchyard
import SwitchyardCore
import Testing

@Suite("Lowering of predicates")
struct LoweringTests {
    @Test("a comparison with a captured value is lowered")
    func comparisons() throws {
        let start = time(60)
        #expect(
            try lower(#Predicate<Feed> { $0.startTime == start })
                == .compare(.attribute("startTime"), .equal, .value(stored(60))))
        #expect(
            try lower(#Predicate<Feed> { $0.startTime != start })
                == .compare(.attribute("startTime"), .notEqual, .value(stored(60))))
        #expect(
            try lower(#Predicate<Feed> { $0.count < 5 })
                == .compare(.attribute("count"), .less, .value(.int(5))))
        #expect(
            try lower(#Predicate<Feed> { $0.count <= 5 })
                == .compare(.attribute("count"), .lessOrEqual, .value(.int(5))))
        #expect(
            try lower(#Predicate<Feed> { $0.count > 5 })
                == .compare(.attribute("count"), .greater, .value(.int(5))))
        #expect(
            try lower(#Predicate<Feed> { 5 >= $0.count })
                == .compare(.value(.int(5)), .greaterOrEqual, .attribute("count")))
    }

    @Test("nil and an optional captured as nil are lowered")
    func absence() throws {
        let nobody: Baby.ID? = nil
        let isNil = Condition.compare(.attribute("endTime"), .equal, .value(.null))
        #expect(try lower(#Predicate<Feed> { $0.endTime == nil }) == isNil)
        #expect(
            try lower(#Predicate<Feed> { $0.endTime != nil })
                == .compare(.attribute("endTime"), .notEqual, .value(.null)))
        #expect(
            try lower(#Predicate<Feed> { !($0.endTime == nil) })
                == .compare(.attribute("endTime"), .notEqual, .value(.null)))
        #expect(
            try lower(#Predicate<Feed> { $0.baby == nobody })
                == .compare(.attribute("baby"), .equal, .value(.null)))
    }

    @Test("an id is lowered, of the row and of a to-one")
    func ids() throws {
        let id = Baby.ID()
        #expect(
            try lower(#Predicate<Baby> { $0.id == id })
                == .compare(.attribute("id"), .equal, .value(.uuid(id.uuid))))
        #expect(
            try lower(#Predicate<Feed> { $0.baby == id })
                == .compare(.attribute("baby"), .equal, .value(.uuid(id.uuid))))
        let uuid = id.uuid
        #expect(
            try lower(#Predicate<Baby> { $0.id.uuid == uuid })
                == .compare(.attribute("id"), .equal, .value(.uuid(uuid))))
        #expect(
            try lower(#Predicate<Feed> { $0.baby?.uuid == uuid })
                == .compare(.attribute("baby"), .equal, .value(.uuid(uuid))))
    }

    @Test("an enum is lowered, alone and in a list")
    func enums() throws {
        let solid = Nursery.Kind.solid
        let expected = Condition.compare(.attribute("kind"), .equal, .value(.text("solid")))
        #expect(try lower(#Predicate<Feed> { $0.kind == solid }) == expected)
        let kinds: [Nursery.Kind?] = [.breast, nil]
        #expect(
            try lower(#Predicate<Feed> { kinds.contains($0.kind) })
                == .isIn(.attribute("kind"), [.text("breast"), .null]))
    }

    @Test("an enum's raw value is the stored value")
    func rawValues() throws {
        #expect(
            try lower(#Predicate<Feed> { $0.kind?.rawValue == "solid" })
                == .compare(.attribute("kind"), .equal, .value(.text("solid"))))
        #expect(
            try lower(#Predicate<House.Thing> { $0.level.rawValue >= "low" })
                == .compare(.attribute("level"), .greaterOrEqual, .value(.text("low"))))
    }

    @Test("a time outside the storable years is compared as one just before or after them")
    func openRanges() throws {
        let range = Date.distantPast..<Date(timeIntervalSince1970: 1e15)
        #expect(
            try lower(#Predicate<Feed> { range.contains($0.startTime) })
                == .all([
                    .compare(
                        .attribute("startTime"), .greaterOrEqual,
                        .value(.timestamp(-62_135_596_800_000_001))),
                    .compare(.attribute("startTime"), .less, .value(.timestamp(253_402_300_800_000_000))),
                ]))
    }

    @Test("a Bool attribute is a condition by itself")
    func booleans() throws {
        let isPremature = Condition.compare(.attribute("isPremature"), .equal, .value(.bool(true)))
        #expect(try lower(#Predicate<Baby> { $0.isPremature }) == isPremature)
        #expect(
            try lower(#Predicate<Baby> { !$0.isPremature })
                == .compare(.attribute("isPremature"), .notEqual, .value(.bool(true))))
        #expect(
            try lower(#Predicate<Baby> { $0.isPremature && $0.name == "Mia" })
                == .all([isPremature, name(.equal, "Mia")]))
        #expect(try lower(#Predicate<Baby> { ($0.name == "Mia") == false }) == name(.notEqual, "Mia"))
        #expect(
            try lower(#Predicate<Baby> { ($0.name == "Mia") == $0.isPremature })
                == .compare(
                    .conditional(name(.equal, "Mia"), .value(.bool(true)), .value(.bool(false))), .equal,
                    .attribute("isPremature")))
        #expect(try lower(#Predicate<Baby> { _ in true }) == .constant(true))
        #expect(try lower(Predicate<Baby>.false) == .constant(false))
    }

    @Test("chains of && and || become flat lists, in either associativity")
    func chains() throws {
        #expect(
            try lower(
                #Predicate<Baby> { $0.name == "a" || $0.name == "b" || ($0.name == "c" || $0.name == "d") })
                == .any([name(.equal, "a"), name(.equal, "b"), name(.equal, "c"), name(.equal, "d")]))
        #expect(
            try lower(
                #Predicate<Baby> { $0.name != "a" && $0.name != "b" && ($0.name == "c" || $0.name == "d") })
                == .all([
                    name(.notEqual, "a"), name(.notEqual, "b"), .any([name(.equal, "c"), name(.equal, "d")]),
                ]))
        let isAnyone = true
        #expect(try lower(#Predicate<Baby> { isAnyone || $0.name == "a" }) == .constant(true))
        #expect(try lower(#Predicate<Baby> { isAnyone && $0.name == "a" }) == name(.equal, "a"))
    }

    @Test("a captured object's value is taken when the predicate is lowered")
    func capturedProperties() throws {
        let filter = Filter(text: "Mia", limit: 3)
        #expect(try lower(#Predicate<Baby> { $0.name == filter.text }) == name(.equal, "Mia"))
        #expect(
            try lower(#Predicate<Feed> { $0.count < filter.limit })
                == .compare(.attribute("count"), .less, .value(.int(3))))
    }

    @Test("arithmetic of attributes and constants is lowered")
    func arithmetic() throws {
        func count(_ operand: Operand) -> Condition { .compare(operand, .equal, .value(.int(7))) }
        let column = Operand.attribute("count")
        #expect(
            try lower(#Predicate<Feed> { $0.count + 2 == 7 })
                == count(.arithmetic(column, .add, .value(.int(2)))))
        #expect(
            try lower(#Predicate<Feed> { $0.count - 2 == 7 })
                == count(.arithmetic(column, .subtract, .value(.int(2)))))
        #expect(
            try lower(#Predicate<Feed> { $0.count * 2 == 7 })
                == count(.arithmetic(column, .multiply, .value(.int(2)))))
        #expect(
            try lower(#Predicate<Feed> { $0.count / 2 == 7 })
                == count(.arithmetic(column, .divide, .value(.int(2)))))
        #expect(
            try lower(#Predicate<Feed> { $0.count % 2 == 7 })
                == count(.arithmetic(column, .remainder, .value(.int(2)))))
        #expect(try lower(#Predicate<Feed> { -$0.count == 7 }) == count(.negated(column)))
        #expect(
            try lower(#Predicate<Feed> { ($0.amount ?? 0) / 2 > 1.5 })
                == .compare(
                    .arithmetic(
                        .coalesce(.attribute("amount"), .value(.double(0))), .divide, .value(.double(2))),
                    .greater, .value(.double(1.5))))
    }

    @Test("the ternary operator is lowered")
    func ternary() throws {
        let count = Operand.attribute("count")
        #expect(
            try lower(#Predicate<Feed> { ($0.endTime == nil ? $0.count : 0) > 1 })
                == .compare(
                    .conditional(
                        .compare(.attribute("endTime"), .equal, .value(.null)), count, .value(.int(0))),
                    .greater, .value(.int(1))))
        let open = Condition.compare(.attribute("endTime"), .equal, .value(.null))
        let closed = Condition.compare(.attribute("endTime"), .notEqual, .value(.null))
        #expect(
            try lower(#Predicate<Feed> { $0.endTime == nil ? $0.count > 1 : $0.count > 2 })
                == .any([
                    .all([open, .compare(count, .greater, .value(.int(1)))]),
                    .all([closed, .compare(count, .greater, .value(.int(2)))]),
                ]))
    }
}

private struct Filter: Codable, Sendable {
    let text: String
    let limit: Int
}

func lower<Element: Model>(_ predicate: Predicate<Element>) throws -> Condition {
    try Condition.lowering(predicate).get()
}

func name(_ comparison: Comparison, _ text: String) -> Condition {
    .compare(.attribute("name"), comparison, .value(.text(text)))
}
