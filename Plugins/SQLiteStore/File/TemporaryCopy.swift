internal import Foundation
internal import SwitchyardCore

/// A copy of a store's files, in a directory for this user only, which is removed together with this object.
package final class TemporaryCopy: Sendable {
    /// The copied database file.
    let file: StoreFile
    private let directory: ScratchDirectory

    /// Copies the file, its log and its journal.
    ///
    /// - Parameters:
    ///   - original: The file.
    ///   - lock: The lock that prevents all changes except checkpoints.
    /// - Throws: `full`, `readOnly` or `inputOutput`.
    init(of original: StoreFile, under lock: FileLock) throws {
        let manager = FileManager.default
        directory = try ScratchDirectory()
        file = StoreFile(path: directory.path + "/copy.sqlite")
        do {
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
            throw StoreError(
                error.code == .fileWriteOutOfSpace ? .full : .inputOutput,
                "The store at \(original.path) can only be read from a copy, but could not be copied to "
                    + "\(directory.path). Make sure that there is room for it, or open the store for writing once.",
                underlying: error)
        }
    }
}
