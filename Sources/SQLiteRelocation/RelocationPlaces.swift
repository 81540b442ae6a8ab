internal import Foundation
internal import SQLiteStore
internal import SwitchyardCore

/// The files of a move: the old one, the new one, the copy before it gets its name, and the backup.
struct RelocationPlaces: Sendable {
    let source: StoreFile
    let target: StoreFile

    /// Checks the paths, and not yet what is there.
    ///
    /// - Throws: `invalidArgument`, `inputOutput`.
    init(from source: String, to target: String) throws {
        for path in [source, target] {
            guard !path.isEmpty, !path.hasSuffix("/"), !path.utf8.contains(0) else {
                throw StoreError(
                    .invalidArgument, "`\(path)` names no file. Give the path of a file; nothing was changed."
                )
            }
            guard try FileEntry(path)?.isLink != true else {
                throw StoreError(
                    .invalidArgument,
                    "\(path) is a link. Give the path of the file itself, because the link would stay behind; nothing was "
                        + "changed.")
            }
        }
        (self.source, self.target) = (StoreFile(path: source), StoreFile(path: target))
        let directories = try [self.source, self.target].map { try FileEntry($0.directory + "/") }
        guard directories[0] == nil || directories[0]?.identity != directories[1]?.identity else {
            throw StoreError(
                .invalidArgument,
                "\(target) is in the directory where the file is already. Give a place in another one; nothing was changed."
            )
        }
    }

    /// The copy, before it gets its name.
    ///
    /// Only the holder of the directory's lock creates one, so an existing draft was left by a dead process.
    var draft: StoreFile { StoreFile(path: "\(target.directory)/.\(target.name).moving") }

    /// The backup of a file without a marker.
    var backup: StoreFile { StoreFile(path: source.path + ".moved") }

    /// The location of the new place, as the marker of a store names its successor: a URL that can be opened.
    var successor: String { Self.successor(at: target.path) }

    /// The location of a path, whether there is a file or not: Foundation writes some paths in another way once there is.
    static func successor(at path: String) -> String {
        guard path.utf8.contains(UInt8(ascii: "?")) else { return "sqlite:\(path)" }
        let escaped = path.replacingBytes(of: "%", with: "%25").replacingBytes(of: "?", with: "%3F")
        return "sqlite://\(escaped)"
    }
}

extension RelocationPlaces {
    /// The state of the places.
    enum Finding {
        /// There is nothing to move.
        case notNeeded
        /// The old file has yet to be moved.
        case pending
        /// The copy has got its name, but the old file is not yet a backup.
        case published(RelocationRecord.Copy)
        case completed(RelocationRecord.Copy)
        /// There is a file at each place, and no proof that one was moved to the other.
        case unrelated
        /// The new file is gone, and its backup exists.
        case lost(backup: String)

        /// Whether a move must begin or continue.
        var isToBeMoved: Bool {
            switch self {
            case .pending, .published: true
            case .notNeeded, .completed, .unrelated, .lost: false
            }
        }
    }

    /// Inspects the places without opening a database.
    func find(_ record: RelocationRecord?) throws -> Finding {
        let (old, new) = (try FileEntry(source.path), try FileEntry(target.path))
        let backup = record?.copy?.report(at: self).backup ?? self.backup.path
        let hasBackup = try FileEntry(backup) != nil
        guard let new else {
            if hasBackup, old == nil || record?.copy?.isInUse == true { return .lost(backup: backup) }
            return old == nil ? .notNeeded : .pending
        }
        guard let copy = record?.copy, copy.isInUse || copy.number == new.identity.number else {
            return old == nil && !hasBackup ? .notNeeded : .unrelated
        }
        guard copy.isInUse else { return .published(copy) }
        return hasBackup ? .completed(copy) : old == nil ? .notNeeded : .unrelated
    }

