internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// What `store.json` holds: what the store is, and which files are its rows.
///
/// It is the one file that is replaced, so replacing it is the commit.
struct Manifest: Codable, Sendable {
    /// Tells the file from any other JSON.
    private(set) var format = Self.formatName
    /// What every store says of itself.
    var marker: StoreMarker
    /// The number of the last commit.
    var commit = 0
    /// The commit that last wrote each entity; none for an entity without a file, which has no rows.
    var files: [String: Int] = [:]
    /// When each operation that was given an id was committed.
    private(set) var operations: [String: Operation] = [:]

    /// When an operation was committed.
    struct Operation: Codable, Sendable {
        /// The device's time in seconds since 1970.
        let time: Int
        /// The number of the commit, which is in order whatever the clock says.
        let commit: Int
    }

    static let fileName = "store.json"
    private static let formatName = "switchyard-json-directory-1"

    init(marker: StoreMarker) { self.marker = marker }

    /// The name of the file with the rows of an entity, such as `Feed.12.json`; nil if it has none.
    func fileName(of entity: String) -> String? { files[entity].map { "\(entity).\($0).json" } }

    /// Whether a name is that of a file of rows.
    static func isRowFile(_ name: String, in schema: Schema) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3 && parts[2] == "json" && Int(parts[1]) != nil
            && schema.entity(String(parts[0])) != nil
    }

    /// Reads the file's JSON.
    ///
    /// - Throws: `notAStore` for JSON of something else, `corrupted` for anything else.
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
        } catch {
            throw Self.damaged(path, underlying: error)
        }
        guard (0..<Int.max).contains(commit), files.values.allSatisfy({ (0...commit).contains($0) }) else {
            throw Self.damaged(path)
        }
    }

    /// Notes the id of the write that is about to be committed, and forgets old ones.
    ///
    /// - Throws: `duplicateOperation`.
    mutating func record(_ operation: OperationID, at time: Int) throws {
        let new = Operation(time: time, commit: commit + 1)
        guard operations.updateValue(new, forKey: operation.description) == nil else {
            throw StoreError.operationCommitted(operation)
        }
        let retention = Int(OperationID.retention)
        guard let first = operations.values.map(\.commit).sorted().dropLast(OperationID.leastKept).last else {
            return
        }
        // A clock that went ahead for a while has left operations that would not grow old for as long.
        operations = operations.filter { $0.value.commit > first || abs(time - $0.value.time) < retention }
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
