internal import Foundation
internal import SQLiteStore
internal import SwitchyardCore

/// The record of a move, in a small file beside the new place: `.NAME.relocation`.
///
/// It proves what a file at the new place is. A file that merely exists there, or a partial one, has none.
///
/// The system may give the directories above both places new paths when it restores or updates an app, so the
/// paths in the record are only those at the time of writing.
struct RelocationRecord: Codable, Sendable {
    /// The path of the old file.
    private var source: String
    /// Why the last attempt has failed.
    var failure: String?
    /// The copy that was found to equal the old file.
    var copy: Copy?
    /// The permissions of the old file before it was protected; nil if it never was.
    var mode: UInt32?

    /// A copy that was found to equal the old file.
    struct Copy: Codable, Sendable {
        /// The number of the file, which it keeps when it gets its name.
        let number: UInt64
        /// The moved file, with the paths of that time.
        private let report: RelocationReport
        /// Whether it is the file to use, and the old one is a backup.
        var isInUse = false

        init(number: UInt64, report: RelocationReport) { (self.number, self.report) = (number, report) }

        /// The moved file, with the current paths of the places.
        func report(at places: RelocationPlaces) -> RelocationReport {
            RelocationReport(
                source: places.source.path, target: places.target.path,
                backup: isOfStore ? places.source.path : places.backup.path, tables: report.tables,
                bytes: report.bytes, duration: report.duration)
        }

        /// Whether a store was moved, whose file keeps its name as a backup.
        var isOfStore: Bool { report.backup == report.source }

        /// The new place as the marker of the old store names it.
        var successor: String { RelocationPlaces.successor(at: report.target) }
    }

    static func name(of target: String) -> String { ".\(target).relocation" }

    /// Reads the record of a move from this source, if any.
    ///
    /// - Throws: `invalidArgument` if the move of another file to the same place was interrupted, which can
    ///   continue only with this record; `inputOutput` if the record cannot be read; as `FileSnapshot.read`.
    init?(in directory: StoreDirectory, of places: RelocationPlaces, busyTimeout: Double) throws {
        guard let data = try directory.read(Self.name(of: places.target.name))?.data,
            // What cannot be decoded proves nothing.
            let record = try? JSONDecoder().decode(Self.self, from: data)
        else { return nil }
        guard try record.isOf(places, busyTimeout: busyTimeout) else {
            guard record.copy?.isInUse == false, (try? FileEntry(record.source)) != nil else { return nil }
            let path = "\(places.target.directory)/\(Self.name(of: places.target.name))"
            throw StoreError(
                .invalidArgument,
                "The move of \(record.source) to \(places.target.path) was interrupted. Let it go on first; or, if that file is "
                    + "not needed, remove \(path). Nothing was changed.")
        }
        self = record
        source = places.source.path
    }

    /// Whether the record is about this old file.
    ///
    /// A file of the same name is the same one if the directory in the record no longer exists, or is
    /// inaccessible: then it has another path now. Its inode would not prove it, since a restored file has a
    /// new one. A store itself says where it was moved to.
    private func isOf(_ places: RelocationPlaces, busyTimeout: Double) throws -> Bool {
        let recorded = StoreFile(path: source)
        if recorded.path == places.source.path { return true }
        guard recorded.name == places.source.name, (try? FileEntry(recorded.directory + "/")) == nil, let copy
        else { return false }
        guard copy.isOfStore else { return true }
        do {
            let marker = try FileSnapshot.read(places.source.path, busyTimeout: busyTimeout) {
                try $0.storeMarker()
            }
            return marker?.isSuperseded(by: places.successors(copy)) == true
        } catch let error as StoreError where [.notFound, .notAStore].contains(error.code) {
            return false
        }
    }

    init(source: String) { self.source = source }

    /// Writes the record, which then survives a loss of power.
    ///
    /// - Throws: `full`, `readOnly`, `inputOutput`.
    func write(in directory: StoreDirectory, of places: RelocationPlaces) throws {
        try directory.replace(
            Self.name(of: places.target.name), with: Data(CanonicalJSON.text(self).utf8))
    }
}
