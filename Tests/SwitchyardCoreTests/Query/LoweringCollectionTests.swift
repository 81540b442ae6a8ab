import Foundation
import Switchyard
import SwitchyardCore
import Testing

@Suite("Lowering of collections and text")
struct LoweringCollectionTests {
    @Test("contains of a captured collection lowers to one list, of any size")
    func lists() throws {
        let names = ["Mia", "Leo"]
        #expect(
            try lower(#Predicate<Baby> { names.contains($0.name) })
                == .isIn(.attribute("name"), [.text("Mia"), .text("Leo")]))
        #expect(
            try lower(#Predicate<Baby> { ["Mia"].contains($0.name) })
                == .isIn(.attribute("name"), [.text("Mia")]))
        let ids = (0..<100_000).map { _ in Baby.ID() }
        guard case .isIn(.attribute("id"), let values) = try lower(#Predicate<Baby> { ids.contains($0.id) })
        else {
            Issue.record("not a list")
            return
        }
        #expect(values.count == 100_000)
        #expect(values[99_999] == .uuid(ids[99_999].uuid))
        let optional: Set<Baby.ID?> = [nil]
        #expect(
            try lower(#Predicate<Feed> { optional.contains($0.baby) }) == .isIn(.attribute("baby"), [.null]))
    }

    @Test("contains of a range lowers to comparisons with its bounds")
    func ranges() throws {
        let count = Operand.attribute("count")
        let closed = 2...5
        let half = 2..<5
        let from = 2...
        let through = ...5
        func between(_ comparison: Comparison) -> Condition {
            .all([
                .compare(count, .greaterOrEqual, .value(.int(2))),
                .compare(count, comparison, .value(.int(5))),
            ])
        }
        #expect(try lower(#Predicate<Feed> { closed.contains($0.count) }) == between(.lessOrEqual))
        #expect(try lower(#Predicate<Feed> { half.contains($0.count) }) == between(.less))
        #expect(try lower(#Predicate<Feed> { (2...5).contains($0.count) }) == between(.lessOrEqual))
        #expect(try lower(#Predicate<Feed> { (2..<5).contains($0.count) }) == between(.less))
        #expect(
            try lower(#Predicate<Feed> { from.contains($0.count) })
                == .compare(count, .greaterOrEqual, .value(.int(2))))
        #expect(
            try lower(#Predicate<Feed> { through.contains($0.count) })
                == .compare(count, .lessOrEqual, .value(.int(5))))
        let day = time(0)..<time(86_400)
        #expect(
            try lower(#Predicate<Feed> { day.contains($0.startTime) })
                == .all([
                    .compare(.attribute("startTime"), .greaterOrEqual, .value(stored(0))),
                    .compare(.attribute("startTime"), .less, .value(stored(86_400))),
                ]))
        let high = 9
        #expect(
            try lower(#Predicate<Feed> { ($0.count...high).contains(4) })
                == .all([
                    .compare(.value(.int(4)), .greaterOrEqual, count),
                    .compare(.value(.int(4)), .lessOrEqual, .value(.int(9))),
                ]))
    }

    @Test("contains and starts(with:) of text are lowered")
    func text() throws {
        let part = "ia%_"
        #expect(
            try lower(#Predicate<Baby> { $0.name.contains(part) })
                == .match(.attribute("name"), .contains, .value(.text("ia%_"))))
        #expect(
            try lower(#Predicate<Baby> { $0.name.starts(with: "M") })
                == .match(.attribute("name"), .hasPrefix, .value(.text("M"))))
        #expect(try lower(#Predicate<Baby> { $0.name.isEmpty }) == name(.equal, ""))
        #expect(
            try lower(#Predicate<Baby> { "Mia Leo".contains($0.name) })
                == .match(.value(.text("Mia Leo")), .contains, .attribute("name")))
    }

    @Test("a search without regard to case folds the searched text")
    func search() throws {
        let same = ComparisonResult.orderedSame
        #expect(
            try lower(#Predicate<Baby> { $0.name.localizedStandardContains("ÉMILE") })
                == .search(attribute: "name", .contains, text: "emile"))
        #expect(
            try lower(#Predicate<Baby> { $0.name.caseInsensitiveCompare("Zoë") == same })
                == .search(attribute: "name", .equals, text: "zoe"))
        #expect(
            try lower(#Predicate<Baby> { $0.name.caseInsensitiveCompare("Zoë") != same })
                == .not(.search(attribute: "name", .equals, text: "zoe")))
        #expect(
            try lower(#Predicate<Feed> { $0.memo?.localizedStandardContains("nap") == true })
                == .all([
                    .compare(.attribute("memo"), .notEqual, .value(.null)),
                    .search(attribute: "memo", .contains, text: "nap"),
                ]))
    }

    @Test("a folded text is compared with a folded constant")
    func folded() throws {
        let typed = "Zoë"
        #expect(
            try lower(#Predicate<Baby> { $0.name[\.folded].starts(with: typed) })
                == .search(attribute: "name", .hasPrefix, text: "zoe"))
        #expect(
            try lower(#Predicate<Baby> { $0.name[\.folded].contains(typed) })
                == .search(attribute: "name", .contains, text: "zoe"))
        #expect(
            try lower(#Predicate<Baby> { $0.name[\.folded] == typed })
                == .search(attribute: "name", .equals, text: "zoe"))
        #expect(
            try lower(#Predicate<Baby> { typed != $0.name[\.folded] })
                == .not(.search(attribute: "name", .equals, text: "zoe")))
        let starting = Condition.all([
            .compare(.attribute("memo"), .notEqual, .value(.null)),
            .search(attribute: "memo", .hasPrefix, text: "zoe"),
        ])
        #expect(try lower(#Predicate<Feed> { $0.memo?[\.folded].starts(with: typed) == true }) == starting)
        #expect(try lower(#Predicate<Feed> { $0.memo[\.folded]?.starts(with: typed) == true }) == starting)
        #expect(
            try lower(#Predicate<Feed> { $0.memo[\.folded] == nil })
                == .compare(.attribute("memo"), .equal, .value(.null)))
        #expect(
            try lower(#Predicate<Feed> { $0.memo[\.folded] == typed })
                == .search(attribute: "memo", .equals, text: "zoe"))
        #expect(
            try lower(#Predicate<Feed> { $0.baby[\.name]?[\.folded].starts(with: typed) == true })
                == .exists(
                    relationship: "baby",
                    .all([
                        .compare(.attribute("name"), .notEqual, .value(.null)),
                        .search(attribute: "name", .hasPrefix, text: "zoe"),
                    ])))
    }

    @Test("contains(where:) of a captured collection is written out for each element")
    func capturedElements() throws {
        let pairs = [(1, 2), (3, 4)].map { Pair(low: $0, high: $1) }
        let count = Operand.attribute("count")
        #expect(
            try lower(
                #Predicate<Feed> { feed in pairs.contains { $0.low < feed.count && feed.count < $0.high } })
                == .any([
                    .all([.compare(.value(.int(1)), .less, count), .compare(count, .less, .value(.int(2)))]),
                    .all([.compare(.value(.int(3)), .less, count), .compare(count, .less, .value(.int(4)))]),
                ]))
    }
}

struct Pair: Sendable, Codable {
    let low: Int
    let high: Int
}
