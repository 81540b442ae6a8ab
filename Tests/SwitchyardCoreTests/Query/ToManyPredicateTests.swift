import Foundation
import Switchyard
import Testing

@Suite("Predicates about a to-many")
struct ToManyPredicateTests {
    typealias Folder = ModelFixture.Folder

    @Test("contains on a to-many asks whether a row exists")
    func contains() throws {
        let query = Folder.where(#Predicate { $0.contents.contains { $0.optionalDate == nil } })
        #expect(
            try query.condition.get()
                == .exists(
                    relationship: "contents", .compare(.attribute("optionalDate"), .equal, .value(.null))))
    }

    @Test("contains on a to-many combines with other conditions, and needs no condition of its own")
    func combined() throws {
        let query = Folder.where(
            #Predicate { $0.name == "a" && !$0.residents.contains(where: { _ in true }) })
        #expect(
            try query.condition.get()
                == .all([
                    .compare(.attribute("name"), .equal, .value(.text("a"))),
                    .not(.exists(relationship: "residents", .constant(true))),
                ]))
    }

    @Test("allSatisfy on a to-many asks that no row violates the condition")
    func allSatisfy() throws {
        let query = Folder.where(#Predicate { $0.contents.allSatisfy { $0.int > 3 } })
        #expect(
            try query.condition.get()
                == .not(
                    .exists(
                        relationship: "contents",
                        .not(.compare(.attribute("int"), .greater, .value(.int(3)))))))
    }

    @Test("outside a predicate a to-many has no rows")
    func inMemory() throws {
        let folder = Folder(name: "a")
        let error = try #require(throws: StoreError.self) { try folder.contents.contains { $0.int > 3 } }
        #expect(error.code == .unsupported)
    }

    @Test("a to-many is a query for the rows that point at its owner")
    func query() throws {
        let folder = Folder(name: "a")
        #expect(
            try folder.contents.query.condition.get()
                == .compare(.attribute("folder"), .equal, .value(.uuid(folder.id.uuid))))
    }
}
