internal import Foundation
internal import SQLiteStore
internal import SwitchyardCore

/// A move at work, on a thread that may wait.
struct RelocationWork: Sendable {
    private let relocation: StoreRelocation
    private let places: RelocationPlaces
    private let stop: CancellationFlag
    private let tell: @Sendable (RelocationProgress) -> Void
    private let start = ContinuousClock.now

    init(
        _ relocation: StoreRelocation, stop: CancellationFlag,
        tell: @escaping @Sendable (RelocationProgress) -> Void
    ) throws {
        self.relocation = relocation
        places = try RelocationPlaces(from: relocation.source, to: relocation.target)
        self.stop = stop
        self.tell = tell
    }

    private var busyTimeout: Double { relocation.busySeconds }

    /// Moves the file, or waits until another process has.
    func run() throws -> RelocationReport {
        try createDirectory()
        let directory = try places.openDirectory()
        return try directory.whileLocked(atMost: busyTimeout, stop) {
            var record =
                try RelocationRecord(in: directory, of: places, busyTimeout: busyTimeout)
                ?? RelocationRecord(source: places.source.path)
            let finding = try places.find(record)
            do {
                return try move(finding, &record, directory)
            } catch {
                // A cancelled move needs no record, and without a file to move there is nothing to retry.
                if finding.isToBeMoved, (error as? StoreError)?.code != .cancelled {
                    record.failure = error.relocationMessage
                    try? record.write(in: directory, of: places)
                }
                throw error
            }
        }
    }

    /// Creates the directory of the new place, but not its parent: the path may be misspelt.
    ///
    /// - Throws: `notFound` also if the old file was already moved there: the directory had the new file, and
    ///   is, for example, on a volume that is not mounted.
    private func createDirectory() throws {
        let directory = places.target.directory
        guard try FileEntry(directory + "/") == nil else { return }
        if case .lost(let backup) = try places.find(nil) { throw places.lost(backup) }
        try places.requireSource()
        guard try FileEntry(StoreFile(path: directory).directory + "/") != nil else {
            throw StoreError(
                .notFound,
                "The directory \(StoreFile(path: directory).directory), in which \(directory) would be "
                    + "created, does not exist. Correct the path, or create that directory first; nothing "
                    + "was changed.")
        }
        let marker = try FileSnapshot.read(places.source.path, busyTimeout: busyTimeout) { snapshot in
            let marker = try snapshot.storeMarker()
            try snapshot.requireUnchanged()
            return marker
        }
        try places.requireInService(marker, nil)
        try PrivateDirectory.create(directory)
        // A loss of power would otherwise take the directory, with all that is in it.
        StoreFile(path: directory).syncDirectory()
    }

    private func move(
        _ finding: RelocationPlaces.Finding, _ record: inout RelocationRecord, _ directory: StoreDirectory
    ) throws -> RelocationReport {
        switch finding {
        case .completed(let copy):
            try requireBackup(copy)
            return copy.report(at: places)
        case .published(let copy):
            try finish(copy, record.mode)
            return try complete(&record, directory)
        case .lost(let backup): throw places.lost(backup)
        case .unrelated: throw places.unrelated
        case .notNeeded, .pending: break
        }
        try places.requireSource()
        let source = try heldSource(record)
        defer { source.close() }
        let draft = DraftCopy(file: places.draft)
        var isFenced = false
        do {
            try places.requireFreeTarget()
            try forget(&record, directory)
            let backup = source.marker == nil ? places.backup : places.source
            guard try source.marker != nil || FileEntry(backup.path) == nil else {
                throw StoreError(
                    .invalidArgument,
                    "\(backup.path), which is the name of the backup, is taken. Move that file away; nothing was changed."
                )
            }
            try draft.removeLeftovers()
            try requireRoom(for: source.size)
            let tables = try copy(source, to: draft)
            guard let copy = try FileEntry(draft.file.path) else {
                throw StoreError.file("found again", draft.file.path, ENOENT)
            }
            let report = RelocationReport(
                source: places.source.path, target: places.target.path, backup: backup.path, tables: tables,
                bytes: copy.size, duration: .now - start)
            record.copy = RelocationRecord.Copy(number: copy.identity.number, report: report)
            if source.marker == nil { record.mode = source.mode }
            try record.write(in: directory, of: places)
            try stop.check()
            isFenced = true
            try source.fence(successor: places.successor)
            guard try places.target.publish(draft.file) else { throw places.unrelated }
        } catch {
            // If the file stays fenced, the next run continues by the record of the copy.
            if isFenced, (try? source.unfence()) == nil { throw error }
            // A full disk has no room for another record, but one can be removed.
            if (try? forget(&record, directory)) == nil {
                directory.remove(RelocationRecord.name(of: places.target.name))
            }
            throw withoutDraft(draft, error)
        }
        try source.retire(to: places.backup)
        return try complete(&record, directory)
    }

    /// Checks that what is in the old place is the backup of the move, and not another copy of the store.
    ///
    /// - Throws: `identityConflict`; as `FileSnapshot.read`.
    private func requireBackup(_ copy: RelocationRecord.Copy) throws {
        guard copy.isOfStore else { return }
        try places.requireLeft(
            FileSnapshot.read(places.source.path, busyTimeout: busyTimeout) { try $0.storeMarker() })
    }

