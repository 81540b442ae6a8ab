import Foundation
import GRDB
import MemoryStore
import SQLiteStore
import Switchyard
import SwitchyardJSON
import SwitchyardTransfer
import Testing

enum LeagueSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Team.self, Player.self]

    @Model
    struct Team {
        #Unique<Team>([\.name])

        let id: ID
        var name: String
        @Relationship(deleteRule: .nullify, inverse: \Player.team)
        var players: ToMany<Player>
    }

    @Model
    struct Player {
        let id: ID
        var team: Team.ID?
        var name: String
        var score: Int = 0
        var joinedAt: Date
        var badges: [String]?
    }
}

enum RemindersSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [RemindersList.self, Reminder.self]

    @Model
    struct RemindersList {
        let id: ID
        var title: String
        @Relationship(deleteRule: .cascade, inverse: \Reminder.list)
        var reminders: ToMany<Reminder>
    }

    @Model
    struct Reminder {
        let id: ID
        var list: RemindersList.ID
        var title: String
        var dueDate: Date?
        var isFlagged: Bool = false
    }
}

private enum RealmCinemaSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Director.self, Film.self]

    @Model
    struct Director {
        let id: ID
        var name: String
    }

    @Model
    struct Film {
        let id: ID
        var title: String
        var director: Director.ID?
        var tags: [String]
    }
}

@Suite("The article on coming from Realm, GRDB or SQLiteData")
struct ComingFromRealmOrGRDBExamples {
    private typealias Film = RealmCinemaSchema.Film
    private typealias Director = RealmCinemaSchema.Director

    nonisolated struct FilmRecord: Decodable {
        let id: String
        let title: String
        let director: String?
        let tags: [String]
    }

    private let registry: PluginRegistry

    init() throws { registry = try PluginRegistry([SQLitePlugin.self]) }

    /// The tables of an article, as it shows them.
    nonisolated private func tables(_ number: Int) throws -> String {
        let article = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Sources/Switchyard/Switchyard.docc/ComingFromRealmOrGRDB.md")
        let blocks = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```sql\n")
        return try #require(blocks[number].components(separatedBy: "```").first)
    }

