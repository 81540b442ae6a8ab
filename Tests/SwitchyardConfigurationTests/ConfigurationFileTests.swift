import Foundation
import SwitchyardConfiguration
import SwitchyardCore
import Testing
import ToyPlugins

@Suite("Configuration files")
struct ConfigurationFileTests {
    /// Reads a configuration from a file with this text; the directory's path is replaced by DIR in a
    /// message.
    private func configuration(_ text: String, name: String = "toy.json") async throws -> StoreConfiguration {
        try await Toy.inDirectory { directory in
            try Toy.write(text, directory + "/" + name)
            do {
                return try await Toy.configuration(flags: ["config.file": directory + "/" + name])
            } catch let error as StoreError {
                throw StoreError(error.code, error.message.replacing(directory, with: "DIR"))
            }
        }
    }

    @Test("a JSON configuration is read, whatever the JSON types of its values")
    func json() async throws {
        let configuration = try await configuration(
            #"""
            {
              "profile": "debug",
              "store": {
                "backend": "postgres",
                "postgres": {
                  "host": "db.\u00e4\ud83c\udf7c\t\"\\\/", "port": 5433, "database": 12, "password": 12345678901234567890123
                },
                "sqlite": { "vacuum": true, "readers": "8", "busyTimeout": 2.5e-1 }
              },
              "feed.retries": 3,
              "app": {}
            }
            """#)
        #expect(configuration.backend == "postgres")
        #expect(configuration.settings.text("host") == "db.ä🍼\t\"\\/")
        #expect(configuration.settings.integer("port") == 5433)
        #expect(configuration.settings.text("database") == "12")
        #expect(configuration.settings.text("password") == "12345678901234567890123")
        #expect(configuration.values.integer("feed.retries") == 3)
        #expect(configuration.values.text("profile") == "debug")
        let entry = configuration.explanation.entries.first { $0.key == "store.sqlite.busyTimeout" }
        #expect(entry?.value == "2.5e-1")
        #expect(entry?.origin?.line == 8)
        #expect(entry?.isUsed == false)
    }

    @Test("a configuration may have a byte order mark and Windows line ends")
    func byteOrderMark() async throws {
        let configuration = try await configuration("\u{FEFF}{\r\n\"store.backend\": \"memory\"\r\n}\r\n")
        #expect(configuration.backend == "memory")
        #expect(configuration.explanation.entries.first { $0.key == "store.backend" }?.origin?.line == 2)
    }

    #if YAML
        @Test("a YAML configuration is read with its scalars as written")
        func yaml() async throws {
            let configuration = try await configuration(
                """
                # A comment.
                profile: debug
                store:
                  backend: postgres
                  postgres: {host: db.example, port: 5433, password: 0123}
                  sqlite:
                    vacuum: yes
                    path: "~/toy: 1.sqlite"
                feed.retries: 3
                """.replacing("~", with: "/home"), name: "toy.yaml")
            #expect(configuration.backend == "postgres")
            #expect(configuration.settings.text("host") == "db.example")
            #expect(configuration.settings.text("password") == "0123")
            #expect(configuration.values.integer("feed.retries") == 3)
            let entry = configuration.explanation.entries.first { $0.key == "store.sqlite.path" }
            #expect(entry?.value == "/home/toy: 1.sqlite")
            #expect(entry?.origin?.line == 8)
        }

        @Test("an empty YAML file sets nothing", arguments: ["", "# only a comment\n", "---\n", "~\n"])
        func emptyYAML(text: String) async throws {
            #expect(
                try await Toy.complaint { try await configuration(text, name: "a.yml") }.hasPrefix(
                    "No store is chosen."))
        }

        @Test(
            "a malformed YAML file is an error with a place, and shows none of its text",
            arguments: [
                ("store:\n  backend: [geheim", "line 3, column 1"),
                ("store: {backend: geheim", "line"),
                ("- geheim\n", "a configuration is a YAML mapping, `key: value` (line 1)"),
                ("geheim", "a configuration is a YAML mapping, `key: value` (line 1)"),
                ("store:\n\tbackend: geheim", "line 2"),
                ("store:\n  backend: memory\n  backend: memory\n", "`backend` is given twice (line"),
                (
                    "store.backend: memory\nstore:\n  backend: memory\n",
                    "`store.backend` is given twice, also in line 1 (line 3)"
                ),
                ("a: *geheim\n", "line 1"),
                ("? [a, b]\n: c\n", "a key is not text (line 1)"),
                ("store: geheim\n---\nstore: geheim\n", "line 2"),
                ("a: \"\\x\"\n", "line 1"),
            ])
        func malformedYAML(text: String, expected: String) async throws {
            let message = try await Toy.complaint { try await configuration(text, name: "a.yaml") }
            #expect(message.hasPrefix("The configuration file DIR/a.yaml cannot be used: "))
            #expect(message.contains(expected))
            #expect(!message.contains("geheim") || text.contains("*geheim"))
        }

        @Test("a YAML file with endless nesting or aliases is an error")
        func hugeYAML() async throws {
            let deep = String(repeating: "{a: ", count: 60_000)
            #expect(
                try await Toy.complaint { try await configuration(deep, name: "a.yaml") }.contains(
                    "cannot be used"))
            let lists = "a: " + String(repeating: "[", count: 60_000)
            #expect(
                try await Toy.complaint { try await configuration(lists, name: "a.yaml") }.contains(
                    "cannot be used"))
            var laughs = "a0: &a0 {x: 1, y: 2}\n"
            for level in 1...30 {
                let names = (0..<9).map { "k\($0): *a\(level - 1)" }.joined(separator: ", ")
                laughs += "a\(level): &a\(level) {\(names)}\n"
            }
            #expect(
                try await Toy.complaint { try await configuration(laughs, name: "a.yaml") }
                    .contains("there are too many settings, or they are nested too deeply"))
        }
    #endif

    @Test(
        "a malformed JSON file is an error with a place, and shows none of its values",
        arguments: [
            ("", "a configuration is a JSON object, in `{` and `}` (line 1, column 1)"),
            ("[]", "a configuration is a JSON object, in `{` and `}` (line 1, column 1)"),
            ("{", "expected a name in quotation marks (line 1, column 2)"),
            (
                "{\"store\": }",
                "expected a value: a text in quotation marks, a number, true, false or an object (line 1, column 11)"
            ),
            ("{\"store\" \"geheim\"}", "expected `:` after the name `store` (line 1, column 10)"),
            ("{\n  \"a\": 1,\n}", "expected a name in quotation marks (line 3, column 1)"),
            ("{\"a\": \"geheim}", "a text has no closing quotation mark (line 1, column 15)"),
            ("{\"a\": \"geheim\\", "a text has no closing quotation mark (line 1, column 15)"),
            (
                "{\"a\": \"ge\nheim\"}",
                "a text cannot hold a line break or another control character (line 1, column 10)"
            ),
            ("{\"a\": \"\\q\"}", "`\\` stands before a character that it cannot escape (line 1, column 10)"),
            ("{\"a\": \"\\u12\"}", "`\\u` needs four hexadecimal digits (line 1, column 10)"),
            ("{\"a\": \"\\ud800\"}", "a `\\u` escape is half of a surrogate pair (line 1, column 14)"),
            (
                "{\"a\": 012}",
                "expected a value: a text in quotation marks, a number, true, false or an object (line 1, column 7)"
            ),
            (
                "{\"a\": 1.}",
                "expected a value: a text in quotation marks, a number, true, false or an object (line 1, column 7)"
            ),
            (
                "{\"a\": geheim}",
                "expected a value: a text in quotation marks, a number, true, false or an object (line 1, column 7)"
            ),
            ("{\"a\": 1 \"b\": 2}", "expected `}` or `,` after a value (line 1, column 9)"),
            ("{\"a\": 12geheim}", "expected `}` or `,` after a value (line 1, column 9)"),
            (
                "{\"a\": truegeheim}",
                "expected a value: a text in quotation marks, a number, true, false or an object (line 1, column 7)"
            ),
            ("{\"a\": [1, 2}", "expected `]` or `,` in a list (line 1, column 12)"),
            ("{} geheim", "there is text after the end of the object (line 1, column 4)"),
            ("{\"a\": 1,\n \"a\": 2}", "`a` is given twice, also in line 1 (line 2)"),
            ("{\"a\": {\"b\": 1},\n \"a.b\": 2}", "`a.b` is given twice, also in line 1 (line 2)"),
        ])
    func malformedJSON(text: String, expected: String) async throws {
        let message = try await Toy.complaint { try await configuration(text) }
        #expect(
            message == "The configuration file DIR/toy.json cannot be used: \(expected). Correct the file. "
                + "It was given by the flag --config.")
    }

    @Test("a JSON file with endless nesting is an error")
    func deepJSON() async throws {
        for start in ["{\"a\": ", "{\"a\": [", "{\"a\": [[{\"b\": "] {
            let message = try await Toy.complaint {
                try await configuration(String(repeating: start, count: 50_000))
            }
            #expect(message.contains("nested too deeply"))
        }
        let list = "{\"a\": " + String(repeating: "[", count: 500_000)
        #expect(try await Toy.complaint { try await configuration(list) }.contains("nested too deeply"))
    }

    @Test(
        "an undeclared key names its line and the nearest key",
        arguments: [
            (
                "{\n\"store\": {\"backnd\": \"memory\"}}",
                "The key `store.backnd` in the file DIR/toy.json, line 2, is not a known setting. Did you mean `store.backend`? There "
                    + "are: store.backend, store.url, store.mirror.…, store.sqlite.…, store.postgres.…."
            ),
            (
                "{\"Store\": {\"backend\": \"memory\"}}",
                "The key `Store.backend` in the file DIR/toy.json, line 1, is not a known setting. Did you mean `store.backend`? There "
                    + "are: config.…, profile, app.…, feed.…, store.…."
            ),
            (
                "{\"store\": \"memory\"}",
                "The key `store` in the file DIR/toy.json, line 1, holds other keys, not a value. Did you mean "
                    + "`store.backend`? There are: store.backend, store.url, store.mirror.…, store.sqlite.…, store.postgres.…."
            ),
            (
                "{\"store\": {\"backend\": {\"name\": \"memory\"}}}",
                "The key `store.backend` in the file DIR/toy.json, line 1, is an object. Give it one value, or leave it out."
            ),
            (
                "{\"store\": {\"backend\": {}}}",
                "The key `store.backend` in the file DIR/toy.json, line 1, is an object. Give it one value, or leave it out."
            ),
            (
                "{\"store\": {\"backend\": null}}",
                "The key `store.backend` in the file DIR/toy.json, line 1, is null. Give it one value, or leave it out."
            ),
            (
                "{\"store\": {\"backend\": [\"memory\", {\"a\": []}]}}",
                "The key `store.backend` in the file DIR/toy.json, line 1, is a list. Give it one value, or leave it out."
            ),
            (
                "{\"config\": {\"file\": \"other.json\"}}",
                "The setting config.file cannot be given in the configuration file itself, because it "
                    + "locates that source. Use a flag or the environment."
            ),
        ])
    func unknownKey(text: String, expected: String) async throws {
        #expect(try await Toy.complaint { try await configuration(text) } == expected)
    }

    @Test("a value whose JSON type does not fit its setting is an error")
    func wrongType() async throws {
        #expect(
            try await Toy.complaint {
                try await configuration(#"{"store": {"backend": "sqlite", "sqlite": {"readers": true}}}"#)
            }
                == "The setting store.sqlite.readers cannot be `true`; it takes a whole number from 1 to 16. It was given by "
                + "the file DIR/toy.json, line 1.")
    }

    @Test("a missing required configuration file is an error, and a missing optional one is not")
    func missing() async throws {
        try await Toy.inDirectory { directory in
            let path = directory + "/none.json"
            #expect(
                try await Toy.complaint {
                    try await Toy.configuration(environment: ["SWITCHYARD_CONFIG_FILE": path])
                }
                    == "The configuration file \(path) does not exist. Give the path of a file that you may read, or leave it "
                    + "out. It was given by the environment variable SWITCHYARD_CONFIG_FILE.")
            let configuration = try await Toy.configuration(flags: ["store.url": "memory:"], file: path)
            #expect(configuration.backend == "memory")
        }
    }

    @Test(
        "an unreadable configuration file is an error",
        arguments: ["directory", "pipe", "large", "binary", "name"])
    func unreadable(kind: String) async throws {
        try await Toy.inDirectory { directory in
            var path = directory + "/a.json"
            switch kind {
            case "directory":
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            case "pipe": #expect(mkfifo(path, 0o600) == 0)
            case "large": try Data(count: 2 << 20).write(to: URL(filePath: path))
            case "binary": try Data([0x7B, 0xFF, 0xFE, 0x7D]).write(to: URL(filePath: path))
            default:
                path = directory + "/a.toml"
                try Toy.write("a = 1", path)
            }
            let expected = [
                "directory": "is not a file.", "pipe": "is not a file.",
                "large": "is larger than 1048576 bytes.",
                "binary": "is not UTF-8 text. Save it as UTF-8.",
                "name": "has no known format. Its name must end in .json, .yaml or .yml.",
            ]
            for given in [["config.file": path], [:]] {
                let message = try await Toy.complaint {
                    try await Toy.configuration(flags: given, file: path)
                }
                #expect(message.hasPrefix("The configuration file \(path) " + (expected[kind] ?? "")))
            }
        }
    }

    @Test(
        "a relative path is resolved against the configuration file's directory, and elsewhere against the current one"
    )
    func relativePath() async throws {
        try await Toy.inDirectory { directory in
            let file = directory + "/toy.json"
            try Toy.write(
                #"{"store": {"url": "sqlite:data/a.sqlite", "postgres": {"certificate": "/etc/ca.pem"}}}"#,
                file)
            let byFile = try await Toy.configuration(file: file)
            #expect(byFile.settings.text("path") == directory + "/data/a.sqlite")
            let byFlag = try await Toy.configuration(flags: ["store.url": "sqlite:data/b.sqlite"], file: file)
            #expect(byFlag.settings.text("path") == "data/b.sqlite")
        }
    }
}
