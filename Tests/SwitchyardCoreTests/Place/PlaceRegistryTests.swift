import Foundation
import SwitchyardCore
import Testing

@Suite("The place registry")
struct PlaceRegistryTests {
    private func withRegistry(_ body: (PlaceRegistry) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "switchyard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(PlaceRegistry(path: directory.appending(path: "state/Places").path))
    }

    private func record(_ id: UUID, _ generation: Int64, _ location: String, _ formerly: String...)
        -> PlaceRecord
    {
        PlaceRecord(storeID: id, generation: generation, location: location, formerly: formerly)
    }

    @Test("the registry finds a store by every place where it was")
    func found() throws {
        try withRegistry { registry in
            let (id, other) = (UUID(), UUID())
            #expect(try registry.record(of: "a:1") == nil)
            try registry.note(record(id, 2, "b:2", "a:1"))
            try registry.note(record(other, 2, "x:2", "x:1"))
            try registry.note(record(id, 3, "c:3", "b:2"))
            for location in ["a:1", "b:2", "c:3"] {
                let found = try #require(try registry.record(of: location))
                #expect(found.storeID == id)
                #expect(found.generation == 3)
                #expect(found.location == "c:3")
                #expect(found.formerly == ["a:1", "b:2"])
            }
            #expect(try registry.record(of: "x:1")?.location == "x:2")
            #expect(try registry.record(of: "a:2") == nil)
            // Back to where it was.
            try registry.note(record(id, 4, "a:1", "c:3"))
            #expect(try registry.record(of: "b:2")?.location == "a:1")
            #expect(try registry.record(of: "a:1")?.formerly == ["b:2", "c:3"])
        }
    }

    @Test("an earlier place record does not replace a later one")
    func late() throws {
        try withRegistry { registry in
            let id = UUID()
            try registry.note(record(id, 3, "c:3", "b:2"))
            try registry.note(record(id, 2, "b:2", "a:1"))
            for location in ["a:1", "b:2"] {
                #expect(try registry.record(of: location)?.location == "c:3")
            }
        }
    }

    @Test("a place record of an earlier store is not followed where another store is now")
    func reused() throws {
        try withRegistry { registry in
            try registry.note(record(UUID(), 5, "x:5", "a:1"))
            try registry.note(record(UUID(), 2, "a:1", "y:1"))
            #expect(try registry.record(of: "a:1")?.generation == 2)
        }
    }

    @Test(
        "a copy of a store has place records of its own, in either order",
        arguments: [true, false])
    func copies(isOriginalFirst: Bool) throws {
        try withRegistry { registry in
            let id = UUID()
            let notes = [record(id, 2, "a:2", "live:1"), record(id, 2, "b:2", "trial:1")]
            for note in isOriginalFirst ? notes : notes.reversed() { try registry.note(note) }
            try registry.note(record(id, 3, "b:3", "b:2"))
            #expect(try registry.record(of: "live:1")?.location == "a:2")
            #expect(try registry.record(of: "a:2")?.location == "a:2")
            #expect(try registry.record(of: "a:2")?.formerly == ["live:1"])
            #expect(try registry.record(of: "trial:1")?.location == "b:3")
            #expect(try registry.record(of: "b:2")?.location == "b:3")
        }
    }

    @Test("place records that an earlier version kept by store id are read")
    func earlier() throws {
        try withRegistry { registry in
            let id = UUID()
            let text = """
                {"formerly": ["a:1", "b:2"], "generation": 3, "location": "c:3", "storeID": "\(id.uuidString)"}
                """
            try FileManager.default.createDirectory(
                atPath: registry.path, withIntermediateDirectories: true)
            let file = "\(registry.path)/\(id.uuidString.lowercased()).json"
            try Data(text.utf8).write(to: URL(filePath: file))
            #expect(try registry.record(of: "a:1")?.location == "c:3")
            #expect(try registry.record(of: "b:2")?.location == "c:3")
            try registry.note(record(id, 4, "d:4", "c:3"))
            #expect(try registry.record(of: "a:1")?.location == "d:4")
            #expect(try registry.record(of: "c:3")?.formerly == ["a:1", "b:2", "c:3"])
        }
    }