    private func withFile<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "switchyard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body(directory.appending(path: "old"))
    }

    @Test("a file of GRDB is converted, and an integer key becomes an id")
    func grdb() async throws {
        try await withFile { old in
            let queue = try DatabaseQueue(path: old.path)
            try await queue.write { db in
                try db.execute(sql: tables(1))
                try db.execute(sql: "INSERT INTO team (name) VALUES ('North')")
                try db.execute(
                    sql:
                        "INSERT INTO player (teamId, name, score, joinedAt, badges) VALUES (1, 'Ada', 3, ?, ?)",
                    arguments: [
                        Date(timeIntervalSince1970: 1_767_323_045.678),
                        try JSONEncoder().encode(["gold"]).text,
                    ])
                try db.execute(
                    sql: "INSERT INTO player (name, joinedAt) VALUES ('Bo', ?)",
                    arguments: [Date(timeIntervalSince1970: 0)])
            }
            try queue.close()
            let league = try AdoptionPlan(
                LeagueSchema.self,
                .table(
                    "player", as: LeagueSchema.Player.self,
                    .column("joinedAt", to: \.joinedAt, .date(.iso8601(in: .gmt)))),
                .ignored("grdb_migrations"))
            let database = try registry.foreignDatabase(url: "sqlite:" + old.path)
            let preview = try await league.preview(database)
            for fault in preview.faults { print(fault) }
            #expect(preview.faults == [])
            let place = MemoryStore.place(try LeagueSchema.schema)
            try await league.run(from: database, into: place)
            try await place.open(OpenOptions(createsIfMissing: false)).write { tx in
                let players = try tx.fetch(LeagueSchema.Player.sorted(by: \.name))
                #expect(players.map(\.score) == [3, 0] && players.map(\.badges) == [["gold"], nil])
                #expect(
                    players.map(\.joinedAt) == [1_767_323_045.678, 0].map { Date(timeIntervalSince1970: $0) })
                let team = try #require(try players[0].team.flatMap { try tx.find($0) })
                #expect(team.name == "North")
                try tx.delete(team.id)
                #expect(try tx.fetch(LeagueSchema.Player.all).allSatisfy { $0.team == nil })
            }
        }
    }

    @Test("a file of SQLiteData is converted, and its UUIDs stay the ids")
    func sqliteData() async throws {
        try await withFile { old in
            let queue = try DatabaseQueue(path: old.path)
            let (list, reminder) = (UUID(), UUID())
            try await queue.write { db in
                db.add(function: DatabaseFunction("uuid", argumentCount: 0) { _ in UUID().uuidString })
                try db.execute(sql: tables(2))
                try db.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
                try db.execute(
                    sql: "INSERT INTO remindersLists VALUES (?, 'Home')",
                    arguments: [list.uuidString.lowercased()])
                try db.execute(
                    sql: "INSERT INTO reminders VALUES (?, '2026-01-02 03:04:05.678', 1, ?, 'Milk')",
                    arguments: [reminder.uuidString.lowercased(), list.uuidString.lowercased()])
            }
            try queue.close()
            let reminders = try AdoptionPlan(
                RemindersSchema.self,
                .table("remindersLists", as: RemindersSchema.RemindersList.self),
                .table(
                    "reminders", as: RemindersSchema.Reminder.self,
                    .reference("remindersListID", to: \.list),
                    .column("dueDate", to: \.dueDate, .date(.iso8601(in: .gmt)))),
                .ignored("grdb_migrations"))
            let place = MemoryStore.place(try RemindersSchema.schema)
            try await reminders.run(
                from: try registry.foreignDatabase(url: "sqlite:" + old.path), into: place)
            let found = try await place.open(OpenOptions(createsIfMissing: false)).read { tx in
                try tx.fetch(RemindersSchema.Reminder.all)
            }
            #expect(found.map(\.id.uuid) == [reminder] && found.map(\.list.uuid) == [list])
            #expect(found[0].dueDate == Date(timeIntervalSince1970: 1_767_323_045.678) && found[0].isFlagged)
        }
    }

    @Test("objects of Realm arrive by files of JSON, with links, and with the same ids each time")
    func realm() async throws {
        let store = MemoryStore(schema: try RealmCinemaSchema.schema)
        try await withFile { file in
            let path = file.path
            @Sendable func importFilms(_ tx: WriteTransaction) throws -> Int {
                let realm = DerivedID(namespace: UUID(uuidString: "5e0f7b1c-64a5-4c0f-9b7e-0d5f6a1c2b3d")!)
                return try JSONRecords(path).forEach(FilmRecord.self) { old in
                    try tx.insert(
                        Film(
                            id: Film.ID(realm.uuid(["Film", old.id])), title: old.title,
                            director: old.director.map { Director.ID(realm.uuid(["Director", $0])) },
                            tags: old.tags))
                }
            }
            let written = """
                [{"id": "507f1f77bcf86cd799439011", "title": "Cléo", "director": "507f191e810c19729de860ea", "tags": ["Paris"]},
                {"id": "507f1f77bcf86cd799439012", "title": "Faces", "tags": []}]
                """
            try Data(written.utf8).write(to: file)
            let director = Director.ID(
                DerivedID(namespace: UUID(uuidString: "5e0f7b1c-64a5-4c0f-9b7e-0d5f6a1c2b3d")!).uuid([
                    "Director", "507f191e810c19729de860ea",
                ]))
            try await store.write { tx in
                try tx.insert(Director(id: director, name: "Agnès Varda"))
                #expect(try importFilms(tx) == 2)
            }
            let films = try await store.read { try $0.fetch(Film.sorted(by: \.title)) }
            #expect(films.map(\.director) == [director, nil] && films.map(\.tags) == [["Paris"], []])
            #expect(films[0].id.uuid != films[1].id.uuid)
        }
    }
}

extension Data {
    nonisolated fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
