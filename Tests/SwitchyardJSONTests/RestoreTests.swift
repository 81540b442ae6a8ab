import Foundation
import SwitchyardCore
import SwitchyardJSON
import TestBackends
import Testing

@Suite("Restorations of a JSON backup")
struct RestoreTests {
    private let backup = JSONBackup(keys: ["Jar": "jars", "Shelf": "shelves"])
    private static let id1 = Larder.id(1).uuidString
    private static let id2 = Larder.id(2).uuidString

    /// A document with members in place of the two arrays.
    private func document(_ arrays: String, version: String = "1", schema: String? = nil) throws -> String {
        let own = try Larder.schema.get()
        let named = schema ?? #"{"version": "2.0.0", "fingerprint": "\#(own.fingerprint)"}"#
        return
            #"{"version": \#(version), "exportDate": "2026-11-24T08:30:00Z", "schema": \#(named), \#(arrays)}"#
    }

    /// Tries to restore a document into a store with rows, which must stay as they are.
    private func refusal(
        _ text: String, mode: JSONBackup.RestoreMode = .merge, on backend: TestBackend = .memory
    ) async throws -> any Error {
        try await withDirectory { directory in
            let path = directory + "/d.json"
            try Data(text.utf8).write(to: URL(filePath: path))
            return try await refusal(ofFile: path, mode: mode, on: backend)
        }
    }