    @Test("place records beside the registry work after the directory has moved")
    func moved() throws {
        try withRegistry { registry in
            let (id, directory) = (UUID(), URL(filePath: registry.path).deletingLastPathComponent())
            let (other, old) = (directory.path + "-2", directory.path)
            try registry.note(record(id, 2, "sqlite:\(old)/new.sqlite", "sqlite:\(old)/store.sqlite"))
            try registry.note(record(id, 3, "sqlite://\(old)/a%3Fb.sqlite", "sqlite:\(old)/new.sqlite"))
            try FileManager.default.moveItem(atPath: old, toPath: other)
            let found = try PlaceRegistry(path: other + "/Places").record(of: "sqlite:\(other)/store.sqlite")
            #expect(found?.location == "sqlite://\(other)/a%3Fb.sqlite")
            #expect(
                found?.formerly.sorted() == ["sqlite:\(other)/new.sqlite", "sqlite:\(other)/store.sqlite"])
        }
    }

    @Test("a damaged place record does not stop the search for another store")
    func damaged() throws {
        try withRegistry { registry in
            try registry.note(record(UUID(), 2, "b:2", "a:1"))
            let file = try #require(try FileManager.default.contentsOfDirectory(atPath: registry.path).first)
            try Data("{\"generation\": 2".utf8).write(to: URL(filePath: "\(registry.path)/\(file)"))
            try registry.note(record(UUID(), 2, "y:2", "x:1"))
            #expect(try registry.record(of: "x:1")?.location == "y:2")
            #expect(try registry.record(of: "z:1") == nil)
            #expect(throws: StoreError.self) { try registry.record(of: "a:1") }
            // What the stores say themselves takes its place.
            try registry.note(record(UUID(), 2, "b:2", "a:1"))
            #expect(try registry.record(of: "a:1")?.location == "b:2")
        }
    }

    @Test("an unreadable registry directory is reported, and nothing of it assumed")
    func unreadable() throws {
        try withRegistry { registry in
            try FileManager.default.createDirectory(
                at: URL(filePath: registry.path).deletingLastPathComponent(),
                withIntermediateDirectories: true)
            try Data("a file".utf8).write(to: URL(filePath: registry.path))
            let error = #expect(throws: StoreError.self) { try registry.record(of: "a:1") }
            #expect(error?.code == .inputOutput)
            #expect(error?.message.contains(registry.path) == true)
        }
    }

    @Test("a place record is readable by its owner only, and a damaged one is named")
    func files() throws {
        try withRegistry { registry in
            let id = UUID()
            try registry.note(record(id, 2, "b:2", "a:1"))
            let names = try FileManager.default.contentsOfDirectory(atPath: registry.path)
            let file = "\(registry.path)/\(try #require(names.first))"
            for (path, mode) in [(registry.path, 0o700), (file, 0o600)] {
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == mode)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: registry.path).count == 1)
            try Data("{\"generation\": 2".utf8).write(to: URL(filePath: file))
            let damaged = #expect(throws: StoreError.self) { try registry.record(of: "a:1") }
            #expect(damaged?.code == .corrupted)
            #expect(damaged?.message.contains(file) == true)
            try FileManager.default.removeItem(atPath: file)
            try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
            let odd = #expect(throws: StoreError.self) { try registry.record(of: "a:1") }
            #expect(odd?.code == .inputOutput)
        }
    }

    @Test("two processes that write a place record at once leave one whole record")
    func concurrent() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "switchyard-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let id = UUID()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...40 {
                group.addTask {
                    let registry = PlaceRegistry(path: path)
                    try registry.note(
                        PlaceRecord(
                            storeID: id, generation: Int64(number), location: "p:\(number)", formerly: ["p:0"]
                        ))
                    #expect(try registry.record(of: "p:0") != nil)
                }
            }
            try await group.waitForAll()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 1)
    }
}
