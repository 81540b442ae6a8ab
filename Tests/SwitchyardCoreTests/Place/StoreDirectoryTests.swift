import Foundation
import SwitchyardCore
import Testing

@Suite("The files of a directory that is replaced file by file")
struct StoreDirectoryTests {
    @Test("a file that cannot be replaced leaves nothing of the new one")
    func notReplaced() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "switchyard-\(UUID().uuidString)")
        // A directory cannot be replaced by a file.
        try FileManager.default.createDirectory(
            at: path.appending(path: "taken"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: path) }
        let directory = try StoreDirectory(path.path, isWritable: true, createsIfMissing: false)
        #expect(throws: StoreError.self) { try directory.replace("taken", with: Data("new".utf8)) }
        #expect(try directory.names() == ["taken"])
        try directory.replace("free", with: Data("new".utf8))
        #expect(try directory.names().sorted() == ["free", "taken"])
    }
}
