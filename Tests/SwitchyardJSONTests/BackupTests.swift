import Foundation
import SwitchyardCore
import SwitchyardJSON
import TestBackends
import Testing

@Suite("JSON backups")
struct BackupTests {
    private let backup = JSONBackup(keys: ["Jar": "jars", "Shelf": "shelves"])

    /// A jar with a value of each type that is hard to write.
    private let full: [StoredValue] = [
        .uuid(Larder.id(10)), .bool(false), .int(.min), .double(0.1 + 0.2),
        .decimal(Decimal(string: "-0.0000000000000000000000000000000000001") ?? 0),
        .text("a\"b\\c\n\u{1}é \u{10FFFF}"), .blob(Data([0, 255, 7])), .timestamp(-1),
        CalendarDay(year: 2024, month: 2, day: 29).map { .day($0) } ?? .null,
        .json(#"{"a":[1e+40,null],"b":"\\"}"#), .uuid(Larder.id(1)),
    ]

    @Test("every value survives a JSON backup, on every backend", arguments: TestBackend.available)
    func roundTrip(_ backend: TestBackend) async throws {
        let schema = try Larder.schema.get()
        try await withDirectory { directory in
            let path = directory + "/back up é%?#.json"
            var rows: [[[StoredValue]]] = []
            try await backend.withStore(schema) { store in
                try await Larder.fill(store)
                let edges: [[StoredValue]] = [
                    [
                        .uuid(Larder.id(13)), .bool(true), .int(.max), .double(.infinity),
                        .decimal(Decimal(string: "99999999999999999999999999999999999999")!), .text(""),
                        .blob(Data()), .timestamp(253_402_300_799_999_999), .null, .json("null"), .null,
                    ],
                    [
                        .uuid(Larder.id(14)), .null, .int(0), .double(-.infinity), .decimal(4), .null, .null,
                        .timestamp(-62_135_596_800_000_000), .null, .json("[[]]"), .null,
                    ],
                    [
                        .uuid(Larder.id(15)), .null, .null, .double(.leastNonzeroMagnitude), .null, .null,
                        .null,
                        .timestamp(1_732_438_800_123_456), .null, .null, .null,
                    ],
                ]
                try await store.write { [full] tx in _ = try tx.insertRows(into: "Jar", [full] + edges) }
                let counts = try await backup.write(store, toPath: path)
                #expect(counts == ["Jar": 6, "Shelf": 2])
                rows = try await Larder.rows(store)
            }
            for other in TestBackend.available {
                for mode in JSONBackup.RestoreMode.allCases {
                    try await other.withStore(schema) { store in
                        let report = try await backup.restore(fromPath: path, into: store, mode: mode)
                        #expect(report["Jar"]?.inserted == 6)
                        #expect(try await Larder.rows(store) == rows)
                    }
                }
            }
        }
    }

    @Test("a JSON backup has one row on each line, in id order, without empty attributes")
    func text() async throws {
        let schema = try Larder.schema.get()
        try await withDirectory { directory in
            try await TestBackend.memory.withStore(schema) { store in
                try await Larder.fill(store)
                try await store.write { [full] tx in _ = try tx.insertRows(into: "Jar", [full]) }
                try await backup.write(store, toPath: directory + "/a.json")
            }
            let lines = try SwitchyardJSONTests.text(directory + "/a.json").split(separator: "\n").map(
                String.init)
            #expect(lines.count == 14)
            #expect(lines[0] == "{")
            #expect(lines[1] == #"  "version": 1,"#)
            #expect(lines[2].hasPrefix(#"  "exportDate": "20"#))
            #expect(
                lines[3] == #"  "schema": {"version": "2.0.0", "fingerprint": "\#(schema.fingerprint)"},"#)
            #expect(lines[4] == #"  "jars": ["#)
            #expect(
                lines[5]
                    == #"    {"id": "00000000-0000-7000-8000-000000000010", "flag": false, "count": -9223372036854775808, "weight": 0.30000000000000004, "price": "-0.0000000000000000000000000000000000001", "label": "a\"b\\c\n\u0001é \#u{10FFFF}", "picture": "AP8H", "filled": "1969-12-31T23:59:59.999999Z", "best": "2024-02-29", "notes": {"a":[1e+40,null],"b":"\\"}, "shelf": "00000000-0000-7000-8000-000000000001"},"#
            )
            #expect(
                lines[6]
                    == #"    {"id": "00000000-0000-7000-8000-000000000011", "shelf": "00000000-0000-7000-8000-000000000001"},"#
            )
            #expect(lines[7] == #"    {"id": "00000000-0000-7000-8000-000000000012"}"#)
            #expect(lines[8] == "  ],")
            #expect(lines[9] == #"  "shelves": ["#)
            #expect(
                lines[10]
                    == #"    {"id": "00000000-0000-7000-8000-000000000001", "name": "top", "kind": "open"},"#)
            #expect(lines[12] == "  ]")
            #expect(lines[13] == "}")
        }
    }

    @Test("a JSON backup replaces a file only on request, and is readable by its owner only")
    func existing() async throws {
        try await withDirectory { directory in
            let path = directory + "/a.json"
            try await TestBackend.memory.withStore(try Larder.schema.get()) { store in
                try write("mine", to: path)
                let error = await #expect(throws: JSONError.self) {
                    try await backup.write(store, toPath: path)
                }
                #expect(error?.code == .exists)
                #expect(try SwitchyardJSONTests.text(path) == "mine")
                try await backup.write(store, toPath: path, replacing: true)
                #expect(try SwitchyardJSONTests.text(path).hasPrefix("{\n"))
                try await backup.write(store, toPath: directory + "/b.json")
                let mode = try FileManager.default.attributesOfItem(atPath: directory + "/b.json")[
                    .posixPermissions]
                #expect(mode as? Int == 0o600)
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == [
                        "a.json", "b.json",
                    ])
            }
        }
    }

    @Test(
        "a JSON backup holds one scope, and is restored into one",
        arguments: TestBackend.shared)
    func scopes(_ backend: TestBackend) async throws {
        let home = StoreScope(), beside = StoreScope()
        try await withDirectory { directory in
            let path = directory + "/a.json"
            try await backend.withStore(try Larder.schema.get(), options: OpenOptions(scope: home)) { store in
                try await Larder.fill(store)
                try await store.write(WriteOptions(scope: beside)) { tx in
                    _ = try tx.insertRows(into: "Shelf", [Larder.shelf(1, "top"), Larder.shelf(7, "cellar")])
                }
                #expect(try await backup.write(store, toPath: path, scope: beside) == ["Jar": 0, "Shelf": 2])
                try await store.write(WriteOptions(scope: beside)) { tx in
                    _ = try tx.deleteRows(of: "Shelf", where: .constant(true))
                }
                let home = try await Larder.rows(store)
                try await backup.restore(fromPath: path, into: store, mode: .replace, scope: beside)
                #expect(try await Larder.rows(store) == home)
                let shelves = try await store.read(ReadOptions(scopes: [beside])) {
                    try $0.fetchRows(of: "Shelf")
                }
                #expect(shelves == [Larder.shelf(1, "top"), Larder.shelf(7, "cellar")])
            }
        }
    }

    @Test(
        "a restoration is one transaction of the history, and can be undone", arguments: TestBackend.available
    )
    func history(_ backend: TestBackend) async throws {
        try await withDirectory { directory in
            let path = directory + "/a.json"
            let options = OpenOptions(keepsHistory: true)
            try await backend.withStore(try Larder.schema.get(), options: options) { store in
                try await Larder.fill(store)
                try await backup.write(store, toPath: path)
                try await store.write { tx in
                    _ = try tx.deleteRows(of: "Jar", where: .constant(true))
                    _ = try tx.insertRows(into: "Shelf", [Larder.shelf(3, "new")])
                }
                let before = try await Larder.rows(store)
                try await backup.restore(fromPath: path, into: store, mode: .replace)
                #expect(try await Larder.rows(store) != before)
                let last = try #require(try await store.read { try $0.lastUndoable() })
                try await store.undo(last)
                #expect(try await Larder.rows(store) == before)
            }
        }
    }

    @Test("array keys that collide or name no entity are refused before anything is written")
    func keys() async throws {
        try await withDirectory { directory in
            try await TestBackend.memory.withStore(try Larder.schema.get()) { store in
                for backup in [
                    JSONBackup(keys: ["Jar": "schema"]), JSONBackup(keys: ["Jar": "Shelf"]),
                    JSONBackup(keys: ["Pot": "pots"]), JSONBackup(optional: ["Pot"]),
                ] {
                    let error = await #expect(throws: StoreError.self) {
                        try await backup.write(store, toPath: directory + "/a.json")
                    }
                    #expect(error?.code == .invalidArgument)
                }
                let files = try FileManager.default.contentsOfDirectory(atPath: directory)
                #expect(files.isEmpty)
            }
        }
    }
}
