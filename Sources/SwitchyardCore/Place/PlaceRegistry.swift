internal import Foundation

/// The records of where switched stores are: a directory beside an app's configuration, which its programs share.
///
/// A configuration goes on naming the place where a store was; a record says where it is now. With it a store is found even
/// when the old one is out of reach, and a process that only reads learns of a switch at its next transaction. A record is
/// a shortcut: the stores themselves say the same, and have the last word.
///
/// Each store has a file of its own, replaced atomically, so that nothing has to be locked.
public struct PlaceRegistry: Sendable, Hashable {
    /// The directory.
    public let path: String

    /// The largest file that is accepted, in bytes.
    private static let sizeLimit = 1 << 20

    /// Names a directory, which is created with the first record, accessible to its owner only.
    public init(path: String) { self.path = path }

    /// The record of the store that is at a location, or else of the last one that was; nil if there is none.
    ///
    /// - Throws: `inputOutput` if the directory or a record in it cannot be read, `corrupted` if it is damaged.
    public func record(of location: String) throws -> PlaceRecord? {
        let records = try records()
        return records.first { $0.location == location }
            ?? records.filter { $0.formerly.contains(location) }.max { $0.generation < $1.generation }
    }

    /// Notes where a store is, or that it was there, if a later place is known.
    ///
    /// - Throws: `inputOutput`, `full` or `readOnly` if it cannot be written; as `record(of:)`.
    package func note(_ record: PlaceRecord) throws {
        let known = try records().first { $0.storeID == record.storeID }
        let last = known.map { $0.generation > record.generation ? $0 : record } ?? record
        let places = [known, record].compactMap(\.self).flatMap { $0.formerly + [$0.location] }
        let new = PlaceRecord(
            storeID: last.storeID, generation: last.generation, location: last.location, formerly: places)
        if new == known { return }
        try PrivateDirectory.create(path)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let file = "\(path)/\(record.storeID.uuidString.lowercased()).json"
        let bytes = Array(try encoder.encode(new))
        do {
            try SmallFile.replace(path: file, with: bytes)
        } catch {
            throw StoreError(
                .inputOutput, "The place of the store cannot be written to \(file): it \(error.words).")
        }
    }

    /// What changes whenever a record is written; nil if there is no directory.
    var stamp: Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return Stamp(file: UInt64(status.st_ino), seconds: time.tv_sec, nanoseconds: time.tv_nsec)
    }

    /// A state of the directory: renaming a file in it changes its time.
    struct Stamp: Sendable, Hashable {
        let file: UInt64
        let seconds: Int
        let nanoseconds: Int
    }

    private func records() throws -> [PlaceRecord] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch CocoaError.fileReadNoSuchFile {
            return []
        } catch {
            throw StoreError(
                .inputOutput, "The records of stores in \(path) cannot be read.", underlying: error)
        }
        return try names.filter { $0.hasSuffix(".json") }.sorted().compactMap {
            try record(in: "\(path)/\($0)")
        }
    }

    /// Reads a record; nil if it is gone.
    private func record(in file: String) throws -> PlaceRecord? {
        let content: SmallFile
        do {
            content = try SmallFile(path: file, limit: Self.sizeLimit)
        } catch {
            if case .missing = error { return nil }
            throw StoreError(.inputOutput, "The record of a store's place, \(file), \(error.words).")
        }
        do {
            return try JSONDecoder().decode(PlaceRecord.self, from: Data(content.bytes))
        } catch {
            throw StoreError(
                .corrupted,
                "The record of a store's place, \(file), is damaged. Remove it: the stores say themselves where the data is.",
                underlying: error)
        }
    }
}
