import Foundation
import PostgresStore
import SQLiteStore
import Switchyard
import SwitchyardCore
import SwitchyardMirror
import Testing

@Suite("switchyard mirror, for a mirror that an app has begun")
struct MirrorTests {
    let bench: Workbench

    init() throws { bench = try Workbench(program: "switchyard") }

    private func registry() throws -> PluginRegistry {
        try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self])
    }

    /// Makes a store a mirror, as an app does, and exchanges.
    private func begin(
        _ file: String, _ server: String, _ model: any VersionedSchema.Type = Dairy.self,
        functions: MergeFunctions = MergeFunctions(),
        _ body: @escaping @Sendable (WriteTransaction) throws -> Void = { _ in }
    ) async throws {
        let local = try await registry().open(
            url: "sqlite:" + bench.url(file).path, schema: model,
            options: OpenOptions(keepsHistory: true, author: "dairy"))
        let place = StorePlace(url: server, registry: try registry(), schema: try model.schema)
        let store = try await MirroredStore.open(
            local, mirroring: .direct(place, functions: functions), device: file)
        try await store.exchange()
        try await store.write(body)
        try await store.close()
    }

    /// Writes to a store alone, as a widget does.
    private func write(
        _ file: String, _ body: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws {
        let store = try await Dairy.open("sqlite:" + bench.url(file).path)
        try await store.write(body)
        try await store.close()
    }

    @Test("exchange carries rows between two files, and verify compares", arguments: Backend.available)
    func exchange(backend: Backend) async throws {
        try await backend.withPlaces(bench) { server, _ in
            try await Dairy.make("sqlite:" + bench.url("barn.db").path)
            try await begin("barn.db", server)
            try await begin("field.db", server)
            try await write("barn.db") { _ = try $0.insert(Dairy.Cow(name: "Frieda")) }
            #expect(
                try await bench.succeed("mirror", "status", "barn.db").output.contains(
                    "pending        1 write\n"))
            for file in ["barn.db", "field.db"] {
                #expect(
                    try await bench.succeed("mirror", "exchange", file, "--server", server).output
                        == "up to date\n")
            }
            #expect(try await bench.succeed("tables", "field.db").output.hasPrefix("Cow: 3 rows\n"))
            let verified = try await bench.succeed("mirror", "verify", "field.db", "--server", server).output
            #expect(verified.contains("Cow: 3 rows, ") && verified.contains(": equal\n"))
            #expect(
                try await bench.succeed("mirror", "status", server).output
                    == "The store is the server of a mirror.\nconflicts      0\n")
        }
    }

    @Test("status changes no byte, and tells the same as JSON")
    func status() async throws {
        let server = "sqlite:" + bench.url("server.db").path
        try await begin("barn.db", server) { _ = try $0.insert(Dairy.Cow(name: "Frieda")) }
        let before = try bench.files()
        let told = try await bench.succeed("mirror", "status", "barn.db", "--json").members()
        #expect(told["part"] == "device")
        #expect(told["pending"] == "1")
        #expect(told["server"] == .some(nil))
        #expect(
            try await bench.succeed("mirror", "conflicts", "barn.db").output == "There are no conflicts.\n")
        #expect(try bench.files() == before)
    }

    @Test("a rejected write is shown, made again or forgotten")
    func rejected() async throws {
        let server = "sqlite:" + bench.url("server.db").path
        try await begin("barn.db", server)
        try await begin("field.db", server)
        for file in ["barn.db", "field.db"] {
            try await write(file) { _ = try $0.insert(Dairy.Cow(name: "Frieda", weight: 500)) }
        }
        _ = try await bench.succeed("mirror", "exchange", "barn.db", "--server", server)
        #expect(
            try await bench.succeed("mirror", "exchange", "field.db", "--server", server).output
                == "up to date; 1 rejected\nSee the command mirror conflicts.\n")
        struct Told: Decodable {
            struct Rejected: Decodable {
                let id: String
                let author: String?
                let reason: String
                let entity: String
                let changes: [String]
            }
            let rejected: [Rejected]
        }
        let told: Told = try await bench.succeed("mirror", "conflicts", "field.db", "--json").json()
        let rejected = try #require(told.rejected.first)
        #expect(told.rejected.count == 1)
        #expect(rejected.author == "dairy")
        #expect(rejected.reason == "unique")
        #expect(rejected.entity == "Cow")
        let lines = try await bench.succeed("mirror", "conflicts", "field.db").output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0] == "\(rejected.id)  rejected, since another Cow has its unique key")
        #expect(lines[1].hasPrefix("  insert Cow "))
        // The name is still taken; once it is free, the write is made.
        let taken = try await bench.run(["mirror", "conflicts", "field.db", "--retry", rejected.id])
        #expect(taken.status == 1)
        #expect(taken.isOneParagraph)
        try await write("field.db") { _ = try $0.update(Dairy.Cow.all, set: [.set(\.name, to: "Elsa")]) }
        #expect(
            try await bench.succeed("mirror", "conflicts", "field.db", "--retry", rejected.id).output
                == "There are no conflicts.\n")
        #expect(try await bench.succeed("tables", "field.db").output.hasPrefix("Cow: 2 rows\n"))
        #expect(
            try await bench.succeed("mirror", "exchange", "field.db", "--server", server).output
                == "up to date\n")
    }

    @Test("a schema that merges by a function of its app is refused, even if the function was added later")
    func functions() async throws {
        let server = "sqlite:" + bench.url("server.db").path
        try await begin("barn.db", server, Journal.self)
        // The next release of the app, whose models have the same structure.
        let file = bench.url("later.db").path
        let plain = try await registry().open(
            url: "sqlite:" + file, schema: Journal.self, options: OpenOptions(keepsHistory: true))
        try await plain.close()
        let longer = MergeFunctions(["longer": { _, _, edit in edit }])
        try await begin(
            "later.db", "sqlite:" + bench.url("other.db").path, MergedJournal.self, functions: longer)
        for word in ["exchange", "verify"] {
            #expect(
                try await bench.fail(
                    1, "mirror", word, "later.db", "--server", "sqlite:" + bench.url("other.db").path
                ).contains("merges `text` by the function `longer`"))
        }
        _ = try await bench.succeed("mirror", "exchange", "barn.db", "--server", server)
    }

    @Test(
        "a call that cannot be understood ends with 2, and makes nothing",
        arguments: [
            (["mirror", "start", "barn.db"], "Unexpected argument 'start'"),
            (["mirror", "stop", "barn.db"], "Unexpected argument 'stop'"),
            (["mirror", "status"], "Missing expected argument '<store>'."),
            (["mirror", "exchange", "barn.db", "--server", "server.db"], "server.db"),
            (
                ["mirror", "verify", "barn.db", "--server", "sqlite:server.db", "--household", "home"],
                "store.mirror.scope is not the id of a scope"
            ),
            (["mirror", "conflicts", "barn.db", "--retry", "1", "--discard", "1"], "Give one of --restore"),
        ])
    func usage(arguments: [String], complaint: String) async throws {
        let outcome = try await bench.run(arguments)
        #expect(outcome.status == 2, "\(arguments)")
        #expect(outcome.output == "")
        #expect(outcome.isOneParagraph)
        #expect(outcome.error.contains(complaint), "\(outcome.error)")
        #expect(try bench.files().keys.sorted() == ["home"])
    }

    @Test("a store that is no mirror, and a server that is missing, are refused; nothing is made")
    func refusals() async throws {
        try await Dairy.make("sqlite:" + bench.url("dairy.db").path)
        let server = "sqlite:" + bench.url("server.db").path
        #expect(
            try await bench.fail(1, "mirror", "exchange", "dairy.db", "--server", server)
                == "switchyard: The store is not a mirror. Make it one with the command mirror start of its app; nothing was "
                + "changed.\n")
        try await begin("barn.db", server)
        let gone = "sqlite:" + bench.url("gone.db").path
        let before = try bench.files().keys.sorted()
        #expect(
            try await bench.fail(1, "mirror", "exchange", "barn.db", "--server", gone).contains(
                "There is no store at"))
        #expect(
            try await bench.fail(1, "mirror", "status", "missing.db").contains("There is no store at"))
        #expect(try bench.files().keys.sorted() == before)
    }
}

/// An app of two releases: the second merges its notes by a function of its own, which needs no new version.
private enum Journal: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Note.self]

    @Model
    struct Note {
        let id: ID
        var text: String
    }
}

private enum MergedJournal: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Note.self]

    @Model
    struct Note {
        let id: ID
        @Attribute(.merge(.custom("longer"))) var text: String
    }
}