    func status(busyTimeout: Double) throws -> RelocationStatus {
        let directory = try existingDirectory()
        // Checked first: a move that ends in between is found completed.
        let isLocked = directory?.isLocked == true
        let record = try directory.flatMap {
            try RelocationRecord(in: $0, of: self, busyTimeout: busyTimeout)
        }
        switch try find(record) {
        case .notNeeded: return .notNeeded
        case .completed: return .completed
        // The lock covers all files in the directory; a settled state is settled under any lock.
        case _ where isLocked: return .inProgress
        case .pending, .published: return record?.failure.map { .failed($0) } ?? .pending
        case .unrelated: return .failed(unrelated.message)
        case .lost(let backup): return .failed(lost(backup).message)
        }
    }

    var unrelated: StoreError {
        StoreError(
            .invalidArgument,
            "There is a file at \(target.path) already, besides the one at \(source.path), and it was not moved there. Find "
                + "out which of the two has the data, and move the other one away; nothing was changed.")
    }

    func lost(_ backup: String) -> StoreError {
        let isRenamed = backup != source.path
        let name =
            isRenamed
            ? "give \(backup) the old name and permission to be written"
            : "activate \(backup) by changeRole(to: .active)"
        let isGone = (try? FileEntry(target.directory + "/")) == nil
        let step =
            isGone
            ? "make the directory \(target.directory)"
            : "remove \(target.directory)/\(RelocationRecord.name(of: target.name))"
        return StoreError(
            .notFound,
            "\(target.path), to which \(source.path) was moved, no longer exists. Bring it back; or, to "
                + "start over from the state of that time, \(name), and \(step). Nothing was changed.")
    }
}

extension RelocationPlaces {
    /// Opens the directory of the new place for writing.
    ///
    /// - Throws: `readOnly`, `notAStore` if it is not a directory, `inputOutput`.
    func openDirectory() throws -> StoreDirectory {
        do {
            return try StoreDirectory(target.directory, isWritable: true, createsIfMissing: false)
        } catch let error as StoreError where error.code == .readOnly {
            throw StoreError(
                .readOnly,
                "\(target.directory) cannot be written by this user. Change its permissions, or give another place; nothing was "
                    + "changed.")
        }
    }

    /// The directory of the new place, for reading; nil if it is missing.
    private func existingDirectory() throws -> StoreDirectory? {
        guard try FileEntry(target.directory + "/") != nil else { return nil }
        return try StoreDirectory(target.directory, isWritable: false, createsIfMissing: false)
    }

    /// Checks that a move has not begun yet, and is possible.
    ///
    /// - Returns: The record of an earlier attempt, if any.
    /// - Throws: As `RelocationRecord.init`, `requireSource` and `requireFreeTarget`; `invalidArgument` if the file was moved
    ///   already.
    func requirePending(busyTimeout: Double) throws -> RelocationRecord? {
        let record = try existingDirectory().flatMap {
            try RelocationRecord(in: $0, of: self, busyTimeout: busyTimeout)
        }
        switch try find(record) {
        case .completed(let copy), .published(let copy):
            throw StoreError(
                .invalidArgument,
                "\(source.path) was moved to \(target.path) already; the backup is \(copy.report(at: self).backup)."
            )
        case .lost(let backup): throw lost(backup)
        case .unrelated: throw unrelated
        case .notNeeded, .pending: break
        }
        try requireSource()
        try requireFreeTarget()
        return record
    }

    /// Checks that the old file exists and is complete.
    ///
    /// - Throws: As `StoreRelocation.run` says.
    func requireSource() throws {
        guard let old = try FileEntry(source.path) else {
            throw StoreError(.notFound, "There is no file at \(source.path) to move.")
        }
        // SQLite deletes the log of an empty file, and with it all rows (`pagerOpenWalIfPresent` in pager.c).
        if old.size == 0, let log = try FileEntry(source.walPath), log.size > 0 {
            throw StoreError(
                .corrupted,
                "\(source.path) is empty, but has a WAL with rows beside it, which SQLite would delete. Keep "
                    + "both, and restore the file from a backup; nothing was changed.")
        }
        _ = try source.exists()
        try requireNoExternalValues()
    }

