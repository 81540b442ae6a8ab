internal import Foundation
internal import GRDB
internal import SQLiteStore
internal import SwitchyardCore

/// The removal of the old file, once its successor was found whole.
struct BackupRemoval: Sendable {
    private let relocation: StoreRelocation
    private let places: RelocationPlaces
    private let stop: CancellationFlag

    init(_ relocation: StoreRelocation, stop: CancellationFlag) throws {
        self.relocation = relocation
        places = try RelocationPlaces(from: relocation.source, to: relocation.target)
        self.stop = stop
    }

    private var busyTimeout: Double { relocation.busySeconds }

    func run() throws {
        guard try FileEntry(places.target.directory + "/") != nil else { throw notCompleted }
        let directory = try places.openDirectory()
        try directory.whileLocked(atMost: busyTimeout, stop) {
            guard let record = try RelocationRecord(in: directory, of: places, busyTimeout: busyTimeout)
            else {
                throw notCompleted
            }
            let name = RelocationRecord.name(of: places.target.name)
            let finding = try places.find(record)
            // A process was killed after it had deleted the backup.
            if case .notNeeded = finding, record.copy?.isInUse == true { return directory.remove(name) }
            guard case .completed(let copy) = finding else { throw notCompleted }
            let report = copy.report(at: places)
            let backup = try HeldSource(
                StoreFile(path: report.backup), mode: record.mode, alone: true, busyTimeout: busyTimeout, stop
            )
            defer { backup.close() }
            try backup.protectedUnlessDone {
                try places.requireLeft(backup.marker)
                try backup.requireUnchanged(since: report, stop)
                try note(try requireSuccessor(of: backup, copy.number))
                try backup.delete()
            }
            directory.remove(name)
        }
    }

    /// Records the new place of a store in the app's registry, if there is one: the backup has led there
    /// until now.
    ///
    /// - Throws: As `PlaceRegistry.note`.
    private func note(_ new: StoreMarker?) throws {
        guard let registry = relocation.registry, let new else { return }
        try registry.note(
            PlaceRecord(
                storeID: new.storeID, generation: new.generation,
                location: SQLitePlugin.location(ofFile: places.target.path),
                // The path may be configured as it was given here, or without links.
                formerly: [relocation.source, places.source.path].map(SQLitePlugin.location(ofFile:)),
                switchID: new.isArrival ? new.switching?.id : nil))
    }

    /// Checks that the new file is whole, and that it is what the old one was moved to.
    ///
    /// - Returns: Its marker, if it is a store.
    private func requireSuccessor(of backup: HeldSource, _ number: UInt64) throws -> StoreMarker? {
        var configuration = Configuration()
        configuration.busyMode = .timeout(busyTimeout)
        try places.target.requireWritable()
        let (marker, faults) = try translating {
            let queue = try DatabaseQueue(path: places.target.uri("mode=rw"), configuration: configuration)
            defer { try? queue.close() }
            return try queue.inDatabase { database in
                (
                    try database.storeMarker(of: places.target),
                    try IntegrityCheck.faults(in: database, of: places.target, stop)
                )
            }
        }
        guard faults.isEmpty else { throw IntegrityCheck.failure(faults, places.target) }
        let isSuccessor =
            if let old = backup.marker {
                marker?.hasTakenOver(from: old) == true
            } else {
                try FileEntry(places.target.path)?.identity.number == number
            }
        guard isSuccessor else {
            throw StoreError(
                .verification,
                "The file at \(places.target.path) is not the one to which \(places.source.path) was moved: it was replaced "
                    + "since. Find out whether it has all data before you remove \(backup.file.path) yourself; nothing was "
                    + "removed.")
        }
        return marker
    }

    private var notCompleted: StoreError {
        StoreError(
            .invalidArgument,
            "There is no backup to remove: no move of \(places.source.path) to \(places.target.path) is completed."
        )
    }

    private func translating<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw StoreError.translating(error, in: nil, at: places.target.path)
        }
    }
}