    private func refusal(
        ofFile path: String, mode: JSONBackup.RestoreMode, on backend: TestBackend
    ) async throws -> any Error {
        try await backend.withStore(try Larder.schema.get()) { store in
            try await Larder.fill(store)
            let before = try await Larder.rows(store)
            let error = await #expect(throws: (any Error).self) {
                try await backup.restore(fromPath: path, into: store, mode: mode)
            }
            #expect(try await Larder.rows(store) == before)
            return try #require(error)
        }
    }

    @Test(
        "a replacing restoration leaves only the document's rows; a merging one keeps the others",
        arguments: TestBackend.available)
    func modes(_ backend: TestBackend) async throws {
        let text = try document(
            #""jars": [], "shelves": [{"id": "\#(Self.id1)", "name": "attic", "kind": "closed"}]"#)
        try await withDirectory { directory in
            try write(text, to: directory + "/d.json")
            try await backend.withStore(try Larder.schema.get()) { store in
                try await Larder.fill(store)
                let merged = try await backup.restore(
                    fromPath: directory + "/d.json", into: store, mode: .merge)
                #expect(
                    merged["Shelf"].map { [$0.read, $0.inserted, $0.updated, $0.deleted] } == [1, 0, 1, 0])
                #expect(
                    merged["Jar"].map { [$0.read, $0.inserted, $0.updated, $0.deleted] } == [0, 0, 0, 0])
                let attic: [StoredValue] = [.uuid(Larder.id(1)), .text("attic"), .text("closed")]
                #expect(
                    try await Larder.rows(store) == [
                        [Larder.jar(11, on: 1), Larder.jar(12)], [attic, Larder.shelf(2, "bottom")],
                    ])
                let replaced = try await backup.restore(
                    fromPath: directory + "/d.json", into: store, mode: .replace)
                #expect(
                    replaced["Shelf"].map { [$0.read, $0.inserted, $0.updated, $0.deleted] } == [1, 1, 0, 2])
                #expect(replaced["Jar"]?.deleted == 2)
                #expect(try await Larder.rows(store) == [[], [attic]])
                #expect(try await store.check() == [])
            }
        }
    }

    @Test(
        "a restoration can exchange unique names between rows", arguments: TestBackend.available)
    func exchange(_ backend: TestBackend) async throws {
        let text = try document(
            #""shelves": [{"id": "\#(Self.id1)", "name": "bottom", "kind": "open"}, "#
                + #"{"id": "\#(Self.id2)", "name": "top", "kind": "open"}], "jars": []"#)
        try await withDirectory { directory in
            try write(text, to: directory + "/d.json")
            try await backend.withStore(try Larder.schema.get()) { store in
                try await Larder.fill(store)
                try await backup.restore(fromPath: directory + "/d.json", into: store, mode: .replace)
                #expect(
                    try await Larder.rows(store)[1] == [Larder.shelf(1, "bottom"), Larder.shelf(2, "top")])
            }
        }
    }

    @Test("a missing optional array keeps its rows; a missing required one is an error")
    func missingArray() async throws {
        let text = try document(#""shelves": [{"id": "\#(Self.id1)", "name": "attic", "kind": "closed"}]"#)
        try await withDirectory { directory in
            try write(text, to: directory + "/d.json")
            try await TestBackend.memory.withStore(try Larder.schema.get()) { store in
                try await store.write { _ = try $0.insertRows(into: "Jar", [Larder.jar(12)]) }
                var backup = JSONBackup(keys: ["Jar": "jars", "Shelf": "shelves"])
                let error = await #expect(throws: JSONError.self) {
                    try await backup.restore(fromPath: directory + "/d.json", into: store, mode: .replace)
                }
                #expect(error?.code == .missing)
                #expect(error?.message.contains("has no jars") == true)
                backup = JSONBackup(keys: ["Jar": "jars", "Shelf": "shelves"], optional: ["Jar"])
                try await backup.restore(fromPath: directory + "/d.json", into: store, mode: .replace)
                #expect(try await Larder.rows(store)[0] == [Larder.jar(12)])
                #expect(try await Larder.rows(store)[1].count == 1)
            }
        }
    }

    /// A fault in a document, the code of the error, and its place.
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let arrays: String
        let code: JSONError.Code
        let place: String
        var testDescription: String { name }

        init(_ name: String, _ arrays: String, _ code: JSONError.Code, _ place: String) {
            (self.name, self.arrays, self.code, self.place) = (name, arrays, code, place)
        }
    }

    private static func shelf(_ members: String, id: String = "00000000-0000-7000-8000-000000000003")
        -> String
    {
        "\n\"jars\": [], \"shelves\": [\n{\"id\": \"00000000-0000-7000-8000-000000000004\", \"name\": \"Secret\", \"kind\": \"open\"},"
            + "\n{\"id\": \"\(id)\", \(members)}\n]"
    }

    private static func jar(_ members: String) -> String {
        "\n\"shelves\": [], \"jars\": [\n{\"id\": \"00000000-0000-7000-8000-000000000003\", \(members)}\n]"
    }

    static let faults = [
        Fault(
            "an unknown attribute", shelf(#""name": "Secret2", "kind": "open", "Secret": 1"#), .unknownName,
            "line 4, column 92, shelves[1]"),
        Fault(
            "an attribute twice", shelf(#""name": "a", "name": "Secret", "kind": "open""#), .duplicateName,
            "line 4, column 68, shelves[1].name"),
        Fault(
            "a missing attribute", shelf(#""kind": "open""#), .missing, "line 4, column 63, shelves[1].name"),
        Fault(
            "a null where a value is needed", shelf(#""name": null, "kind": "open""#), .invalidValue,
            "line 4, column 56, shelves[1].name"),
        Fault(
            "no case of an enum", shelf(#""name": "a", "kind": "Secret""#), .invalidValue,
            "line 4, column 69, shelves[1].kind"),
        Fault(
            "the same id twice",
            shelf(#""name": "a", "kind": "open""#, id: "00000000-0000-7000-8000-000000000004"), .duplicateID,
            "line 4, column 1, shelves[1].id"),
        Fault(
            "no UUID", shelf(#""name": "a", "kind": "open""#, id: "Secret"), .invalidValue,
            "line 4, column 8, shelves[1].id"),
        Fault(
            "U+0000", shelf(#""name": "Secret\u0000", "kind": "open""#), .invalidValue,
            "line 4, column 56, shelves[1].name"),
        Fault(
            "half a surrogate pair", shelf(#""name": "Secret\ud800", "kind": "open""#), .syntax,
            "line 4, column 69, shelves[1].name"),
        Fault(
            "an integer that is too great", jar(#""count": 9223372036854775808"#), .invalidValue,
            "line 3, column 57, jars[0].count"),
        Fault(
            "an integer with a fraction", jar(#""count": 1.5"#), .invalidValue,
            "line 3, column 57, jars[0].count"),
        Fault(
            "a double that is too great", jar(#""weight": 1e999"#), .invalidValue,
            "line 3, column 58, jars[0].weight"),
        Fault(
            "a decimal with 39 digits", jar(#""price": 123456789012345678901234567890123456789"#),
            .invalidValue, "line 3, column 57, jars[0].price"),
        Fault("a number with a leading zero", jar(#""count": 012"#), .syntax, "line 3, column 57, jars[0]"),
        Fault(
            "a word that JSON does not know", jar(#""weight": NaN"#), .syntax,
            "line 3, column 58, jars[0].weight"),
        Fault(
            "no Base64", jar(#""picture": "Secret!""#), .invalidValue, "line 3, column 59, jars[0].picture"),
        Fault(
            "a time without a zone", jar(#""filled": "2026-11-24T08:30:00""#), .invalidValue,
            "line 3, column 58, jars[0].filled"),
        Fault("no day", jar(#""best": "2026-02-30""#), .invalidValue, "line 3, column 56, jars[0].best"),
        Fault(
            "a name twice in a JSON value", jar(#""notes": {"Secret": 1, "Secret": 2}"#), .duplicateName,
            "line 3, column 83, jars[0].notes"),
        Fault(
            "a value of another kind", jar(#""label": {"Secret": 1}"#), .invalidValue,
            "line 3, column 57, jars[0].label"),
        Fault("a row that is no object", #""shelves": [], "jars": ["Secret"]"#, .invalidValue, "jars[0]"),
        Fault("an object in an array's place", #""shelves": {}, "jars": []"#, .syntax, "line 1"),
        Fault("an unknown part", #""shelves": [], "jars": [], "Secret": []"#, .unknownName, "line 1"),
        Fault("a part twice", #""shelves": [], "jars": [], "jars": []"#, .duplicateName, "line 1"),
        Fault("no comma between rows", #""shelves": [], "jars": [{} {}]"#, .syntax, "line 1"),
        Fault(
            "a comma after the last row",
            #""shelves": [], "jars": [{"id": "00000000-0000-7000-8000-000000000003"},]"#, .syntax, "line 1"),
    ]

    @Test("a fault in a JSON backup is reported with its place, and never with a value", arguments: faults)
    func fault(_ fault: Fault) async throws {
        for mode in JSONBackup.RestoreMode.allCases {
            let error = try await refusal(try document(fault.arrays), mode: mode)
            let found = try #require(error as? JSONError)
            #expect(found.code == fault.code, "\(found)")
            #expect(found.place.contains(fault.place), "\(found)")
            #expect(!"\(found)".contains("Secret"))
        }
    }

    @Test(
        "a fault behind many rows leaves the store unchanged, on every backend",
        arguments: TestBackend.available)
    func lateFault(_ backend: TestBackend) async throws {
        let rows = (100..<3_000).map { #"{"id": "\#(Larder.id($0))", "name": "s\#($0)", "kind": "open"}"# }
        let text = try document(
            #""shelves": [\#((rows + [#"{"id": 7}"#]).joined(separator: ",\n"))], "jars": []"#)
        for mode in JSONBackup.RestoreMode.allCases {
            let error = try await refusal(text, mode: mode, on: backend)
            #expect((error as? JSONError)?.index == 2_900)
        }
    }

    @Test(
        "a restoration with a dangling reference is refused, on every backend",
        arguments: TestBackend.available)
    func dangling(_ backend: TestBackend) async throws {
        let jars = #""jars": [{"id": "\#(Self.id1)"}, {"id": "\#(Self.id2)", "shelf": "\#(Larder.id(77))"}]"#
        for mode in JSONBackup.RestoreMode.allCases {
            let error = try await refusal(try document(#"\#(jars), "shelves": []"#), mode: mode, on: backend)
            let found = try #require(error as? JSONError)
            #expect(found.code == .danglingReference, "\(found)")
            #expect(found.place.contains("jars[1].shelf"), "\(found)")
        }
    }

    @Test(
        "a restoration with a row that has another one's key is refused, on every backend",
        arguments: TestBackend.available)
    func unique(_ backend: TestBackend) async throws {
        let shelves = #""shelves": [{"id": "\#(Larder.id(5))", "name": "top", "kind": "open"}]"#
        let error = try await refusal(try document(#"\#(shelves), "jars": []"#), on: backend)
        #expect((error as? StoreError)?.code == .unique)
    }

    @Test("a JSON backup that is cut off at any byte is refused")
    func truncated() async throws {
        let schema = try Larder.schema.get()
        try await withDirectory { directory in
            let path = directory + "/d.json"
            try await TestBackend.memory.withStore(schema) { store in
                try await Larder.fill(store)
                try await backup.write(store, toPath: path)
                let whole = try Data(contentsOf: URL(filePath: path))
                let before = try await Larder.rows(store)
                // The last byte is a line break.
                for count in 0..<whole.count - 1 {
                    try whole.prefix(count).write(to: URL(filePath: path))
                    let error = await #expect(throws: JSONError.self) {
                        try await backup.restore(fromPath: path, into: store, mode: .replace)
                    }
                    #expect(error?.code == .truncated || error?.code == .syntax)
                }
                #expect(try await Larder.rows(store) == before)
            }
        }
    }

    @Test("a JSON backup with trailing text, another encoding or deep nesting is refused")
    func wholes() async throws {
        let sound = try document(#""shelves": [], "jars": []"#)
        #expect((try await refusal(sound + " {}") as? JSONError)?.code == .syntax)
        #expect((try await refusal("[]") as? JSONError)?.code == .syntax)
        #expect((try await refusal("") as? JSONError)?.code == .truncated)
        let deep = String(repeating: "[", count: 100_000)
        let error = try await refusal(try document(#""shelves": [], "jars": [\#(deep)"#))
        #expect((error as? JSONError)?.code == .tooDeep)
        try await withDirectory { directory in
            let path = directory + "/d.json"
            try Data([0xFF, 0xFE] + sound.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }).write(
                to: URL(filePath: path))
            let utf16 = try await refusal(ofFile: path, mode: .merge, on: .memory)
            #expect((utf16 as? JSONError)?.code == .syntax)
            let half = #""shelves": [{"id": "\#(Self.id1)", "kind": "open", "name": "a"#
            let bytes =
                Data(try document(half).utf8).dropLast() + [0xC3, 0x28] + Data(#""}], "jars": []}"#.utf8)
            try bytes.write(to: URL(filePath: path))
            let latin = try await refusal(ofFile: path, mode: .merge, on: .memory)
            #expect((latin as? JSONError)?.code == .invalidUTF8)
            let missing = try await refusal(ofFile: directory + "/none.json", mode: .merge, on: .memory)
            #expect((missing as? JSONError)?.code == .inputOutput)
            let folder = try await refusal(ofFile: directory, mode: .merge, on: .memory)
            #expect((folder as? JSONError)?.code == .inputOutput)
        }
    }

    @Test("a JSON backup of another schema says what to do")
    func otherSchema() async throws {
        let arrays = #""shelves": [], "jars": []"#
        let cases = [
            (#"{"version": "1.0.0", "fingerprint": "x"}"#, "opened with version 1.0.0"),
            (#"{"version": "3.0.0", "fingerprint": "x"}"#, "newer version of the app"),
            (#"{"version": "2.0.0", "fingerprint": "x"}"#, "but not the same schema"),
        ]
        for (schema, advice) in cases {
            let error = try await refusal(try document(arrays, schema: schema)) as? JSONError
            #expect(error?.code == .wrongVersion)
            #expect(error?.message.contains(advice) == true)
        }
        #expect((try await refusal(try document(arrays, version: "2")) as? JSONError)?.code == .wrongVersion)
        #expect((try await refusal(try document(arrays, schema: "2")) as? JSONError)?.code == .invalidValue)
    }

    @Test(
        "the parts of a JSON backup may come in any order, with or without the schema, after a byte order mark"
    )
    func anyOrder() async throws {
        let text =
            "\u{FEFF}" + #"{"shelves":[{"kind":"open","name":"a","id":"\#(Self.id1)"}],"jars":[],"#
            + #""exportDate":"2026-11-24T08:30:00+01:00","version":1}"#
        try await withDirectory { directory in
            try write(text, to: directory + "/d.json")
            try await TestBackend.memory.withStore(try Larder.schema.get()) { store in
                try await backup.restore(fromPath: directory + "/d.json", into: store, mode: .merge)
                #expect(try await Larder.rows(store)[1] == [Larder.shelf(1, "a")])
            }
        }
    }
}
