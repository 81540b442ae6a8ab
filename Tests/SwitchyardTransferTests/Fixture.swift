import Foundation
import SwitchyardCore
import TestBackends

/// Notes in order, and the helpers to write and read them.
enum Notes {
    static let schema = Result {
        try Schema(
            version: SchemaVersion(1, 0, 0),
            entities: [
                Entity(
                    "Note",
                    attributes: [Attribute("id", type: .uuid), Attribute("text", type: .text)],
                    uniqueConstraints: [UniqueConstraint(["text"])])
            ])
    }

    /// Lends a place with a store of 1,500 notes, N0 and so on, and one without a store, and clears them away afterwards.
    static func withPlaces(
        _ from: TestBackend, _ to: TestBackend, _ body: (StorePlace, StorePlace) async throws -> Void
    ) async throws {
        let schema = try schema.get()
        try await from.withPlace(of: schema) { old in
            try await old.with { try await add((0..<1_500).map { "N\($0)" }, to: $0) }
            try await to.withPlace(of: schema) { new in try await body(old, new) }
        }
    }

    static func add(
        _ texts: some Sequence<String> & Sendable, to store: any Store, operation: OperationID? = nil
    ) async throws {
        try await store.write(WriteOptions(operation: operation)) { tx in
            _ = try tx.insertRows(into: "Note", texts.map { [.uuid(UUID()), .text($0)] })
        }
    }

    static func all(_ tx: ReadTransaction) throws -> Set<String> {
        Set(try tx.fetchRows(of: "Note").compactMap { if case .text(let text) = $0[1] { text } else { nil } })
    }

    /// The id of the note with a text.
    static func id(of text: String, in store: any Store) async throws -> UUID {
        let rows = try await store.read { tx in
            try tx.fetchRows(of: "Note", where: .compare(.attribute("text"), .equal, .value(.text(text))))
        }
        guard case .uuid(let id)? = rows.first?.first else {
            throw StoreError(.notFound, "There is no such note.")
        }
        return id
    }

    /// Looks for a note by its id.
    ///
    /// - Returns: The number of notes found.
    static func find(_ id: UUID, _ tx: ReadTransaction) throws -> Int {
        var found = 0
        try tx.driver.find(id, in: tx.schema.require("Note")) { _ in found += 1 }
        return found
    }

    static func all(in store: any Store) async throws -> Set<String> {
        try await store.read { try all($0) }
    }
}

/// A directory that is removed afterwards.
func withDirectory<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
    let directory = FileManager.default.temporaryDirectory.appending(path: "switchyard-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try await body(directory)
}

extension StoreError.Code {
    /// The codes with which one of several processes leaves the same switch to another.
    static let ofRivals: Set<StoreError.Code> = [
        .carriedOutElsewhere, .outOfService, .incompleteCopy, .serialization,
    ]
}
