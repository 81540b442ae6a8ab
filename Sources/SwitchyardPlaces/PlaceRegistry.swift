internal import Foundation

/// The places of switched stores: a directory beside an app's configuration, which its programs share.
///
/// A configuration keeps naming the place where a store was; a record says where it is now. With it a store
/// is found even if the old one is unreachable, and a process that only reads learns of a switch at its next
/// transaction. A record is a shortcut: the stores themselves say the same, and override it. If the
/// configured place has a store whose own marker says otherwise, the record is not followed.
///
/// Each place that a store has left has a file of its own, so a copy of a store's file, which has the same
/// identity, has records of its own. A file is replaced atomically, so no lock is needed. Places in the
/// directory of the records are kept without its path, which the system may change.
public struct PlaceRegistry: Sendable, Hashable {
    /// The directory of the records.
    public let path: String
    /// The directory that places are relative to: the parent of the records' own.
    private let directory: PlaceDirectory

    /// The largest file that is accepted, in bytes.
    private static let sizeLimit = 1 << 20

    /// Names a directory, which is created with the first record, accessible to its owner only.
    public init(path: String) {
        self.path = path
        directory = PlaceDirectory(
            path: URL(filePath: path).standardizedFileURL.deletingLastPathComponent().path)
    }

    /// The record of the store at a location, or else of the last one that was there, if any.
    ///
    /// This reads the records only. The store at the location may say otherwise, and overrides them.
    ///
    /// - Throws: `inputOutput` if the directory, or a record that may be about the location, cannot be read; `corrupted` if
    ///   such a record is damaged.
    public func record(of location: String) throws -> PlaceRecord? {
        let records = contents()
        let route = records.route(from: location)
        if let fault = route.faults.first { throw fault }
        return (route.end ?? route.arrival).map { records.withFormerPlaces($0) }
    }

    /// Notes where a store is, or that it was there, if a later place is known.
    ///
    /// - Throws: `inputOutput`, `full` or `readOnly` if it cannot be written.
    package func note(_ record: PlaceRecord) throws {
        for place in record.formerly { try note(record, from: place) }
    }

    private func note(_ record: PlaceRecord, from place: String) throws {
        let new = PlaceRecord(
            storeID: record.storeID, generation: record.generation, location: record.location,
            formerly: [place], switchID: record.switchID
        ).replacingPlaces(directory.relative)
        let name = fileName(of: place)
        // A damaged record is replaced by what the stores say.
        let known = try? self.record(in: name)
        if let known, known.storeID == new.storeID, known.generation > new.generation || known == new {
            return
        }
        try PrivateDirectory.create(path)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let bytes = Array(try encoder.encode(new))
        do {
            try SmallFile.replace(path: "\(path)/\(name)", with: bytes)
        } catch {
            throw StoreError(
                .inputOutput,
                "The place of the store cannot be written to \(path)/\(name): it \(error.words).")
        }
    }

    /// The name of the file for the store of a place.
    func fileName(of place: String) -> String {
        directory.relative(place).sha256.prefix(32) + ".json"
    }

    /// A value that changes with every written record; nil without a directory.
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

    /// Reads all records.
    ///
    /// One that is damaged concerns its own store only. Of a directory that cannot be read, nothing is known.
    package func contents() -> PlaceRecords {
        var (names, fault): ([String], StoreError?) = ([], nil)
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch CocoaError.fileReadNoSuchFile {
            // No store was switched.
        } catch {
            fault = StoreError(
                .inputOutput, "The records of stores in \(path) cannot be read.", underlying: error)
        }
        var (records, faults): ([PlaceRecord], [String: StoreError]) = ([], [:])
        for name in names.filter({ $0.hasSuffix(".json") }).sorted() {
            do throws(StoreError) {
                guard let record = try record(in: name) else { continue }
                records.append(record.replacingPlaces(directory.absolute))
            } catch { faults[name] = error }
        }
        return PlaceRecords(records: records, faults: faults, directoryFault: fault) { fileName(of: $0) }
    }

    /// Reads a record; nil if it is gone.
    private func record(in name: String) throws(StoreError) -> PlaceRecord? {
        let file = "\(path)/\(name)"
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
