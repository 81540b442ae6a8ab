import Foundation
import Switchyard
import SwitchyardCore
import TestBackends
import Testing

private enum Diary1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Meal.self, Mood.self, Photo.self]

    @Model
    struct Meal {
        let id: ID
        var name: String
        var quantity: String
        var note: String?
        var photo: Photo.ID?
    }

    @Model
    struct Mood {
        let id: ID
        var valence: Int
        var labels: String
        var meal: Meal.ID?
    }

    @Model
    struct Photo {
        let id: ID
        var file: String
    }
}

private enum Diary2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Meal.self, Feeling.self, Photo.self]

    enum Taste: Int, CaseIterable, Codable, Sendable { case plain, sweet }

    @Model
    struct Meal {
        let id: ID
        @Attribute(.searchable) var name: String
        var grams: Double
        var note: Taste
        var photo: Photo.ID?
        var isShared: Bool = true
    }

    @Model
    struct Feeling {
        let id: ID
        var value: Decimal
        var meal: Meal.ID?
    }

    @Model
    struct Photo {
        let id: ID
        var file: String
    }
}

private enum Card1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Person.self]

    @Model
    struct Person {
        let id: ID
        var name: String
        var town: String
    }
}

/// The name is split and goes; the town stays, and has a length besides.
private enum Card2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Person.self]

    @Model
    struct Person {
        let id: ID
        var first: String
        var last: String?
        var town: String
        var length: Int
    }
}

private func diary(_ steps: [MigrationStep]) throws -> MigrationPlan {
    try MigrationPlan(
        [Diary1.self, Diary2.self],
        [.lightweight(fromVersion: Diary1.self, toVersion: Diary2.self, steps)])
}

private struct Unreadable: Error {}

private let toGrams = MigrationStep.convert(\Diary1.Meal.quantity, to: \Diary2.Meal.grams) { text in
    guard let ounces = Double(text) else { throw Unreadable() }
    return ounces * 28
}
private let toTaste = MigrationStep.convert(\Diary1.Meal.note, to: \Diary2.Meal.note) { note in
    note == "sweet" ? Diary2.Taste.sweet : .plain
}
private let toFeeling = MigrationStep.convert(Diary1.Mood.self, to: Diary2.Feeling.self) { mood in
    mood.labels == "none"
        ? nil
        : Diary2.Feeling(
            id: .init(mood.id.uuid), value: Decimal(mood.valence) / 10,
            meal: mood.meal.map { .init($0.uuid) })
}

@Suite("Steps that convert")
struct ConversionTests {
    private static let meals = (0..<700).map { number in
        Diary1.Meal(
            name: "Meal \(number)", quantity: "\(number)", note: number.isMultiple(of: 2) ? "sweet" : nil)
    }

    private func fill(_ open: TestBackend.Opener, _ options: OpenOptions, _ quantity: String = "0.5")
        async throws
    {
        try await open(try Diary1.schema, options).closing { store in
            let scope = options.scope.map { _ in MigrationTests.beside }
            _ = try await store.write(WriteOptions(scope: scope)) { tx in
                let photo = Diary1.Photo(file: "a.jpg")
                try tx.insert(photo)
                try tx.insert(contentsOf: Self.meals)
                try tx.insert(Diary1.Meal(name: "Last", quantity: quantity, photo: photo.id))
                try tx.insert(
                    contentsOf: (0..<600).map { number in
                        Diary1.Mood(
                            valence: number, labels: number < 300 ? "none" : "happy",
                            meal: Self.meals[number].id)
                    })
            }
        }
    }

