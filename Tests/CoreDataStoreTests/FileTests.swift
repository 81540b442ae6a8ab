import Foundation
import GRDB
import SwitchyardCore
import Testing

@testable import CoreDataStore

@Suite("Files of Core Data stores")
struct FileTests {
    private static var shape: Shape {
        var shape = Shape(entities: [.init(name: "Feed", attributes: [.init(name: "memo", type: 700)])])
        shape.rows = [.init(entity: "Feed", key: 1, values: ["memo": .text("one")])]
        return shape
    }

    /// The files of a directory with their bytes and times.
    private static func state(_ directory: URL) throws -> [String: [String]] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).reduce(into: [:]) { state, name in
            let path = directory.appending(path: name).path
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            let bytes = FileManager.default.contents(atPath: path).map { $0.base64EncodedString() } ?? ""
            state[name] = [bytes, "\(String(describing: attributes[.modificationDate]))"]
        }
    }

    @Test(
        "rows that only the WAL has are read, while the app has the file open, and nothing beside it changes")
    func log() async throws {
        try await withFile(of: Self.shape, inLog: true) { database, file in
            let queue = try DatabaseQueue(path: file.path)
            try await queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
            try await queue.write {
                try $0.execute(sql: "INSERT INTO ZFEED (Z_PK, Z_ENT, Z_OPT, ZMEMO) VALUES (2, 1, 1, 'two')")
            }
            let before = try Self.state(file.deletingLastPathComponent())
            #expect(before.keys.sorted() == ["default.store", "default.store-shm", "default.store-wal"])
            #expect(
                try await rows(database)["Feed"]?.compactMap { $0["memo"] } == [.text("one"), .text("two")])
            #expect(try Self.state(file.deletingLastPathComponent()) == before)
            try queue.close()
        }
    }

    @Test("a file is read with its WAL if its shared memory is missing, and none is made")
    func noSharedMemory() async throws {
        try await withFile(of: Self.shape, inLog: true) { _, file in
            let queue = try DatabaseQueue(path: file.path)
            try await queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
            try await queue.write {
                try $0.execute(sql: "INSERT INTO ZFEED (Z_PK, Z_ENT, Z_OPT, ZMEMO) VALUES (2, 1, 1, 'two')")
            }
            try await withDirectory { directory in
                let copy = directory.appending(path: "default.store")
                for suffix in ["", "-wal"] {
                    try FileManager.default.copyItem(atPath: file.path + suffix, toPath: copy.path + suffix)
                }
                let before = try Self.state(directory)
                #expect(
                    try await rows(database(copy))["Feed"]?.compactMap { $0["memo"] } == [
                        .text("one"), .text("two"),
                    ])
                #expect(try Self.state(directory) == before)
            }
            try queue.close()
        }
    }

    @Test("a file that is no Core Data store is refused, and so is one that is cut short, empty or missing")
    func refused() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "a.store")
            #expect(await code { _ = try await rows(database(file)) } == .notFound)
            try Data().write(to: file)
            #expect(await code { _ = try await rows(database(file)) } == .notAStore)
            try Data((0..<4_096).map { _ in UInt8.random(in: 0...255) }).write(to: file)
            #expect(await code { _ = try await rows(database(file)) } == .notAStore)
            try FileManager.default.removeItem(at: file)
            let queue = try DatabaseQueue(path: file.path)
            try await queue.write { try $0.execute(sql: "CREATE TABLE a (b)") }
            try queue.close()
            #expect(await code { _ = try await rows(database(file)) } == .notAStore)
            try FileManager.default.removeItem(at: file)
            try ShapeWriter.write(Self.shape, to: file)
            let whole = try Data(contentsOf: file)
            try whole.prefix(whole.count / 2).write(to: file)
            #expect(await code { _ = try await rows(database(file)) } == .corrupted)
        }
    }

    @Test("a model that cannot be read leaves the names of the tables, and a finding says why")
    func damagedModel() async throws {
        for (content, reason) in [
            ([UInt8](repeating: 0xFF, count: 40), "a block of an unknown kind"),
            (
                deflated(Array("no archive, but long enough to be looked at as one".utf8)),
                "not a binary property list"
            ),
        ] {
            try await withFile(of: Self.shape) { database, file in
                let queue = try DatabaseQueue(path: file.path)
                try await queue.write {
                    try $0.execute(sql: "UPDATE Z_MODELCACHE SET Z_CONTENT = ?", arguments: [Data(content)])
                }
                try queue.close()
                #expect(try await rows(database)["Feed"]?.first?["MEMO"] == .text("one"))
                let finding = try await read(database) { try $0.findings().first }
                #expect(finding?.code == .modelUnreadable && finding?.needsAcknowledgement == true)
                #expect(finding?.message.contains(reason) == true, "\(String(describing: finding))")
            }
        }
    }

    @Test("a default value of an unknown class is none, and those beside it are read")
    func defaults() async throws {
        let zero = [UInt8](repeating: 0, count: 14)
        func decimal(_ name: String) -> Shape.Attribute {
            .init(
                name: name, type: 400,
                defaultValue: .dictionary([
                    ("NS.exponent", .integer(-1)), ("NS.length", .integer(1)), ("NS.negative", .bool(true)),
                    ("NS.compact", .bool(true)), ("NS.mantissa.bo", .integer(1)),
                    ("NS.mantissa", .data([0x39, 0x30] + zero)),
                ]), defaultClass: name)
        }
        var shape = Shape(entities: [
            .init(
                name: "Feed",
                attributes: [
                    .init(
                        name: "colour", type: 700, defaultValue: .dictionary([("value", .integer(1))]),
                        defaultClass: "AppColour"),
                    .init(name: "count", type: 300, defaultValue: .integer(7)),
                    decimal("NSDecimalNumber"), decimal("NSDecimalNumberPlaceholder"),
                ])
        ])
        shape.rows = [.init(entity: "Feed", key: 1)]
        try await withFile(of: shape) { database, _ in
            let columns = try await read(database) { try $0.tables() }.first { $0.name == "Feed" }?.columns
            #expect(
                columns?.dropFirst().map(\.defaultValue) == [
                    .text("-1234.5"), .text("-1234.5"), nil, .integer(7),
                ], "\(String(describing: columns))")
            #expect(try await read(database) { try $0.findings() }.allSatisfy { $0.code == .bookkeeping })
        }
    }

    @Test("a default value that doubles at each level is none, and its model is read")
    func largeDefault() async throws {
        try await withFile(of: Self.shape) { database, file in
            let queue = try DatabaseQueue(path: file.path)
            try await queue.write {
                try $0.execute(
                    sql: "UPDATE Z_MODELCACHE SET Z_CONTENT = ?", arguments: [Data(deflated(Self.bomb()))])
            }
            try queue.close()
            #expect(try await rows(database)["Feed"]?.first?["memo"] == .text("one"))
        }
    }

    /// A model whose default value doubles at each level.
    private static func bomb() -> [UInt8] {
        var writer = ArchiveWriter()
        var level = writer.add(.string("lol"))
        for _ in 0..<30 { level = writer.array([WrittenObject](repeating: level, count: 10)) }
        let name = writer.add(.string("memo"))
        let attribute = writer.add(
            "NSAttributeDescription",
            [("NSPropertyName", name), ("NSAttributeType", .integer(700)), ("NSDefaultValue", level)])
        let members = writer.dictionary([("memo", attribute)])
        let entity = writer.add(
            "NSEntityDescription",
            [("NSEntityName", writer.add(.string("Feed"))), ("NSProperties", members)])
        let entities = writer.dictionary([("Feed", entity)])
        let root = writer.add("NSManagedObjectModel", [("NSEntities", entities)])
        return writer.bytes(root: root)
    }

    @Test("rows of an unknown entity, and values in another entity's column, need an acknowledgement")
    func strangeRows() async throws {
        var shape = Shape(entities: [
            .init(name: "Animal", isAbstract: true),
            .init(name: "Cat", parent: "Animal", attributes: [.init(name: "title", type: 700)]),
            .init(name: "Dog", parent: "Animal", attributes: [.init(name: "breed", type: 700)]),
        ])
        shape.rows = [.init(entity: "Cat", key: 1, values: ["title": .text("Dr")])]
        try await withFile(of: shape) { database, file in
            let queue = try DatabaseQueue(path: file.path)
            try await queue.write {
                try $0.execute(
                    sql:
                        "INSERT INTO ZANIMAL (Z_PK, Z_ENT) VALUES (5, 1), (6, 77); UPDATE ZANIMAL SET ZBREED = 'x' WHERE Z_PK = 1"
                )
            }
            try queue.close()
            let findings = try await read(database) { try $0.findings().filter(\.needsAcknowledgement) }
            #expect(
                findings.map { "\($0.code) \($0.table ?? "") \($0.rows)" } == [
                    "entityUnknown ZANIMAL 2", "valuesOfOthers Cat 1",
                ])
            #expect(findings[0].firstKeys == [.integer(5), .integer(6)])
        }
    }

    @Test("entities that inherit in a circle do not hang")
    func circle() async throws {
        try await withFile(of: Self.shape) { database, file in
            let queue = try DatabaseQueue(path: file.path)
            try await queue.write {
                try $0.execute(sql: "INSERT INTO Z_PRIMARYKEY VALUES (2, 'A', 3, 0), (3, 'B', 2, 0)")
            }
            try queue.close()
            #expect(try await rows(database)["Feed"]?.count == 1)
        }
    }

    @Test("URLs and settings of Core Data stores")
    func settings() throws {
        #expect(try CoreDataPlugin.settings(fromURL: "coredata:/a/b c.store") == ["path": "/a/b c.store"])
        #expect(
            try CoreDataPlugin.settings(fromURL: "swiftdata:///a%20b?pendingDeletes=kept") == [
                "path": "/a b", "pendingDeletes": "kept",
            ])
        #expect(throws: StoreError.self) { try CoreDataPlugin.settings(fromURL: "coredata:///a?readers=1") }
        #expect(throws: StoreError.self) {
            try PluginRegistry([CoreDataPlugin.self]).foreignDatabase(
                url: "coredata:///a?pendingDeletes=gone")
        }
    }
}
