import Foundation
import Switchyard
import SwitchyardCore
import Testing

@testable import SwitchyardModel

@Suite("Predicates through a to-one")
struct ToOnePredicateTests {
    typealias Film = VideoShop.Film
    typealias Rental = VideoShop.Rental

    private func condition(_ predicate: Predicate<Rental>) throws -> Condition {
        try Rental.where(predicate).condition.get()
    }

    private func at(_ path: String..., is condition: Condition) -> Condition {
        path.reversed().reduce(condition) { .exists(relationship: $1, $0) }
    }

    private func compared(_ name: String, _ comparison: Comparison, _ value: StoredValue) -> Condition {
        .compare(.attribute(name), comparison, .value(value))
    }

    private func compared(_ name: String, _ value: StoredValue) -> Condition { compared(name, .equal, value) }

    @Test("a property of a reference is read in the referenced row, over several steps")
    func steps() throws {
        #expect(
            try condition(#Predicate { $0.copy[\.film][\.language][\.name] == "Welsh" })
                == at("copy", "film", "language", is: compared("name", .text("Welsh"))))
        #expect(
            try condition(#Predicate { $0.copy[\.film][\.isLong] })
                == at("copy", "film", is: compared("isLong", .bool(true))))
        #expect(
            try condition(#Predicate { !$0.copy[\.film][\.isLong] && $0.days > 3 })
                == .all([
                    .not(at("copy", "film", is: compared("isLong", .bool(true)))),
                    compared("days", .greater, .int(3)),
                ]))
    }

    @Test("a comparison with nil or != holds if the reference is nil")
    func absence() throws {
        let none = compared("gift", .null)
        #expect(
            try condition(#Predicate { $0.gift[\.title] == "Alien" })
                == at("gift", is: compared("title", .text("Alien"))))
        #expect(
            try condition(#Predicate { $0.gift[\.title] != "Alien" })
                == .any([at("gift", is: compared("title", .notEqual, .text("Alien"))), none]))
        #expect(
            try condition(#Predicate { $0.gift[\.length] == nil })
                == .any([at("gift", is: compared("length", .null)), none]))
        #expect(
            try condition(#Predicate { $0.gift[\.length] != nil })
                == at("gift", is: compared("length", .notEqual, .null)))
        #expect(
            try condition(#Predicate { ($0.gift[\.title] ?? "none") == "none" })
                == .any([
                    at(
                        "gift",
                        is: .compare(
                            .coalesce(.attribute("title"), .value(.text("none"))), .equal,
                            .value(.text("none")))),
                    none,
                ]))
        #expect(
            try condition(#Predicate { $0.gift![\.title] != "Alien" })
                == at("gift", is: compared("title", .notEqual, .text("Alien"))))
    }

    @Test("two optional references in a row are nil if either is")
    func optionalSteps() throws {
        #expect(
            try condition(#Predicate { $0.gift[\.original][\.code] == "cy" })
                == at("gift", "original", is: compared("code", .text("cy"))))
        #expect(
            try condition(#Predicate { $0.gift[\.original][\.code] == nil })
                == .any([
                    at("gift", "original", is: compared("code", .null)),
                    .not(at("gift", is: compared("original", .notEqual, .null))),
                ]))
        #expect(
            try condition(#Predicate { $0.gift[\.language][\.name]?.contains("el") == true })
                == at(
                    "gift", "language",
                    is: .all([
                        compared("name", .notEqual, .null),
                        .match(.attribute("name"), .contains, .value(.text("el"))),
                    ])))
        #expect(
            try condition(#Predicate { $0.gift![\.original]![\.name] < "M" })
                == at("gift", "original", is: compared("name", .less, .text("M"))))
    }

    @Test("if let asks about the referenced row if there is one")
    func ifLet() throws {
        #expect(
            try condition(#Predicate { if let gift = $0.gift { gift[\.title] == "Alien" } else { false } })
                == at("gift", is: compared("title", .text("Alien"))))
    }

    @Test("text, lists, ranges and numbers work through a reference")
    func operations() throws {
        let same = ComparisonResult.orderedSame
        #expect(
            try condition(#Predicate { $0.copy[\.film][\.title].starts(with: "Al") })
                == at("copy", "film", is: .match(.attribute("title"), .hasPrefix, .value(.text("Al")))))
        #expect(
            try condition(#Predicate { $0.gift[\.plot]?.localizedStandardContains("ÉTÉ") == true })
                == at(
                    "gift",
                    is: .all([
                        compared("plot", .notEqual, .null),
                        .search(attribute: "plot", .contains, text: "ete"),
                    ])))
        #expect(
            try condition(#Predicate { $0.gift[\.plot]?.caseInsensitiveCompare("X") != same })
                == .any([
                    at("gift", is: .not(.search(attribute: "plot", .equals, text: "x"))),
                    compared("gift", .null),
                ]))
        let titles = ["Alien", "Brazil"]
        #expect(
            try condition(#Predicate { titles.contains($0.copy[\.film][\.title]) })
                == at(
                    "copy", "film", is: .isIn(.attribute("title"), [.text("Alien"), .text("Brazil")])))
        #expect(
            try condition(#Predicate { (90..<120).contains($0.copy[\.film][\.length] ?? 0) })
                == at(
                    "copy", "film",
                    is: .all([
                        .compare(
                            .coalesce(.attribute("length"), .value(.int(0))), .greaterOrEqual,
                            .value(.int(90))),
                        .compare(
                            .coalesce(.attribute("length"), .value(.int(0))), .less, .value(.int(120))),
                    ])))
        #expect(
            try condition(#Predicate { $0.copy[\.film][\.title].isEmpty })
                == at("copy", "film", is: compared("title", .text(""))))
    }