    @Test("a step converts values and rows, and keeps all others", arguments: MigrationTests.places)
    func converts(_ backend: TestBackend, _ scope: StoreScope?) async throws {
        try await backend.withPlace { open in
            let options = OpenOptions(scope: scope, keepsHistory: true)
            try await fill(open, options)
            try await diary([toGrams, toTaste, toFeeling]).open(open, options).closing { store in
                let reading = scope.map { _ in ReadOptions(scopes: [MigrationTests.beside]) } ?? ReadOptions()
                let (meals, feelings, photos, found) = try await store.read(reading) { tx in
                    (
                        try tx.fetch(Diary2.Meal.all), try tx.fetch(Diary2.Feeling.all),
                        try tx.fetch(Diary2.Photo.all),
                        try tx.count(
                            Diary2.Meal.where(#Predicate { $0.name.localizedStandardContains("MEAL 69") }))
                    )
                }
                #expect(meals.count == 701)
                let grams: [Double] = (0..<700).map { Double($0) * 28 } + [14]
                #expect(Set(meals.map(\.grams)) == Set(grams))
                let sweet = meals.filter { $0.note == .sweet }
                #expect(sweet.count == 350)
                #expect(!meals.map(\.isShared).contains(false))
                let last = meals.first { $0.name == "Last" }
                #expect(last?.photo == photos.first?.id)
                #expect(last?.photo != nil)
                #expect(photos.count == 1)
                #expect(found == 11)
                let values = (300..<600).map { Decimal($0) / 10 }
                #expect(Set(feelings.map(\.value)) == Set(values))
                let ids = Dictionary(uniqueKeysWithValues: Self.meals.map { ($0.name, "\($0.id)") })
                let names = Dictionary(uniqueKeysWithValues: meals.map { ("\($0.id)", $0.name) })
                for feeling in feelings {
                    #expect(names[feeling.meal?.description ?? ""] == "Meal \(feeling.value * 10)")
                }
                for meal in meals where meal.name != "Last" { #expect(ids[meal.name] == "\(meal.id)") }
                let faults = try await store.check()
                #expect(faults == [])
            }
        }
    }

    private func card(_ steps: MigrationStep...) throws -> MigrationPlan {
        try MigrationPlan(
            [Card1.self, Card2.self],
            [.lightweight(fromVersion: Card1.self, toVersion: Card2.self, steps)])
    }

    private let toFirst = MigrationStep.convert(\Card1.Person.name, to: \Card2.Person.first) { name in
        String(name.prefix { $0 != " " })
    }
    private let toLast = MigrationStep.convert(\Card1.Person.name, to: \Card2.Person.last) { name in
        name.split(separator: " ").dropFirst().last.map(String.init)
    }
    private let toLength = MigrationStep.convert(\Card1.Person.town, to: \Card2.Person.length) { $0.count }

    @Test(
        "an attribute is split by one step for each part, in any order, and kept if both versions have it",
        arguments: TestBackend.available)
    func splits(_ backend: TestBackend) async throws {
        for plan in [try card(toFirst, toLast, toLength), try card(toLength, toLast, toFirst)] {
            try await backend.withPlace { open in
                try await open(try Card1.schema, OpenOptions()).closing { store in
                    try await store.write { tx in
                        try tx.insert(Card1.Person(name: "Ada King", town: "London"))
                        try tx.insert(Card1.Person(name: "Plato", town: "Athens!"))
                    }
                }
                try await plan.open(open).closing { store in
                    let people = try await store.read { tx in
                        try tx.fetch(Card2.Person.all.sorted(by: \.first))
                    }
                    #expect(people.map(\.first) == ["Ada", "Plato"])
                    #expect(people.map(\.last) == ["King", nil])
                    #expect(people.map(\.town) == ["London", "Athens!"])
                    #expect(people.map(\.length) == [6, 7])
                }
            }
        }
    }

    @Test("the part that a split leaves open is reported by the right name")
    func splitPlans() throws {
        func fault(_ steps: MigrationStep...) throws -> String {
            let error = #expect(throws: StoreError.self) {
                try MigrationPlan(
                    [Card1.self, Card2.self],
                    [.lightweight(fromVersion: Card1.self, toVersion: Card2.self, steps)])
            }
            #expect(error?.code == .schemaInvalid)
            return error?.message ?? ""
        }
        #expect(
            try fault(toFirst, toLast)
                == "The stage from 1.0.0 to 2.0.0 does not account for all values. Person.length is new: say "
                + "which value the rows get that have none.")
        #expect(try fault(toLast, toLength).contains("Person.first is new"))
        #expect(
            try fault(
                toFirst, toLast, .fill(\Card2.Person.length, with: 1),
                .convert(\Card1.Person.name, to: \Card2.Person.town) { $0 }
            ).contains(
                "converts Person.name to Person.town, which has values already, those of Person.town; convert the rows"
            ))
    }

    @Test("a conversion that throws leaves the store as it was", arguments: TestBackend.available)
    func fails(_ backend: TestBackend) async throws {
        try await backend.withPlace { open in
            try await fill(open, OpenOptions(), "a cup")
            let plan = try diary([toGrams, toTaste, toFeeling])
            await #expect(throws: Unreadable.self) { try await plan.open(open) }
            try await open(try Diary1.schema, OpenOptions(createsIfMissing: false)).closing { store in
                let count = try await store.read { try $0.count(Diary1.Meal.all) }
                #expect(count == 701)
            }
        }
    }

    @Test("a conversion of a missing attribute, and a missing conversion, are refused")
    func plans() throws {
        func fault(_ steps: MigrationStep...) throws -> String {
            let error = #expect(throws: StoreError.self) { try diary(steps) }
            #expect(error?.code == .schemaInvalid)
            return error?.message ?? ""
        }
        #expect(try fault(toGrams, toFeeling).contains("Meal.note has the type int and no longer text"))
        #expect(try fault(toTaste, toFeeling).contains("Meal.quantity is dropped"))
        #expect(
            try fault(toGrams, toTaste, toFeeling, .fill(\Diary2.Meal.grams, with: 1)).contains(
                "says something of Meal.grams"))
        #expect(
            try fault(toGrams, toTaste, toFeeling, .drop(\Diary1.Mood.labels)).contains(
                "says something of Mood.labels"))
    }
}
