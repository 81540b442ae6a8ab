internal import Foundation
internal import SwitchyardCSV
public import SwitchyardCore
internal import Synchronization

/// One JSON document with all rows of a store, to keep, read and restore from.
///
/// ```swift
/// let backup = JSONBackup(keys: ["Entry": "entries", "Goal": "goals"])
/// try await backup.write(store, toPath: "backup.json")
/// try await backup.restore(fromPath: "backup.json", into: store, mode: .merge)
/// ```
///
/// The document is an object: the number of its format, when it was written, the schema, and one array for each entity,
/// with one row on each line in the order of ids, so that two documents can be compared line by line:
///
/// ```json
/// {
///   "version": 1,
///   "exportDate": "2026-11-24T08:30:00.000Z",
///   "schema": {"version": "2.0.0", "fingerprint": "…"},
///   "entries": [
///     {"id": "0193…", "date": "2026-11-21T07:00:00.000Z", "amount": 2.5, "units": "mg"}
///   ],
///   "goals": []
/// }
/// ```
///
/// Every value survives. Integers and doubles are numbers, with texts such as `"Infinity"` for doubles that
/// JSON has no number for; decimals are texts; times are ISO 8601 in UTC, to the microsecond; days look like
/// `2026-11-21`; blobs are Base64; JSON is embedded. An attribute without a value is omitted. The history and
/// the store's marker are not part of the document. In a store with scopes, a document holds one scope.
public struct JSONBackup: Sendable {
    /// The number of the written format, and the only one that is read.
    public static let version = 1
    /// The names of the arrays, by the names of their entities; any other entity has its own name.
    public let keys: [String: String]
    /// The names of the entities whose arrays a document may lack; their rows then stay unchanged.
    public let optional: Set<String>

    /// Describes a document.
    public init(keys: [String: String] = [:], optional: Set<String> = []) {
        self.keys = keys
        self.optional = optional
    }

    /// Writes all rows of a store to a file.
    ///
    /// The rows come from one snapshot. The file is readable by its owner only, and appears under its name
    /// once it is complete.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - path: The file, in an existing directory.
    ///   - scope: The scope whose rows are written; nil for the one that the store was opened with.
    ///   - replacing: Whether an existing file is replaced.
    /// - Returns: The number of rows of each entity.
    /// - Throws: `JSONError` with code `exists`, `inputOutput` or `full`; `invalidArgument` if two arrays would have the
    ///   same name; as any read.
    /// - Complexity: Constant memory.
    @discardableResult
    public func write(
        _ store: any Store, toPath path: String, scope: StoreScope? = nil, replacing: Bool = false
    ) async throws -> [String: Int] {
        let entities = try entities(of: store.schema)
        let attempt = Attempt()
        return try await store.read(ReadOptions(scopes: scope.map { [$0] })) { tx in
            try JSONFile.naming(path) {
                // A body may run again, also after it has written its file.
                let replacing = replacing || attempt.hasWritten.load(ordering: .relaxed)
                let document = try DocumentWriter(FileByteSink(path: path, replacing: replacing))
                let counts = try document.write(entities, of: tx)
                attempt.hasWritten.store(true, ordering: .relaxed)
                return counts
            }
        }
    }

    /// The entities of a schema with the names of their arrays, in the order of the names.
    ///
    /// - Throws: `invalidArgument` if a name is used twice, or an entity is unknown.
    func entities(of schema: Schema) throws -> [(key: String, entity: Entity)] {
        if let name = Set(keys.keys).union(optional).subtracting(schema.entities.map(\.name)).sorted().first {
            throw StoreError(
                .invalidArgument, "The backup's format names \(name), which the store does not have.")
        }
        let entities = schema.entities.map { (key: keys[$0.name] ?? $0.name, entity: $0) }
        let names = DocumentHeader.names + entities.map(\.key)
        guard Set(names.map { Array($0.utf8) }).count == names.count else {
            throw StoreError(
                .invalidArgument,
                "Two parts of the backup would have the same name. Give the entities keys that differ, and are none of "
                    + DocumentHeader.names.joined(separator: ", ") + ".")
        }
        return entities.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}

/// The state that the runs of one read's body share.
private final class Attempt: Sendable {
    let hasWritten = Atomic(false)
}
