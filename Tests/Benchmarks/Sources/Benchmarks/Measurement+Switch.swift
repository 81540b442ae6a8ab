import Foundation

extension Measurement {
    /// All rows of a store moved to another backend and compared there, against a tool that loads a database into another
    /// one and compares nothing; and a file moved to another directory.
    static let switching: [String: Work] = [
        "switch-to-postgres": { place, clock in
            let (file, server) = try prepareSwitch(place)
            try clock.timeOnThread { try switchStore(place, from: file, to: server) }
        },
        "switch-to-sqlite": { place, clock in
            let (file, server) = try prepareSwitch(place)
            try switchStore(place, from: file, to: server)
            try remove(place, "back.sqlite")
            try clock.timeOnThread {
                try switchStore(place, from: server, to: "sqlite:" + place.file("back.sqlite"))
            }
        },
        "verify": { place, clock in
            let (file, server) = try prepareSwitch(place)
            try switchStore(place, from: file, to: server)
            try clock.timeOnThread { try Tool.run(place.command, ["store", "verify", file, server]) }
        },
        "load-pgloader": { place, clock in
            let commands = place.file("switch.load")
            let target = try URLComponents(string: server()).flatMap { url in
                let items = Dictionary(
                    (url.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
                return
                    "postgresql://\(url.user ?? "")@unix:\(items["host"] ?? ""):\(items["port"] ?? "")\(url.path)"
            }
            try Data(
                """
                LOAD DATABASE FROM sqlite://\(place.file("feeds.sqlite"))
                INTO \(target ?? "")
                WITH include drop, create tables, create indexes, quote identifiers
                EXCLUDING TABLE NAMES LIKE 'switchyard%';

                """.utf8
            ).write(to: URL(filePath: commands))
            try clock.timeOnThread { try Tool.run("pgloader", [commands]) }
            try LibPQ(try server()).execute(
                #"DO $$ BEGIN ASSERT (SELECT count(*) FROM "public"."FeedSession") = \#(place.rows); END $$"#)
        },
        "prepare-gibibyte": { place, _ in
            // With their indexes, 4.7 million feeds take a GiB.
            let place = Place(
                directory: place.directory, rows: place.rows * 47 / 10, command: place.command)
            try await Feeds.store(place, "gibibyte.sqlite").close()
        },
        "relocate": { place, clock in
            let file = try fileToMove(place)
            try clock.timeOnThread {
                try Tool.run(
                    place.command,
                    ["store", "relocate", "--store", "sqlite:" + file, "--to", place.file("group")])
            }
        },
        "copy-twice-and-check": { place, clock in
            let file = try fileToMove(place)
            try clock.timeOnThread {
                for copy in ["first", "second"] { try Tool.run("cp", [file, place.file("group/" + copy)]) }
                try Tool.run("sqlite3", [place.file("group/first"), "PRAGMA integrity_check"])
            }
        },
    ]

    /// A fresh copy of the large store, on the disk, in a directory beside an empty one.
    private static func fileToMove(_ place: Place) throws -> String {
        for directory in ["app", "group"] {
            try remove(place, directory)
            try FileManager.default.createDirectory(
                atPath: place.file(directory), withIntermediateDirectories: false)
        }
        let file = place.file("app/gibibyte.sqlite")
        try FileManager.default.copyItem(atPath: place.file("gibibyte.sqlite"), toPath: file)
        sync()
        return file
    }

    /// A fresh copy of the feeds' store, and a place on the server without one.
    private static func prepareSwitch(_ place: Place) throws -> (file: String, server: String) {
        try remove(place, "switch.sqlite")
        try FileManager.default.copyItem(
            atPath: place.file("feeds.sqlite"), toPath: place.file("switch.sqlite"))
        try LibPQ(try server()).execute(#"DROP SCHEMA IF EXISTS "benchmark_switch" CASCADE"#)
        return ("sqlite:" + place.file("switch.sqlite"), try server() + "&schema=benchmark_switch")
    }

    private static func switchStore(_ place: Place, from source: String, to target: String) throws {
        try Tool.run(place.command, ["store", "switch", "--store", source, "--to", target, "--json"])
    }
}