    /// The successors that the old store's marker may name: the new path now, or at the time of the copy.
    func successors(_ copy: RelocationRecord.Copy?) -> [String] {
        [successor] + (copy.map { [$0.successor] } ?? [])
    }

    /// Checks that the store is active, or was on its way to this place.
    ///
    /// - Throws: `outOfService`; `notFound` if it was moved here already; `invalidArgument` while it is switched to another
    ///   place.
    func requireInService(_ marker: StoreMarker?, _ record: RelocationRecord?) throws {
        guard let marker else { return }
        if marker.isSuperseded(by: successors(record?.copy)) {
            // It is fenced only once its copy is noted in the directory of the new place, which may not be here.
            guard record?.copy != nil else { throw lost(source.path) }
        } else if marker.role != .active {
            throw StoreError.outOfService(marker.role.rawValue, successor: marker.successor)
        }
        guard marker.switching?.isUnderWay != true else {
            throw StoreError(
                .invalidArgument,
                "A switch of the store \(source.path) to another place is under way. End it or give it up first; nothing was "
                    + "changed.")
        }
    }

    /// Checks that the store in the old place is not active, as the backup of a move is not.
    ///
    /// - Throws: `identityConflict` if it is: a copy of the store was put there, or the backup was put in service.
    func requireLeft(_ marker: StoreMarker?) throws {
        guard let marker, [.active, .migrating].contains(marker.role) else { return }
        throw StoreError(
            .identityConflict,
            "\(source.path) was moved to \(target.path), but the store there is in use: it is a copy, or the "
                + "backup was activated. If \(target.path) has the data to keep, move the other one away. If "
                + "it does not, move \(target.path) away, with \(RelocationRecord.name(of: target.name)) "
                + "beside it; nothing was changed."
        )
    }

    /// Checks that nothing is in the way at the new place.
    ///
    /// - Throws: `invalidArgument`.
    func requireFreeTarget() throws {
        for leftover in [target.walPath, target.journalPath] where try FileEntry(leftover) != nil {
            throw StoreError(
                .invalidArgument,
                "\(leftover) is left from a database that no longer exists, and would damage the new file. "
                    + "Bring that back, or move this file away; nothing was changed.")
        }
        guard try FileEntry(target.path) == nil else { throw unrelated }
    }

    /// Core Data keeps large values in files of their own, in a directory beside the store.
    private func requireNoExternalValues() throws {
        let base = (source.name as NSString).deletingPathExtension
        let directory = "\(source.directory)/.\(base)_SUPPORT"
        guard let paths = FileManager.default.enumerator(atPath: directory) else { return }
        for case let path as String in paths {
            guard try FileEntry("\(directory)/\(path)")?.isFile == true else { continue }
            throw StoreError(
                .unsupported,
                "\(directory) has files that belong to the values of \(source.path), and that would stay behind. Move this "
                    + "store with the library that wrote it; nothing was changed.")
        }
    }
}

/// The file at a path, links not followed.
struct FileEntry {
    /// Identifies a file, whatever its name.
    struct Identity: Equatable {
        let device: UInt64
        let number: UInt64
    }

    let identity: Identity
    let size: Int
    let mode: mode_t

    var isLink: Bool { mode & S_IFMT == S_IFLNK }
    var isFile: Bool { mode & S_IFMT == S_IFREG }

    /// Reads the status of a path; nil if nothing is there.
    ///
    /// - Throws: `inputOutput` if that cannot be determined.
    init?(_ path: String) throws {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw StoreError.file("looked at", path, errno) }
            return nil
        }
        identity = Identity(
            device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(status.st_ino))
        (size, mode) = (Int(clamping: status.st_size), status.st_mode)
    }
}

extension Error {
    /// The failure of a move, for people.
    var relocationMessage: String { (self as? StoreError)?.message ?? "\(self)" }
}