    /// Removes the copy of a move that has failed.
    ///
    /// - Returns: The error, which mentions the copy if that has filled the disk, or could not be removed.
    private func withoutDraft(_ draft: DraftCopy, _ error: any Error) -> any Error {
        let hasDraft = (try? FileEntry(draft.file.path)) != nil
        guard hasDraft, let error = error as? StoreError else {
            try? draft.removeLeftovers()
            return error
        }
        let fate: String
        do {
            try draft.removeLeftovers()
            guard error.code == .full else { return error }
            fate = "The copy was removed; the old file is still the one to use."
        } catch {
            fate = "What was copied, \(draft.file.path), could not be removed; the next move removes it."
        }
        return StoreError(
            error.code, "\(error.message) \(fate)", detail: error.detail, underlying: error.underlying)
    }

    /// Locks the old file as an active one.
    private func heldSource(_ record: RelocationRecord) throws -> HeldSource {
        func hold() throws -> HeldSource {
            let source = try HeldSource(places.source, mode: record.mode, busyTimeout: busyTimeout, stop)
            do { try places.requireInService(source.marker, record) } catch {
                source.close()
                throw error
            }
            return source
        }
        let source = try hold()
        guard source.marker?.role == .superseded else { return source }
        // A dead process has fenced it. The new place is free, so the file is still the active one, and
        // becomes writable again whatever happens to this attempt.
        do {
            defer { source.close() }
            try source.unfence()
        }
        return try hold()
    }

    /// Forgets an attempt that came to nothing, before its copy is removed: a file with the same number could be made then.
    private func forget(_ record: inout RelocationRecord, _ directory: StoreDirectory) throws {
        guard record.copy != nil || record.failure != nil else { return }
        (record.copy, record.failure) = (nil, nil)
        try record.write(in: directory, of: places)
    }

    private func requireRoom(for size: Int) throws {
        // Some more is for the log of the copy, and for the record.
        let needed = size + 1 << 20
        guard let available = places.availableBytes, available < needed else { return }
        throw StoreError(
            .full,
            "\(places.target.directory) has room for \(available) bytes, and the move needs \(needed). Make room and try again; "
                + "nothing was changed.")
    }

    /// Copies the file, and compares the copy with it.
    ///
    /// SQLite's check of the old file takes longest, so the copy is made and compared at the same time.
    ///
    /// - Returns: The tables of both.
    private func copy(_ source: HeldSource, to draft: DraftCopy) throws -> [TableDigest] {
        let isWhole = source.isWhole()
        let (faults, (tables, isSound)) = try ConcurrentParts.run(stop) {
            try source.faults(stop)
        } and: {
            try draft.fill(from: source, whole: isWhole, stop) { tellProgress(.copying, $0, $1) }
            tellProgress(.verifying, source.size, source.size)
            let (old, new) = (try source.survey(stop), try draft.survey(stop))
            let differences = old.differences(from: new)
            guard differences.isEmpty else { throw mismatch(differences.joined(separator: ", ")) }
            let isSound = try draft.isSound(as: source, whole: isWhole, stop)
            try draft.sync()
            return (old.tables, isSound)
        }
        // A copy of a damaged file is damaged as well.
        guard faults.isEmpty else { throw IntegrityCheck.failure(faults, places.source) }
        guard isSound else { throw mismatch("its indexes") }
        if let marker = source.marker {
            try draft.activate(marker)
            try draft.sync()
        }
        return tables
    }

    private func mismatch(_ difference: String) -> StoreError {
        StoreError(
            .verification,
            "The copy of \(places.source.path) differs from it in \(difference). Try again; if that does not help, check the "
                + "disk. Nothing was changed.")
    }

    /// Does what a process that is gone has not done after the copy has got its name.
    private func finish(_ copy: RelocationRecord.Copy, _ mode: UInt32?) throws {
        try DraftCopy(file: places.draft).removeLeftovers()
        // A store was fenced before, and any other file has been renamed unless it is still here.
        guard try FileEntry(places.source.path) != nil else { return }
        let source = try HeldSource(places.source, mode: mode, busyTimeout: busyTimeout, stop)
        defer { source.close() }
        try source.protectedUnlessDone {
            try source.requireUnchanged(since: copy.report(at: places), stop)
            if let marker = source.marker {
                guard marker.isSuperseded(by: places.successors(copy)) else { throw places.unrelated }
                return
            }
            guard try FileEntry(places.backup.path) == nil else {
                throw StoreError(
                    .invalidArgument,
                    "\(places.backup.path), which is the name of the backup, is taken. Move that file away and try again; the "
                        + "new file is in place already.")
            }
            try source.fence(successor: places.successor)
            try source.retire(to: places.backup)
        }
    }

    /// Records that the new file is the active one.
    private func complete(
        _ record: inout RelocationRecord, _ directory: StoreDirectory
    ) throws -> RelocationReport {
        guard let report = record.copy?.report(at: places) else { throw places.unrelated }
        record.copy?.isInUse = true
        record.failure = nil
        try record.write(in: directory, of: places)
        tellProgress(.completed, report.bytes, report.bytes)
        return report
    }

    private func tellProgress(_ step: RelocationProgress.Step, _ bytes: Int, _ total: Int) {
        tell(RelocationProgress(step: step, bytes: bytes, total: total))
    }
}

extension StoreMarker {
    /// Whether one of these places has replaced the store.
    func isSuperseded(by successors: [String]) -> Bool {
        guard role == .superseded, let successor else { return false }
        if successors.contains(successor) { return true }
        // Foundation may have written the same path in another way.
        let path = try? SQLitePlugin.settings(fromURL: successor)["path"]
        return path.map { successors.contains(RelocationPlaces.successor(at: StoreFile(path: $0).path)) }
            == true
    }
}
