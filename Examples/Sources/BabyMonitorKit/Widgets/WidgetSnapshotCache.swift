public import Foundation

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

    /// Reads the snapshot of a baby; nil if it was never written.
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
    /// Two processes that did so concurrently would each remove the other's new files;
    /// `WidgetSnapshotRefresher` runs them in order.
    ///
    /// - Parameter snapshots: One for each existing baby.
    /// - Throws: `BabyMonitorError` with code `inputOutput` if a file cannot be written or removed,
    ///   `EncodingError` for a number that is not finite.
    public func replaceAll(with snapshots: [WidgetSnapshot]) throws {
        try Self.createDirectory(directory.path)
        for snapshot in snapshots { try put(snapshot) }
        let kept = Set(snapshots.map(\.id))
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path)
        where name.hasSuffix(".json") {
            guard let id = UUID(uuidString: String(name.dropLast(5))), !kept.contains(id) else { continue }
            let path = directory.path + "/" + name
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch let error as CocoaError where error.code == .fileNoSuchFile {
                // Another process has removed it.
            } catch {
                throw BabyMonitorError.refused(
                    "The widgets' snapshot \(path) cannot be removed", error,
                    "Make sure that you can write to its directory.")
            }
        }
    }

    /// Writes one snapshot.
    ///
    /// - Throws: `BabyMonitorError` with code `inputOutput` if the file cannot be written, `EncodingError` for a
    ///   number that is not finite.
    public func write(_ snapshot: WidgetSnapshot) throws {
        try Self.createDirectory(directory.path)
        try put(snapshot)
    }

    private func put(_ snapshot: WidgetSnapshot) throws {
        let file = file(of: snapshot.id)
        let json = try snapshot.json()
        do {
            try json.write(to: file, options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        } catch {
            throw BabyMonitorError.refused(
                "The widgets' snapshot \(file.path) cannot be written", error,
                "Make sure that the disk is not full, and that you can write to its directory.")
        }
    }

    /// Creates a directory that only its owner can enter, and its missing parents; an existing one is left unchanged.
    static func createDirectory(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw BabyMonitorError.refused(
                "The directory \(path) cannot be created", error,
                "Make sure that its parent is a directory that you can write to.")
        }
    }
}

extension BabyMonitorError {
    /// The error of a file operation that the system refused: what failed, why, and what to do.
    static func refused(_ failure: String, _ error: any Error, _ advice: String) -> BabyMonitorError {
        let cause = (error as? CocoaError)?.underlying ?? error
        let reason = (cause as? POSIXError).map { String(cString: strerror($0.code.rawValue)) } ?? "\(cause)"
        return BabyMonitorError(.inputOutput, "\(failure): \(reason). \(advice)")
    }
}
