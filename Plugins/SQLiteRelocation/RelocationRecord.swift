internal import Foundation
internal import SQLiteStore
internal import SwitchyardCore

/// What is known of a move, in a small file beside the new place: `.NAME.relocation`.
///
/// It is proof of what a file at the new place is. A file that was only found there, or half a file, has none.
struct RelocationRecord: Codable, Sendable {
    /// The path of the old file.
    let source: String
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
        let report: RelocationReport
        /// Whether it is the file to use, and the old one is a backup.
        var isInUse = false
    }

    static func name(of target: String) -> String { ".\(target).relocation" }

    /// Reads the record of a move from this source; nil if there is none.
    ///
    /// - Throws: `inputOutput` if it cannot be read.
    init?(in directory: StoreDirectory, of places: RelocationPlaces) throws {
        guard let data = try directory.read(Self.name(of: places.target.name))?.data,
            // What cannot be decoded proves nothing.
            let record = try? JSONDecoder().decode(Self.self, from: data), record.source == places.source.path
        else { return nil }
        self = record
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
