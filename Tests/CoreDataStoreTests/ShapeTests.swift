import Foundation
import SwitchyardCore
import Testing

@testable import CoreDataStore

@Suite("Core Data-shaped files")
struct ShapeTests {
    @Test("generated models and rows are read as they were written", arguments: UInt64(1)...200)
    func generated(seed: UInt64) async throws {
        let shape = ShapeGenerator.shape(seed: seed)
        try await withFile(of: shape) { database, _ in
            let (found, expected) = (try await rows(database), shape.expectedTables)
            #expect(found.keys.sorted() == expected.keys.sorted(), "seed \(seed)")
            for (table, rows) in expected { #expect(found[table] == rows, "seed \(seed), \(table)") }
            let findings = try await read(database) { try $0.findings() }
            #expect(findings.allSatisfy { !$0.needsAcknowledgement }, "seed \(seed): \(findings)")
        }
    }

    @Test(
        "sub-entities share a table: each has its rows, inherited attributes, and its own column of a shared name"
    )
    func inheritance() async throws {
        var shape = Shape(entities: [
            .init(name: "Animal", isAbstract: true, attributes: [.init(name: "name", type: 700)]),
            .init(name: "Cat", parent: "Animal", attributes: [.init(name: "title", type: 700)]),
            .init(name: "Dog", parent: "Animal", attributes: [.init(name: "title", type: 700)]),
        ])
        shape.rows = [
            .init(entity: "Dog", key: 1, values: ["name": .text("Rex"), "title": .text("Sir")]),
            .init(entity: "Cat", key: 2, values: ["name": .text("Tom"), "title": .text("Dr")]),
        ]
        try await withFile(of: shape) { database, _ in
            let found = try await rows(database)
            #expect(
                found == [
                    "Cat": [["Z_PK": .integer(2), "name": .text("Tom"), "title": .text("Dr")]],
                    "Dog": [["Z_PK": .integer(1), "name": .text("Rex"), "title": .text("Sir")]],
                ])
        }
    }

