internal import Foundation
internal import SwitchyardCore

/// What `store.json` holds: the store's header, and which files are its rows.
///
/// It is the one file that is replaced, so replacing it is the commit.
struct Manifest: Codable, Sendable {
    /// Distinguishes the file from any other JSON.
    private(set) var format = Self.formatName
    /// The header that every store has, with its marker.
    private(set) var header: Snapshot.Header
    /// The number of the last commit.
    private(set) var commit = 0
    /// The commit that last wrote each table; none for a table without a file, which has no rows.
    private(set) var files: [String: Int] = [:]

    static let fileName = "store.json"
    static let draftName = fileName + StoreDirectory.draftSuffix
    private static let formatName = "switchyard-json-directory-1"

    /// The manifest of an empty store.
    init(header: Snapshot.Header) { self.header = header }

    /// The manifest of the commit after this one, which knows the tables that the store has then.
    func next(header: Snapshot.Header, changedTables: [String]) -> Manifest {
        var next = self
        next.header = header
        next.commit += 1
        for table in changedTables { next.files[table] = next.commit }
        let tables = Set(header.marker.schema.tables.map(\.table))
        next.files = next.files.filter { tables.contains($0.key) }
        return next
    }

    /// The name of the file with the rows of a table, such as `Feed.12.json`; nil if it has none.
    func fileName(of table: String) -> String? { files[table].map { "\(table).\($0).json" } }

    /// Whether a name is that of a file of rows.
    static func isRowFile(_ name: String, of tables: [String]) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3 && parts[2] == "json" && Int(parts[1]) != nil
            && tables.contains(String(parts[0]))
    }

    /// Reads the file's JSON.
    ///
    /// - Throws: `notAStore` for JSON of something else, `schemaTooNew` for a store of a version to come,
    ///   `corrupted` for anything else.
    init(_ data: Data, path: String) throws {
        struct Probe: Decodable { let format: String? }
        let decoder = JSONDecoder()
        do {
            guard try decoder.decode(Probe.self, from: data).format == Self.formatName else {
                throw Self.foreign(path)
            }
        } catch DecodingError.typeMismatch {
            throw Self.foreign(path)
        } catch let error as DecodingError {
            throw Self.damaged(path, underlying: error)
        }
        do {
            self = try decoder.decode(Self.self, from: data)
        } catch let error as DecodingError {
            throw Self.damaged(path, underlying: error)
        }
        guard (0..<Int.max).contains(commit), files.values.allSatisfy({ (0...commit).contains($0) }) else {
            throw Self.damaged(path)
        }
    }

    /// The JSON of the file.
    func data() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return try encoder.encode(self)
    }

    private static func foreign(_ path: String) -> StoreError {
        StoreError(
            .notAStore,
            "\(path) is not the directory of a Switchyard store: its \(fileName) says something else. Give another "
                + "path; nothing was changed.")
    }

    private static func damaged(_ path: String, underlying: (any Error)? = nil) -> StoreError {
        StoreError(
            .corrupted,
            "The file \(fileName) in \(path) is damaged. Bring it back from a backup; nothing was changed.",
            underlying: underlying)
    }
}