    @Test("the id of the referenced row is the reference itself")
    func ids() throws {
        let film = Film.ID()
        let copies = [VideoShop.Copy.ID()]
        #expect(
            try condition(#Predicate { $0.copy[\.film][\.id] == film })
                == at("copy", is: compared("film", .uuid(film.uuid))))
        #expect(
            try condition(#Predicate { $0.copy[\.film] == film })
                == at("copy", is: compared("film", .uuid(film.uuid))))
        #expect(try condition(#Predicate { $0.gift[\.id] == film }) == compared("gift", .uuid(film.uuid)))
        #expect(
            try condition(#Predicate { copies.contains($0.copy[\.id]) })
                == .isIn(.attribute("copy"), [.uuid(copies[0].uuid)]))
        #expect(
            try condition(#Predicate { $0.copy.uuid == film.uuid }) == compared("copy", .uuid(film.uuid)))
    }

    @Test("relationships of the referenced row can be queried and counted")
    func toMany() throws {
        #expect(
            try condition(#Predicate { $0.copy[\.film][\.copies].contains { $0.rentals[\.count] > 2 } })
                == at(
                    "copy", "film", "copies",
                    is: .compare(.count(relationship: "rentals"), .greater, .value(.int(2)))))
        #expect(
            try condition(#Predicate { $0.copy[\.film][\.copies][\.count] == 1 })
                == at(
                    "copy", "film",
                    is: .compare(.count(relationship: "copies"), .equal, .value(.int(1)))))
        #expect(
            try condition(#Predicate { $0.gift![\.copies][\.isEmpty] })
                == at("gift", is: .not(.exists(relationship: "copies", .constant(true)))))
    }

    @Test("a value of another row is compared with the row itself")
    func otherRows() throws {
        let length = Operand.referenced("copy", .referenced("film", .attribute("length")))
        // swift-format-ignore: NeverForceUnwrap
        let found = try condition(#Predicate { $0.copy[\.film][\.length]! > $0.days })
        let isPresent = Condition.compare(.attribute("length"), .notEqual, .value(.null))
        let expected: Condition = .all([
            at("copy", "film", is: isPresent), .compare(length, .greater, .attribute("days")),
        ])
        #expect(found.description == expected.description)
    }

    @Test("what cannot be asked of another row is refused, and the error says what to do")
    func refusals() throws {
        func message(_ predicate: Predicate<Rental>) throws -> String {
            let error = try #require(throws: StoreError.self) { try condition(predicate) }
            #expect(error.code == .unsupported)
            return error.message
        }
        let film = Film.ID()
        #expect(
            try message(#Predicate { $0.days > 1 && film[\.title] == "Alien" }).contains(
                "find its row first and capture the value"))
        #expect(
            try message(#Predicate { $0.copy[\.film][\.language][\.name].count > 3 }).contains(
                "cannot be used"))
    }

    @Test("outside a predicate an id is not its row, and a to-many has no count")
    func inMemory() throws {
        let film = Film(title: "Alien", language: VideoShop.Language.ID())
        let name = try #require(throws: StoreError.self) { try film.language[\.name] }
        #expect(name.code == .unsupported)
        #expect(name.message.contains("Find the row"))
        let count = try #require(throws: StoreError.self) { try film.copies[\.count] }
        #expect(count.code == .unsupported)
    }

    @Test("a reference is validated by the entity that it points to")
    func validation() throws {
        let schema = try VideoShop.schema
        let rental = try schema.require("Rental")
        let known = at("copy", "film", is: compared("title", .text("a")))
        #expect(try known.validated(in: rental, schema: schema) == known)
        let unknown = [
            at("days", is: .constant(true)), at("copy", is: compared("title", .text("a"))),
            at("copy", "film", is: compared("title", .int(1))),
            .compare(.count(relationship: "copy"), .equal, .value(.int(1))),
            .compare(.count(relationship: "copies"), .equal, .value(.int(1))),
        ]
        for condition in unknown {
            let error = try #require(throws: StoreError.self) {
                try condition.validated(in: rental, schema: schema)
            }
            #expect(error.code == .unsupported)
        }
    }

    @Test("a count is lowered to existence if that is enough")
    func counts() throws {
        let schema = try VideoShop.schema
        let film = try schema.require("Film")
        let exists = Condition.exists(relationship: "copies", .constant(true))
        func validated(_ comparison: Comparison, _ number: Int64) throws -> Condition {
            try Condition.compare(.value(.int(number)), comparison, .count(relationship: "copies"))
                .validated(in: film, schema: schema)
        }
        #expect(try validated(.less, 0) == exists)
        #expect(try validated(.lessOrEqual, 1) == exists)
        #expect(try validated(.notEqual, 0) == exists)
        #expect(try validated(.equal, 0) == .not(exists))
        #expect(try validated(.greater, 1) == .not(exists))
        #expect(
            try validated(.less, 1)
                == .compare(.count(relationship: "copies"), .greater, .value(.int(1))))
    }

    @Test("an update calculates values from related rows as well")
    func updates() throws {
        let schema = try VideoShop.schema
        let film = try schema.require("Film")
        for value in [
            Operand.count(relationship: "copies"),
            .conditional(at("language", is: .constant(true)), .value(.int(1)), .value(.int(2))),
        ] {
            let assignment = try Assignment(attribute: "length", value: value).validated(
                in: film, schema: schema)
            #expect(assignment.value.needs.contains(.otherRows))
        }
    }
}
