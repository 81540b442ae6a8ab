internal import Foundation
internal import GRDB
internal import SQLiteStore
internal import SwitchyardCore

extension RelocationPlan {
    /// Reads what would be moved.
    init(
        _ places: RelocationPlaces, _ record: RelocationRecord?, _ reading: StoreFile.ReadSource,
        busyTimeout: Double, _ stop: CancellationFlag
    ) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(busyTimeout)
        // A copy may have to be rolled back first.
        if case .copy = reading {} else { configuration.readonly = true }
        do {
            let queue = try DatabaseQueue(path: places.source.uri(reading), configuration: configuration)
            defer { try? queue.close() }
            (isStore, tables, bytes) = try queue.inDatabase { database in
                let marker = try database.storeMarker(of: places.source)
                try places.requireInService(marker, record)
                let survey = try TableSurvey(of: database, stop)
                return (marker != nil, survey.tables, survey.bytes)
            }
        } catch {
            throw StoreError.translating(error, in: nil, at: places.source.path)
        }
        (source, target) = (places.source.path, places.target.path)
        backup = isStore ? source : places.backup.path
        availableBytes = places.availableBytes
    }
}

extension RelocationPlaces {
    /// The room at the new place; nil if it cannot be determined.
    var availableBytes: Int? {
        var status = statvfs()
        // Directories may have yet to be created.
        var directory = StoreFile(path: target.directory)
        while statvfs(directory.path, &status) != 0 {
            guard errno == ENOENT, directory.path != "/" else { return nil }
            directory = StoreFile(path: directory.directory.isEmpty ? "/" : directory.directory)
        }
        // Some file systems know no limit.
        let (bytes, isMore) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return isMore ? Int.max : Int(clamping: bytes)
    }
}