    @Test("without a model, names come from the tables in upper case, and a finding says so")
    func noModel() async throws {
        var shape = Shape(entities: [
            .init(
                name: "Feed",
                attributes: [.init(name: "endTime", type: 900), .init(name: "memoText", type: 700)])
        ])
        shape.rows = [.init(entity: "Feed", key: 1, values: ["endTime": .date(0), "memoText": .text("x")])]
        shape.hasModel = false
        try await withFile(of: shape) { database, _ in
            let found = try await rows(database)
            #expect(
                found["Feed"] == [
                    ["Z_PK": .integer(1), "ENDTIME": .timestamp(978_307_200_000_000), "MEMOTEXT": .text("x")]
                ])
            #expect(try await read(database) { try $0.findings().map(\.code) }.contains(.modelMissing))
        }
    }

    @Test(
        "an external value whose file is missing, or whose name leads elsewhere, cannot be read, and is no value"
    )
    func externalFile() async throws {
        var shape = Shape(entities: [
            .init(name: "Photo", attributes: [.init(name: "data", type: 1000, isExternal: true)])
        ])
        shape.rows = [
            .init(entity: "Photo", key: 1, values: ["data": .data([7, 8])]),
            .init(entity: "Photo", key: 2, values: ["data": .data([UInt8](repeating: 9, count: 500))]),
        ]
        try await withFile(of: shape) { database, file in
            #expect(
                try await rows(database)["Photo"]?.compactMap { $0["data"] } == [
                    .blob(Data([7, 8])), .blob(Data([UInt8](repeating: 9, count: 500))),
                ])
            try FileManager.default.removeItem(
                at: file.deletingLastPathComponent().appending(path: ".default_SUPPORT"))
            #expect(
                try await rows(database)["Photo"]?.compactMap { $0["data"] } == [
                    .blob(Data([7, 8])), .unreadable("its file in _EXTERNAL_DATA is missing"),
                ])
        }
        let files = ExternalFiles(ofStoreAt: "/tmp/x.store")
        for name in ["../../etc/passwd", "/etc/passwd", ""] {
            let bytes: [UInt8] = [2] + name.utf8 + [0]
            #expect(
                bytes.withUnsafeBytes { files.value($0) } == .unreadable("the name of its file is damaged"))
        }
    }

    @Test("external values are found beside the file that a link leads to")
    func link() async throws {
        var shape = Shape(entities: [
            .init(name: "Photo", attributes: [.init(name: "data", type: 1000, isExternal: true)])
        ])
        shape.rows = [
            .init(entity: "Photo", key: 1, values: ["data": .data([UInt8](repeating: 9, count: 500))])
        ]
        try await withFile(of: shape) { _, file in
            try await withDirectory { directory in
                let link = directory.appending(path: "link.store")
                try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
                #expect(
                    try await rows(database(link))["Photo"]?.compactMap { $0["data"] }
                        == [.blob(Data([UInt8](repeating: 9, count: 500)))])
            }
        }
    }

    @Test("an archive of other objects is offered as data, with a finding")
    func otherArchives() async throws {
        var shape = Shape(entities: [.init(name: "Note", attributes: [.init(name: "tags", type: 1800)])])
        shape.rows = [
            .init(entity: "Note", key: 1, values: ["tags": .texts(["a"])]),
            .init(entity: "Note", key: 2, values: ["tags": .data([1, 2, 3])]),
        ]
        try await withFile(of: shape) { database, _ in
            let found = try await rows(database)
            #expect(
                found["Note"]?.compactMap { $0["tags"] } == [
                    .text(#"["a"]"#), .blob(Data([1, 2, 3])),
                ])
            let finding = try await read(database) { try $0.findings().first { $0.code == .archivesAsData } }
            #expect(finding?.rows == 1 && finding?.firstKeys == [.integer(2)] && finding?.table == "Note")
        }
    }

    @Test("the first and the last time of a store's years are times")
    func dates() async throws {
        var shape = Shape(entities: [.init(name: "Feed", attributes: [.init(name: "endTime", type: 900)])])
        shape.rows = [
            .init(entity: "Feed", key: 1, values: ["endTime": .real(-62_135_596_800 - 978_307_200)]),
            .init(entity: "Feed", key: 2, values: ["endTime": .real(252_423_993_599.5)]),
            .init(entity: "Feed", key: 3),
        ]
        try await withFile(of: shape) { database, _ in
            let found = try await rows(database)
            #expect(
                found["Feed"]?.compactMap { $0["endTime"] } == [
                    .timestamp(-62_135_596_800_000_000), .timestamp(253_402_300_799_500_000),
                ])
            #expect(try await read(database) { try $0.findings() }.allSatisfy { !$0.needsAcknowledgement })
        }
    }

    @Test(
        "a date that no store can have leaves its column in seconds, and only that one",
        arguments: [true, false])
    func noDates(hasModel: Bool) async throws {
        var shape = Shape(entities: [
            .init(
                name: "Feed", attributes: [.init(name: "end", type: 900), .init(name: "start", type: 900)])
        ])
        shape.hasModel = hasModel
        shape.rows = [
            .init(entity: "Feed", key: 1, values: ["start": .date(0.5), "end": .date(0.5)]),
            // Date.distantPast, Date.distantFuture is one of a store's years.
            .init(entity: "Feed", key: 2, values: ["start": .date(0.5), "end": .real(-63_114_076_800)]),
            .init(entity: "Feed", key: 3, values: ["start": .date(63_113_904_000), "end": .real(.infinity)]),
            .init(entity: "Feed", key: 4, values: ["start": .date(1.25), "end": .real(252_423_993_600)]),
            .init(entity: "Feed", key: 5),
        ]
        let names = hasModel ? ["start", "end"] : ["START", "END"]
        try await withFile(of: shape) { database, _ in
            let found = try await rows(database)
            #expect(
                found["Feed"]?.compactMap { $0[names[0]] } == [
                    .timestamp(978_307_200_500_000), .timestamp(978_307_200_500_000),
                    .timestamp(64_092_211_200_000_000), .timestamp(978_307_201_250_000),
                ])
            #expect(
                found["Feed"]?.compactMap { $0[names[1]] } == [
                    .real(0.5), .integer(-63_114_076_800), .real(.infinity), .integer(252_423_993_600),
                ])
            let columns = try await read(database) { try $0.tables() }.first?.columns
            #expect(columns?.first { $0.name == names[0] }?.type == "timestamp")
            #expect(columns?.first { $0.name == names[1] }?.type == "double")
            let findings = try await read(database) { try $0.findings() }.filter(\.needsAcknowledgement)
            #expect(findings.map { "\($0.code) \($0.table ?? "") \($0.rows)" } == ["datesAsNumbers Feed 3"])
            #expect(findings.first?.firstKeys == [.integer(2), .integer(3), .integer(4)])
            #expect(findings.first?.message.hasPrefix("3 values of \(names[1]) are no dates") == true)
        }
    }
}
