internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// What a directory holds, as far as it has been read: a copy is a snapshot.
///
/// What this process wrote is read back like everything else, so that no state in memory can differ from the
/// files.
struct Contents: Sendable {
    let directory: StoreDirectory
    private(set) var manifest: Manifest
    private(set) var tables: [String: Table] = [:]
    private var manifestData: Data
    /// The stamp of each file of rows when it was read, by its name.
    private var stamps: [String: StoreDirectory.Stamp] = [:]

    init(_ directory: StoreDirectory, schema: Schema) throws {
        self.directory = directory
        manifestData = try Self.manifestData(in: directory)
        manifest = try Manifest(manifestData, path: directory.path)
        try manifest.marker.admit(schema)
        try refresh(schema)
    }

    /// Reads the files that are not as they were when they were read: those of other commits, and those that
    /// were edited by hand.
    ///
    /// - Throws: `busy` if another commit came meanwhile, what `StoreMarker.admit` throws, `corrupted`,
    ///   `notAStore`, `inputOutput`.
    mutating func refresh(_ schema: Schema) throws {
        var next = self
        // Its bytes and not its stamp, because two commits can come so quickly that the stamp is the same
        // again.
        next.manifestData = try Self.manifestData(in: directory)
        if next.manifestData != manifestData {
            next.manifest = try Manifest(next.manifestData, path: directory.path)
            try next.manifest.marker.admit(schema)
        }
        (next.tables, next.stamps) = ([:], [:])
        for entity in schema.entities {
            guard let name = next.manifest.fileName(of: entity.table) else {
                next.tables[entity.table] = Table(entity)
                continue
            }
            if let stamp = try directory.stamp(name), stamp == stamps[name] {
                next.stamps[name] = stamp
                next.tables[entity.table] = tables[entity.table]
                continue
            }
            guard let file = try directory.read(name) else { throw try next.missing(name, of: entity) }
            next.stamps[name] = file.stamp
            next.tables[entity.table] = try RowFile.table(file.data, of: entity, schema: schema)
        }
        self = next
    }

    private static func manifestData(in directory: StoreDirectory) throws -> Data {
        guard let file = try directory.read(Manifest.fileName) else {
            throw StoreError(.inputOutput, "The store at \(directory.path) is gone; bring it back.")
        }
        return file.data
    }

    /// The error for a file of rows that is not there.
    private func missing(_ name: String, of entity: Entity) throws -> StoreError {
        // A commit removes the files that it replaces, at times between our reading the manifest and them.
        guard try Self.manifestData(in: directory) == manifestData else {
            return StoreError(.busy, "The store at \(directory.path) was written while it was read.")
        }
        return StoreError(
            .corrupted,
            "The file \(name) in \(directory.path) is missing. Bring it back from a backup; nothing was changed.",
            entity: entity.name)
    }
}
