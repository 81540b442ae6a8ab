import Foundation
import MemoryStore
import SwitchyardCore
import SwitchyardIntents
import Testing

/// A row as `@Model` would make it: these tests know the stores' protocol and not the macro.
private struct Child: Model {
    typealias ModelVersion = Unversioned
    static let entityName = "Child"
    static let entity = Result<Entity, StoreError>.success(
        Entity(
            "Child",
            attributes: [
                Attribute("id", type: .uuid), Attribute("name", type: .text), Attribute("meals", type: .int),
            ]))

    static func attributeName(of keyPath: PartialKeyPath<Child>) -> String? {
        keyPath == \Child.name
            ? "name" : keyPath == \Child.meals ? "meals" : keyPath == \Child.id ? "id" : nil
    }

    var id = Identifier<Child>()
    var name: String
    var meals = 0

    init(name: String) { self.name = name }

    init(from row: inout RowReader) throws {
        id = try row.read()
        name = try row.read()
        meals = try row.read()
    }

    func encode(into row: inout RowWriter) throws {
        try row.write(id)
        try row.write(name)
        try row.write(meals)
    }
}

private struct ChildEntity: IntentEntity {
    let id: Identifier<Child>
    let name: String
    static let typeDisplayRepresentation: TypeDisplayRepresentation = "Child"
    static let defaultQuery = ChildQuery()
    var displayRepresentation: DisplayRepresentation { "\(name)" }

    init(_ child: Child) {
        id = child.id
        name = child.name
    }
}

private struct ChildQuery: EntityQuery {
    func entities(
        for identifiers: [Identifier<Child>], in context: IntentContext
    ) async throws -> [ChildEntity] {
        try await context.store.read { transaction in
            try identifiers.compactMap { try transaction.find($0) }
        }.map(ChildEntity.init)
    }

    func suggestedEntities(in context: IntentContext) async throws -> [ChildEntity] {
        try await context.store.read { transaction in
            try transaction.fetch(Child.sorted(by: \.name))
        }.map(ChildEntity.init)
    }
}

private struct ServeMeal: Intent {
    static let title = "Serve Meal"
    @Parameter(title: "Child") var child: ChildEntity

    func perform(_ run: IntentRun) async throws -> IntentResult {
        let meals = try await run.store.write { transaction -> Int? in
            guard var row = try transaction.find(child.id) else { return nil }
            row.meals += 1
            return try transaction.update(row).meals
        }
        guard let meals else { return .result(dialog: "Could not find child.") }
        return .result(value: meals, dialog: "\(child) has had \(meals).")
    }
}

@Suite("Intents on a store")
struct StoreTests {
    private let context: IntentContext
    private let registry: IntentRegistry
    private let children = ["Mia", "Max", "Ben"].map { Child(name: $0) }

    init() async throws {
        let store = MemoryStore(schema: try Schema(version: SchemaVersion(1), models: [Child.self]))
        let children = children
        try await store.write { transaction in
            for child in children { try transaction.insert(child) }
        }
        context = IntentContext(store: store)
        registry = try IntentRegistry(
            [ServeMeal.self],
            shortcuts: [AppShortcut(intent: ServeMeal(), phrases: ["${child} has eaten"], shortTitle: "Meal")]
        )
    }

    @Test("intent entities are found in the store by name, beginning and id")
    func find() async throws {
        let id = children[0].id.description.uppercased()
        #expect(try await registry.run("ServeMeal", ["child": "mia"], in: context).dialog == "Mia has had 1.")
        #expect(try await registry.run("Serve Meal", ["child": "mi"], in: context).dialog == "Mia has had 2.")
        #expect(try await registry.run("ServeMeal", ["child": id], in: context).dialog == "Mia has had 3.")
        #expect(try await registry.say("Mia has eaten.", in: context).value as? Int == 4)
    }

    @Test("ambiguous and missing rows are errors that name the store's rows only as choices")
    func refused() async throws {
        let several = await #expect(throws: IntentError.self) {
            try await registry.run("ServeMeal", ["child": "m"], in: context)
        }
        #expect(several?.code == .needsDisambiguation)
        #expect(several?.choices == ["Max", "Mia"])
        #expect(several?.description.contains("Max") == false)
        let none = await #expect(throws: IntentError.self) {
            try await registry.run("ServeMeal", ["child": "Bne"], in: context)
        }
        #expect(none?.code == .notFound)
        #expect(none?.choices.first == "Ben")
        #expect(none?.description.contains("Ben") == false)
    }

    @Test("a row deleted before the intent performs is the intent's concern")
    func deleted() async throws {
        let child = children[2]
        var serve = ServeMeal()
        serve.child = ChildEntity(child)
        try await context.store.write { transaction in try transaction.delete(child.id) }
        #expect(try await serve.perform(in: context).dialog == "Could not find child.")
    }

    @Test("a store's error reaches the intent's caller unchanged")
    func storeError() async throws {
        try await context.store.close()
        let error = await #expect(throws: StoreError.self) {
            try await registry.run("ServeMeal", ["child": "mia"], in: context)
        }
        #expect(error?.code == .closed)
    }
}
