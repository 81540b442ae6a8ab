public import Foundation

/// The directory of snapshot files, one for each baby, that the app writes and its widgets read.
///
/// A file is replaced in one step, so that a widget reads the old snapshot or the new one and nothing
/// between. The files are the owner's alone (mode 0600 in a directory of mode 0700). All methods block on the
/// file system for a moment.
public struct WidgetSnapshotCache: Sendable {
    /// The directory.
    public let directory: URL

    /// The cache in a directory of its own, which is made when it is first written to.
    public init(directory: URL) { self.directory = directory }

    /// The file of a baby: its id in upper case, `.json`.
    public func file(of id: UUID) -> URL {
        directory.appending(path: "\(id.uuidString).json", directoryHint: .notDirectory)
    }

    /// Reads the snapshot of a baby; nil if there is none.
    ///
    /// - Throws: `CocoaError` if the file cannot be read, `DecodingError` if it is no snapshot.
    public func read(_ id: UUID) throws -> WidgetSnapshot? {
        do {
            return try WidgetSnapshot(json: Data(contentsOf: file(of: id)))
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return nil
        }
    }

    /// Writes the snapshots of all babies and removes those of babies that are no more.
    ///
    /// - Parameter snapshots: One for each baby that there is.
    /// - Throws: `CocoaError` if a file cannot be written or removed, `EncodingError` for a number that is
    ///   not finite.
    public func replaceAll(with snapshots: [WidgetSnapshot]) throws {
        try makeDirectory()
        for snapshot in snapshots { try write(snapshot) }
        let kept = Set(snapshots.map(\.id))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        for name in names where name.hasSuffix(".json") {
            guard let id = UUID(uuidString: String(name.dropLast(5))), !kept.contains(id) else { continue }
            try FileManager.default.removeItem(
                at: directory.appending(path: name, directoryHint: .notDirectory))
        }
    }

    /// Writes one snapshot.
    ///
    /// - Throws: `CocoaError` if the file cannot be written, `EncodingError` for a number that is not finite.
    public func write(_ snapshot: WidgetSnapshot) throws {
        try makeDirectory()
        let json = try snapshot.json()
        // The file appears under its name by a rename; until then it has one that no widget looks for.
        let draft = directory.appending(path: ".\(UUID().uuidString).draft", directoryHint: .notDirectory)
        let isCreated = FileManager.default.createFile(
            atPath: draft.path, contents: json, attributes: [.posixPermissions: 0o600])
        guard isCreated else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: draft.path])
        }
        guard rename(draft.path, file(of: snapshot.id).path) == 0 else {
            let reason = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            try? FileManager.default.removeItem(at: draft)
            throw reason
        }
    }

    private func makeDirectory() throws {
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
}
