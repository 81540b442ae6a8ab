import Foundation
import SwitchyardCore

/// A schema with attributes of all types, a reference and a unique constraint.
enum Larder {
    static let schema = Result {
        try Schema(
            version: SchemaVersion(2, 0, 0),
            entities: [
                Entity(
                    "Jar",
                    attributes: [
                        Attribute("id", type: .uuid), Attribute("flag", type: .bool, isOptional: true),
                        Attribute("count", type: .int, isOptional: true),
                        Attribute("weight", type: .double, isOptional: true),
                        Attribute("price", type: .decimal, isOptional: true),
                        Attribute("label", type: .text, isOptional: true),
                        Attribute("picture", type: .blob, isOptional: true),
                        Attribute("filled", type: .timestamp, isOptional: true),
                        Attribute("best", type: .day, isOptional: true),
                        Attribute("notes", type: .json, isOptional: true),
                        Attribute("shelf", type: .uuid, isOptional: true, reference: "Shelf"),
                    ]),
                Entity(
                    "Shelf",
                    attributes: [
                        Attribute("id", type: .uuid), Attribute("name", type: .text),
                        Attribute(
                            "kind", type: .text, cases: [.text("open"), .text("closed")]),
                    ], uniqueConstraints: [UniqueConstraint(["name"])]),
            ])
    }

    static func id(_ number: Int) -> UUID {
        UUID(uuidString: "00000000-0000-7000-8000-" + String(format: "%012d", number)) ?? UUID()
    }

    static func shelf(_ number: Int, _ name: String) -> [StoredValue] {
        [.uuid(id(number)), .text(name), .text("open")]
    }

    /// A jar with nothing but an id and a shelf.
    static func jar(_ number: Int, on shelf: Int? = nil) -> [StoredValue] {
        [.uuid(id(number))] + [StoredValue](repeating: .null, count: 9)
            + [shelf.map { .uuid(id($0)) } ?? .null]
    }

    /// A store with two shelves and two jars.
    static func fill(_ store: any Store) async throws {
        try await store.write { tx in
            try tx.insertRows(into: "Shelf", [shelf(1, "top"), shelf(2, "bottom")])
            try tx.insertRows(into: "Jar", [jar(11, on: 1), jar(12)])
        }
    }

    /// All rows, in the order of entities and ids.
    static func rows(_ store: any Store) async throws -> [[[StoredValue]]] {
        try await store.read { tx in try tx.schema.entities.map { try tx.fetchRows(of: $0.name) } }
    }
}

/// A directory that is removed afterwards.
func withDirectory<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    let directory = FileManager.default.temporaryDirectory.appending(path: "switchyard-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try await body(directory.path)
}

/// Writes a file.
func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
}

/// Reads a file.
func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
}
