import Foundation
import Switchyard
import SwitchyardCore
import TestBackends
import Testing

/// What a write that breaks a rule is told, which is the same on every backend.
@Suite("Errors of broken constraints")
struct ConstraintErrorTests {
    typealias Studio = Cinema.Studio
    typealias Film = Cinema.Film
    typealias Poster = Cinema.Poster

    /// The error of a write, in a store with a film of a studio.
    private func refusal(
        on backend: TestBackend, _ write: @escaping @Sendable (WriteTransaction, Studio, Film) throws -> Void
    ) async throws -> StoreError? {
        try await backend.withStore(try Cinema.schema) { store in
            let studio = Studio(name: "Acme")
            let film = Film(title: "Egg Igby", studio: studio.id, year: 2006)
            try await store.write { tx in
                try tx.insert(studio)
                try tx.insert(film)
            }
            return await #expect(throws: StoreError.self) {
                try await store.write { tx in try write(tx, studio, film) }
            }
        }
    }

    @Test(
        "the error for a second row with the same id names the constraint", arguments: TestBackend.available)
    func identifier(backend: TestBackend) async throws {
        let error = try await refusal(on: backend) { tx, _, film in
            try tx.insert(Film(id: film.id, title: "Another"))
        }
        #expect(
            error?.description
                == "unique: Another row has the same id. Update that row, or give this one an id of its own. [Film.id] "
                + "[constraint primary_Film]")
        #expect(error?.attribute == "id")
    }

    @Test(
        "the error for a second row with the same value names the attribute, not the column",
        arguments: TestBackend.available)
    func unique(backend: TestBackend) async throws {
        let error = try await refusal(on: backend) { tx, _, _ in try tx.insert(Film(title: "Egg Igby")) }
        #expect(
            error?.description
                == "unique: Another row has the same title. Update that row, or give this one other values. "
                + "[Film.title] [constraint unique_Film_title]")
        #expect(error?.attribute == "title")
    }

    @Test(
        "the error for a second row with the same pair of values names the constraint",
        arguments: TestBackend.available)
    func uniquePair(backend: TestBackend) async throws {
        let error = try await refusal(on: backend) { tx, studio, _ in
            try tx.insert(contentsOf: [Film(title: "Another", studio: studio.id, year: 2006)])
        }
        #expect(
            error?.description
                == "unique: Another row has the same studio, year. Update that row, or give this one other values. "
                + "[Film] [constraint unique_Film_studio_year]")
        #expect(error?.entity == "Film")
        #expect(error?.attribute == nil)
    }

    @Test("the error for an update to a taken value names the constraint", arguments: TestBackend.available)
    func uniqueUpdate(backend: TestBackend) async throws {
        let error = try await refusal(on: backend) { tx, _, _ in
            let other = try tx.insert(Film(title: "Another"))
            let query = Film.matching(.compare(.attribute("id"), .equal, .value(.uuid(other.id.uuid))))
            try tx.update(query, set: [.set(\.title, to: "Egg Igby")])
        }
        #expect(
            error?.description
                == "unique: Another row has the same title. Update that row, or give this one other values. "
                + "[Film.title] [constraint unique_Film_title]")
    }

    @Test("the error for a reference to a missing row names the reference", arguments: TestBackend.available)
    func missingRow(backend: TestBackend) async throws {
        let error = try await refusal(on: backend) { tx, _, _ in
            try tx.insert(Film(title: "Another", studio: Studio.ID()))
        }
        #expect(
            error?.description
                == "foreignKey: A row refers to a Studio that does not exist at the end of the transaction. Insert "
                + "that Studio, or change or delete the row that refers to it. [Film.studio] [constraint "
                + "reference_Film_studio]")
        #expect(error?.entity == "Film")
        #expect(error?.attribute == "studio")
    }

    @Test(
        "the error for a reference left dangling by a delete names the reference",
        arguments: TestBackend.available)
    func deletedRow(backend: TestBackend) async throws {
        let error = try await refusal(on: backend) { tx, _, film in
            try tx.insert(Poster(film: film.id))
            try tx.delete(film)
        }
        #expect(
            error?.description
                == "foreignKey: A row refers to a Film that does not exist at the end of the transaction. Insert "
                + "that Film, or change or delete the row that refers to it. [Poster.film] [constraint "
                + "reference_Poster_film]")
    }

    @Test("the error for a denied delete names the reference", arguments: TestBackend.available)
    func denied(backend: TestBackend) async throws {
        let one = try await refusal(on: backend) { tx, studio, _ in try tx.delete(studio) }
        #expect(
            one?.description
                == "foreignKey: 1 row of Film still refers to a Studio to be deleted, and the delete rule is deny. "
                + "Change or delete that row first. [Film.studio] [constraint reference_Film_studio]")
        let two = try await refusal(on: backend) { tx, studio, _ in
            try tx.insert(Film(title: "Another", studio: studio.id, year: 2007))
            try tx.delete(Studio.all)
        }
        #expect(
            two?.description
                == "foreignKey: 2 rows of Film still refer to a Studio to be deleted, and the delete rule is deny. "
                + "Change or delete those rows first. [Film.studio] [constraint reference_Film_studio]")
    }

    @Test("the error for a required attribute calculated as nil names it", arguments: TestBackend.available)
    func missingValue(backend: TestBackend) async throws {
        let error = try await refusal(on: backend) { tx, _, _ in
            let next = Operand.arithmetic(.attribute("sequel"), .add, .value(.int(1)))
            try tx.updateRows(
                of: "Film", set: [Assignment(attribute: "stars", value: next)], where: .constant(true))
        }
        #expect(
            error?.description
                == "notNull: The attribute needs a value, but the row has none. Give it one, or make the attribute "
                + "optional. [Film.stars]")
    }

    @Test(
        "the error for a calculated number out of range names the attribute", arguments: TestBackend.available
    )
    func outOfDomain(backend: TestBackend) async throws {
        let error = try await refusal(on: backend) { tx, _, _ in
            let more = Operand.arithmetic(.attribute("stars"), .add, .value(.int(300)))
            try tx.updateRows(
                of: "Film", set: [Assignment(attribute: "stars", value: more)], where: .constant(true))
        }
        #expect(
            error?.description
                == "check: The attribute's type cannot hold this number. Store another one, or give the attribute a "
                + "wider type. [Film.stars] [constraint check_Film_stars]")
    }

    @Test("the error for a raw value without a case names the attribute", arguments: TestBackend.available)
    func noCase(backend: TestBackend) async throws {
        let error = try await refusal(on: backend) { tx, _, _ in
            try tx.updateRows(
                of: "Film", set: [Assignment(attribute: "rating", value: .attribute("title"))],
                where: .constant(true))
        }
        #expect(
            error?.description
                == "check: The value is not a case of the attribute's enum. Store the raw value of one of its cases. "
                + "[Film.rating] [constraint check_Film_rating]")
    }

    /// A tenant of five parts of an estate, each deleted with the estate unless it has a tenant.
    private func estate() throws -> Schema {
        let parts = ["Eyrie", "Cellar", "Attic", "Den", "Barn"]
        let estate = Entity(
            "Estate", attributes: [Attribute("id", type: .uuid)],
            relationships: parts.map {
                Relationship($0.lowercased(), target: $0, inverse: "estate", deleteRule: .cascade)
            })
        let tenant = Entity(
            "Tenant",
            attributes: [Attribute("id", type: .uuid)]
                + parts.map {
                    Attribute($0.lowercased(), type: .uuid, isOptional: true, reference: $0)
                })
        let halls = parts.map { part in
            Entity(
                part,
                attributes: [
                    Attribute("id", type: .uuid), Attribute("estate", type: .uuid, reference: "Estate"),
                ],
                relationships: [
                    Relationship(
                        "tenants", target: "Tenant", inverse: part.lowercased(), deleteRule: .deny)
                ])
        }
        return try Schema(version: SchemaVersion(1), entities: [estate, tenant] + halls)
    }

    @Test(
        "if several rules deny a cascade, the error names the first in the schema",
        arguments: TestBackend.available
    )
    func severalDenied(backend: TestBackend) async throws {
        try await backend.withStore(try estate()) { store in
            let estate = StoredValue.uuid(UUID())
            let halls = ["Eyrie", "Cellar", "Attic", "Den", "Barn"].map { ($0, StoredValue.uuid(UUID())) }
            try await store.write { tx in
                try tx.insertRows(into: "Estate", [[estate]])
                for (name, id) in halls { try tx.insertRows(into: name, [[id, estate]]) }
                try tx.insertRows(into: "Tenant", [[.uuid(UUID())] + halls.map(\.1)])
            }
            let error = await #expect(throws: StoreError.self) {
                try await store.write { try $0.deleteRows(of: "Estate", where: .constant(true)) }
            }
            #expect(error?.code == .foreignKey)
            #expect(error?.constraint == "reference_Tenant_attic")
            #expect(error?.entity == "Tenant")
            #expect(error?.attribute == "attic")
        }
    }
}
