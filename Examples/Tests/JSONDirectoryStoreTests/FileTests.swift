import Foundation
import JSONDirectoryStore
import Switchyard
import Testing

@Suite("The files of a JSON directory")
struct FileTests {
    private let harness = JSONDirectoryHarness()

    @Test("rows are one to a line, under the names of their columns, and nil is left out")
    func layout() async throws {
        try await harness.withStore { store, path in
            let id = try #require(Baby.ID("01890a5d-ac96-774b-bcce-b302099a8057"))
            let feed = try #require(Feed.ID("01890a5d-ac96-774b-bcce-b302099a8058"))
            try await store.write { tx in
                try tx.insert(Baby(id: id, name: "Mía", weight: 3.50))
                try tx.insert(Feed(id: feed, amount: 120))
            }
            let babies = try String(
                contentsOf: JSONDirectoryHarness.rowFile(of: "Baby", in: path), encoding: .utf8)
            #expect(
                babies == """
                    [
                    {"id":{"uuid":"01890a5d-ac96-774b-bcce-b302099a8057"},"name":{"text":"Mía"},"weight":{"decimal":"3.5"}}
                    ]

                    """)
            let feeds = try String(
                contentsOf: JSONDirectoryHarness.rowFile(of: "Feed", in: path), encoding: .utf8)
            #expect(
                feeds == """
                    [
                    {"amount_ml":{"double":"120.0"},"id":{"uuid":"01890a5d-ac96-774b-bcce-b302099a8058"}}
                    ]

                    """)
        }
    }

    @Test("the directory and its files are for this user alone")
    func permissions() async throws {
        try await harness.withStore { store, path in
            try await store.write { try $0.insert(Baby(name: "Mia")) }
            let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
            #expect(names == ["Baby.1.json", "store.json"])
            func mode(_ path: String) throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            }
            #expect(try mode(path) == 0o700)
            for name in names { #expect(try mode("\(path)/\(name)") == 0o600) }
        }
    }

    @Test("a commit writes the entities that it changed, and removes what it replaced")
    func filesOfACommit() async throws {
        try await harness.withStore { store, path in
            let mia = Baby(name: "Mia")
            try await store.write { try $0.insert(mia) }
            try await store.write { try $0.insert(Feed(baby: mia.id)) }
            try await store.write { try $0.insert(Feed(baby: mia.id)) }
            let names = { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
            #expect(try names() == ["Baby.1.json", "Feed.3.json", "store.json"])
            _ = try await store.write { try $0.count(Feed.all) }
            #expect(try names() == ["Baby.1.json", "Feed.3.json", "store.json"])
        }
    }

    @Test("what was written is there when the directory is opened again")
    func openAgain() async throws {
        try await harness.withStore { store, path in
            let operation = OperationID()
            let mia = Baby(name: "Mia", weight: Decimal(string: "12345678901234567890.123456789012345678"))
            try await store.write(WriteOptions(operation: operation)) { try $0.insert(mia) }
            let identity = try await store.marker().storeID
            try await store.close()
            let again = try await harness.open(path)
            let weight = try await again.read { try $0.find(mia.id)?.weight?.description }
            #expect(weight == "12345678901234567890.123456789012345678")
            let found = try await again.read { tx in
                try tx.count(Baby.where(#Predicate { $0.name.localizedStandardContains("MIA") }))
            }
            #expect(found == 1)
            #expect(try await again.wasCommitted(operation))
            #expect(try await again.marker().storeID == identity)
            #expect(try await again.check() == [])
            try await again.close()
        }
    }

    @Test("an operation that seems old because the clock went ahead is still known")
    func wrongClock() async throws {
        try await harness.withStore { store, path in
            let (early, late) = (OperationID(), OperationID())
            try await store.write(WriteOptions(operation: early)) { try $0.insert(Baby(name: "Mia")) }
            let file = URL(filePath: path).appending(path: "store.json")
            let json = try JSONSerialization.jsonObject(with: try Data(contentsOf: file))
            var manifest = try #require(json as? [String: Any])
            var header = try #require(manifest["header"] as? [String: Any])
            header["operations"] = [early.description: ["time": 0, "number": 1]]
            manifest["header"] = header
            try JSONSerialization.data(withJSONObject: manifest).write(to: file)
            try await store.write(WriteOptions(operation: late)) { try $0.insert(Baby(name: "Emilia")) }
            #expect(try await store.wasCommitted(early))
            #expect(try await store.wasCommitted(late))
        }
    }

    @Test("a row edited by hand is read by the next transaction")
    func edited() async throws {
        try await harness.withStore { store, path in
            try await store.write { try $0.insert(Baby(name: "Mia")) }
            #expect(try await store.babies() == ["Mia"])
            let file = try JSONDirectoryHarness.rowFile(of: "Baby", in: path)
            let text = try String(contentsOf: file, encoding: .utf8)
            try Data(text.replacing("Mia", with: "Emilia").utf8).write(to: file)
            #expect(try await store.babies() == ["Emilia"])
        }
    }
}
