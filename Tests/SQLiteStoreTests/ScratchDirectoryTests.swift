import Foundation
import Testing

@testable import SQLiteStore

@Suite("Directories for temporary copies")
struct ScratchDirectoryTests {
    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test("a directory is this user's alone, and is removed with its object")
    func lifetime() throws {
        var path = ""
        do {
            let directory = try ScratchDirectory()
            path = directory.path
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
            try Data("copy".utf8).write(to: URL(filePath: path + "/copy"))
        }
        #expect(!exists(path))
    }

    @Test("what a killed process left is removed by the next one, and nothing that is in use or of others")
    func stale() throws {
        let living = try ScratchDirectory()
        try Data("copy".utf8).write(to: URL(filePath: living.path + "/copy"))
        let parent = URL(filePath: living.path).deletingLastPathComponent()
        let (left, other, link, file) = (
            parent.appending(path: "switchyard-copy-left").path,
            parent.appending(path: "switchyard-left").path,
            parent.appending(path: "switchyard-copy-link").path,
            parent.appending(path: "switchyard-copy-file").path
        )
        defer { for path in [left, other, link, file] { try? FileManager.default.removeItem(atPath: path) } }
        for path in [left, other] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            for name in ["copy", "lock"] {
                try Data(name.utf8).write(to: URL(filePath: path + "/" + name))
            }
        }
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: other)
        try Data().write(to: URL(filePath: file))
        let next = try ScratchDirectory()
        #expect(exists(living.path + "/copy") && exists(next.path))
        #expect(!exists(left) && exists(other + "/copy") && exists(link) && exists(file))
    }
}
