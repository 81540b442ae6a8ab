public import Foundation
internal import Switchyard
internal import SwitchyardCore

/// The directory of snapshot files, one for each baby, that the app writes and its widgets read.
///
/// Files are replaced atomically, so that a widget reads either the old snapshot or the new one. Only the owner can
/// access them (mode 0600 in a directory of mode 0700). All methods block on the file system for a moment.
public struct WidgetSnapshotCache: Sendable {
    /// The directory.
    public let directory: URL

    /// Creates a cache in a directory of its own, which is created by the first write.
    public init(directory: URL) { self.directory = directory }

    /// The file of a baby: its id in upper case, `.json`.
    public func file(of id: UUID) -> URL {
        directory.appending(path: "\(id.uuidString).json", directoryHint: .notDirectory)
    }

    /// Reads the snapshot of a baby; nil if there is none.
    ///
    /// - Throws: `CocoaError` if the file cannot be read, `DecodingError` if it is not a snapshot.
    public func read(_ id: UUID) throws -> WidgetSnapshot? {
        do {
            return try WidgetSnapshot(json: Data(contentsOf: file(of: id)))
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return nil
        }
    }

    /// Writes the snapshots of all babies and removes those of babies that no longer exist.
    ///
    /// Two processes that do so concurrently would each remove files that only the other knows of;
    /// `WidgetSnapshotRefresher` brings them into an order.
    ///
    /// - Parameter snapshots: One for each existing baby.
    /// - Throws: `StoreError` if a file cannot be written or removed, `EncodingError` for a number that is
    ///   not finite.
    public func replaceAll(with snapshots: [WidgetSnapshot]) throws {
        try PrivateDirectory.create(directory.path)
        for snapshot in snapshots { try put(snapshot) }
        let kept = Set(snapshots.map(\.id))
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path)
        where name.hasSuffix(".json") {
            guard let id = UUID(uuidString: String(name.dropLast(5))), !kept.contains(id) else { continue }
            let path = directory.path + "/" + name
            // It is fine if the file is already gone.
            guard unlink(path) != 0, errno != ENOENT else { continue }
            let code = errno
            throw StoreError(
                .ofSystemError(code),
                "The widgets' snapshot \(path) cannot be removed: \(String(cString: strerror(code))). See that you can "
                    + "write to its directory.")
        }
    }

    /// Writes one snapshot.
    ///
    /// - Throws: `StoreError` if the file cannot be written, `EncodingError` for a number that is not finite.
    public func write(_ snapshot: WidgetSnapshot) throws {
        try PrivateDirectory.create(directory.path)
        try put(snapshot)
    }

    private func put(_ snapshot: WidgetSnapshot) throws {
        let path = file(of: snapshot.id).path
        let json = try snapshot.json()
        do {
            try SmallFile.replace(path: path, with: Array(json), survivesPowerLoss: false)
        } catch {
            throw StoreError(
                .inputOutput,
                "The widgets' snapshot \(path) cannot be written: \(error.reason). See that there is room on the disk, "
                    + "and that you can write to its directory.")
        }
    }
}
