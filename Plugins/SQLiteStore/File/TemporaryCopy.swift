internal import Foundation
internal import SwitchyardCore

/// A copy of a store's files, in a directory for this user only, which is removed together with this object.
package final class TemporaryCopy: Sendable {
    /// The copied database file.
    let file: StoreFile
    private let directory: URL

    /// Copies the file, its log and its journal.
    ///
    /// - Parameters:
    ///   - original: The file.
    ///   - lock: The lock that prevents all changes except checkpoints.
    /// - Throws: `full` or `inputOutput`.
    init(of original: StoreFile, under lock: FileLock) throws {
        let manager = FileManager.default
        directory = manager.temporaryDirectory.appendingPathComponent("switchyard-\(UUID().uuidString)")
        file = StoreFile(path: directory.appendingPathComponent("copy.sqlite").path)
        do {
            try manager.createDirectory(
                at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            try Data().write(to: URL(fileURLWithPath: file.path))
            let copy = try FileHandle(forWritingTo: URL(fileURLWithPath: file.path))
            defer { try? copy.close() }
            try lock.bytes().readParts { try copy.write(contentsOf: $0) }
            for (source, target) in [
                (original.walPath, file.walPath), (original.journalPath, file.journalPath),
            ] where try StoreFile.status(source) != nil {
                try manager.copyItem(atPath: source, toPath: target)
            }
        } catch let error as CocoaError {
            try? manager.removeItem(at: directory)
            throw StoreError(
                error.code == .fileWriteOutOfSpace ? .full : .inputOutput,
                "The store at \(original.path) can only be read from a copy, but could not be copied to "
                    + "\(directory.path). Make sure that there is room for it, or open the store for writing once.",
                underlying: error)
        }
    }

    deinit { try? FileManager.default.removeItem(at: directory) }
}
