import Foundation
import JSONDirectoryStore
import Switchyard
import Testing

@Suite("Damaged, foreign and half-written JSON directories")
struct DamageTests {
    private let harness = JSONDirectoryHarness()

    /// Opens the directory once something was done to it, which must be refused and change nothing.
    private func refusal(_ damage: @Sendable (String) throws -> Void) async throws -> StoreError.Code? {
        var found: StoreError.Code?
        try await harness.withStore { store, path in
            try await store.write { try $0.insert(Baby(name: "Mia")) }
            try await store.close()
            try damage(path)
            let before = try contents(of: path)
            found = await #expect(throws: StoreError.self) { try await harness.open(path) }?.code
            #expect(try contents(of: path) == before)
        }
        return found
    }

    private func contents(of path: String) throws -> [String: Data?] {
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        return Dictionary(
            names.map { ($0, FileManager.default.contents(atPath: "\(path)/\($0)")) },
            uniquingKeysWith: { first, _ in first })
    }

    @Test("a manifest that is cut short, empty or of a version to come is refused")
    func manifest() async throws {
        let cut = try await refusal { path in
            let whole = try #require(FileManager.default.contents(atPath: "\(path)/store.json"))
            try whole.prefix(whole.count / 2).write(to: URL(filePath: "\(path)/store.json"))
        }
        #expect(cut == .corrupted)
        let empty = try await refusal { try Data().write(to: URL(filePath: "\($0)/store.json")) }
        #expect(empty == .corrupted)
        let foreign = try await refusal { try Data("[1]".utf8).write(to: URL(filePath: "\($0)/store.json")) }
        #expect(foreign == .notAStore)
        let newer = try await refusal { path in
            let text = try String(contentsOfFile: "\(path)/store.json", encoding: .utf8)
            let changed = text.replacing(#""format" : 1"#, with: #""format" : 2"#)
            try #require(changed != text)
            try Data(changed.utf8).write(to: URL(filePath: "\(path)/store.json"))
        }
        #expect(newer == .schemaTooNew)
        let strange = try await refusal { path in
            let text = try String(contentsOfFile: "\(path)/store.json", encoding: .utf8)
            let changed = text.replacing(#""format" : 1"#, with: #""format" : 2"#)
                .replacing(#""generation" : 1"#, with: #""generation" : "one""#)
            try #require(changed != text)
            try Data(changed.utf8).write(to: URL(filePath: "\(path)/store.json"))
        }
        #expect(strange == .schemaTooNew)
        let remembered = try await refusal { path in
            let text = try String(contentsOfFile: "\(path)/store.json", encoding: .utf8)
            let late =
                #"{"01890a5d-ac96-774b-bcce-b302099a8057":{"number":9223372036854775807,"time":0}}"#
            let changed = text.replacing(
                try Regex(#""operations" : \{\s*\}"#), with: "\"operations\" : \(late)")
            try #require(changed != text)
            try Data(changed.utf8).write(to: URL(filePath: "\(path)/store.json"))
        }
        #expect(remembered == .corrupted)
        let absurd = try await refusal { path in
            let text = try String(contentsOfFile: "\(path)/store.json", encoding: .utf8)
            let changed = text.replacing(#""commit" : 1"#, with: #""commit" : 9223372036854775807"#)
            try #require(changed != text)
            try Data(changed.utf8).write(to: URL(filePath: "\(path)/store.json"))
        }
        #expect(absurd == .corrupted)
    }

    @Test("a file of rows that is missing, cut short, or holds what may not be is refused")
    func rows() async throws {
        let missing = try await refusal { try FileManager.default.removeItem(atPath: "\($0)/Baby.1.json") }
        #expect(missing == .corrupted)
        let cut = try await refusal { path in
            let whole = try #require(FileManager.default.contents(atPath: "\(path)/Baby.1.json"))
            try whole.dropLast(3).write(to: URL(filePath: "\(path)/Baby.1.json"))
        }
        #expect(cut == .corrupted)
        let id = #""id":{"uuid":"01890a5d-ac96-774b-bcce-b302099a8057"}"#
        for row in [
            #"{"name":{"text":"Mia"}}"#,
            "{\(id)}",
            #"{\#(id),"name":{"text":"Mia"},"height":{"int":"50"}}"#,
            #"{\#(id),"name":{"text":"Mia"},"weight":{"double":"3.5"}}"#,
            #"{\#(id),"name":{"text":"a\u0000b"}}"#,
            #"{\#(id),"name":{"text":"Mia"}},{\#(id),"name":{"text":"Leo"}}"#,
        ] {
            let planted = try await refusal {
                try Data("[\(row)]".utf8).write(to: URL(filePath: "\($0)/Baby.1.json"))
            }
            #expect(planted == .corrupted, "\(row)")
        }
    }

    @Test("an error names entity, attribute and row, and no value")
    func message() async throws {
        try await harness.withStore { store, path in
            try await store.write { try $0.insert(Baby(name: "Mia")) }
            let row =
                #"{"id":{"uuid":"01890a5d-ac96-774b-bcce-b302099a8057"},"name":{"text":"Mia"},"weight":{"text":"secret"}}"#
            try Data("[\(row)]".utf8).write(to: URL(filePath: "\(path)/Baby.1.json"))
            let error = await #expect(throws: StoreError.self) { try await store.babies() }
            #expect(
                error?.description
                    == "corrupted: The store holds a value of type text where one of type decimal belongs in the row "
                    + "01890a5d-ac96-774b-bcce-b302099a8057. [Baby.weight]")
            #expect(try await store.check().count == 1)
        }
    }

    @Test("a directory of something else, a file, and no directory are refused where no store may be made")
    func foreign() async throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "switchyard-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: place) }
        let options = OpenOptions(createsIfMissing: false)
        #expect(
            await #expect(throws: StoreError.self) { try await harness.open(place.path, options) }?.code
                == .notFound)
        #expect(!FileManager.default.fileExists(atPath: place.path))
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        #expect(
            await #expect(throws: StoreError.self) { try await harness.open(place.path, options) }?.code
                == .notFound)
        let letter = place.appending(path: "letter.txt")
        try Data("Dear Mia".utf8).write(to: letter)
        #expect(
            await #expect(throws: StoreError.self) { try await harness.open(place.path) }?.code == .notAStore)
        #expect(
            await #expect(throws: StoreError.self) { try await harness.open(letter.path) }?.code == .notAStore
        )
        #expect(try contents(of: place.path) == ["letter.txt": Data("Dear Mia".utf8)])
    }

    @Test("what a crash left of a commit is not read, and removed by the next one")
    func leftovers() async throws {
        try await harness.withStore { store, path in
            let mia = Baby(name: "Mia")
            try await store.write { try $0.insert(mia) }
            try await store.close()
            // The second commit had written a file of rows and half of the manifest.
            try Data("[{".utf8).write(to: URL(filePath: "\(path)/Baby.2.json"))
            try Data("{".utf8).write(to: URL(filePath: "\(path)/store.json.new"))
            let again = try await harness.open(path)
            #expect(try await again.babies() == ["Mia"])
            try await again.write { try $0.insert(Feed(baby: mia.id)) }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: path).sorted() == [
                    "Baby.1.json", "Feed.2.json", "store.json",
                ])
            #expect(try await again.babies() == ["Mia"])
            try await again.close()
        }
    }

    @Test("a store whose making a crash ended is made")
    func halfMade() async throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "switchyard-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: place) }
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try Data("{".utf8).write(to: place.appending(path: "store.json.new"))
        let store = try await harness.open(place.path)
        #expect(try await store.babies() == [])
        try await store.close()
    }

    @Test("a commit that cannot be written leaves the store as it was")
    func failedCommit() async throws {
        try await harness.withStore { store, path in
            try await store.write { try $0.insert(Baby(name: "Mia")) }
            // A directory in the place of the file to be written fails for every user, root included.
            let obstacle = "\(path)/store.json.new"
            try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
            #expect(
                await #expect(throws: StoreError.self) {
                    try await store.write { try $0.insert(Baby(name: "Leo")) }
                }?.code == .inputOutput)
            #expect(try await store.babies() == ["Mia"])
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: path).sorted() == [
                    "Baby.1.json", "store.json", "store.json.new",
                ])
            try FileManager.default.removeItem(atPath: obstacle)
            try await store.write { try $0.insert(Baby(name: "Leo")) }
            #expect(try await store.babies() == ["Leo", "Mia"])
        }
    }
}
