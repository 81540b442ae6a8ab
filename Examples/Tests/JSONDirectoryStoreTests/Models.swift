import Foundation
import Switchyard

enum DairySchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Baby.self, Feed.self]
}

@Model
struct Baby {
    #Unique<Baby>([\.name])
    let id: ID
    @Attribute(.searchable) var name: String
    var weight: Decimal?
    @Relationship(deleteRule: .cascade, inverse: \Feed.baby)
    var feeds: ToMany<Feed>
}

@Model
struct Feed {
    let id: ID
    var baby: Baby.ID?
    @Attribute(column: "amount_ml") var amount: Double = 0
}

extension JSONDirectoryHarness {
    /// Lends a new store and its directory, and removes both.
    func withStore(_ body: (any Store, String) async throws -> Void) async throws {
        let store = try await makeStore(try DairySchema.schema, busyTimeout: .seconds(60))
        do {
            try await body(store, store.info.location)
        } catch {
            await dispose(store)
            throw error
        }
        await dispose(store)
    }

    func open(_ path: String, _ options: OpenOptions = OpenOptions()) async throws -> any Store {
        try await open(path, try DairySchema.schema, options)
    }
}

extension Store {
    /// The names of all babies, sorted.
    func babies() async throws -> [String] {
        try await read { try $0.fetch(Baby.sorted(by: \.name)).map(\.name) }
    }
}
