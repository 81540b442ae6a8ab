import Foundation
import SwitchyardCore
import Testing

@Suite("The records of where stores are")
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

    @Test("a store is found by every place where it was")
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

    @Test("an earlier place does not replace a later one")
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

    @Test("where a store is now, one that was there before is not looked for")
    func reused() throws {
        try withRegistry { registry in
            try registry.note(record(UUID(), 5, "x:5", "a:1"))
            try registry.note(record(UUID(), 2, "a:1", "y:1"))
            #expect(try registry.record(of: "a:1")?.generation == 2)
        }
    }

    @Test("a record is for its owner only, and a damaged one is named")
    func files() throws {
        try withRegistry { registry in
            let id = UUID()
            try registry.note(record(id, 2, "b:2", "a:1"))
            let file = "\(registry.path)/\(id.uuidString.lowercased()).json"
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

    @Test("two processes that note at once leave one whole record")
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
