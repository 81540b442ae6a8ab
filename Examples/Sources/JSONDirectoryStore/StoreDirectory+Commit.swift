internal import Foundation
internal import Switchyard
internal import SwitchyardCore

extension StoreDirectory {
    /// Opens the directory of a store, or makes an empty store if there is none and the options allow it.
    ///
    /// - Throws: `notAStore` for anything else that is there, `busy`, `readOnly`, `full`, `inputOutput`.
    static func open(_ path: String, schema: Schema, options: OpenOptions) throws -> StoreDirectory {
        let isCreating = options.createsIfMissing && options.access == .readWrite
        if isCreating { try make(path) }
        guard let directory = try StoreDirectory(path) else { throw missing(path) }
        if options.access == .readWrite, access(path, W_OK) != 0 {
            throw StoreError(
                .readOnly,
                "\(path) cannot be written by this user. Change its permissions, or open the store for reading only."
            )
        }
        guard try directory.stamp(Manifest.fileName) == nil else { return directory }
        guard isCreating else { throw missing(path) }
        try directory.locked {
            // Another process may have made it meanwhile.
            guard try directory.stamp(Manifest.fileName) == nil else { return }
            // A crash can leave a draft behind.
            if let stranger = try directory.names().first(where: { $0 != Manifest.fileName + draftSuffix }) {
                throw StoreError(
                    .notAStore,
                    "\(path) is not the directory of a Switchyard store: it holds \(stranger), and no "
                        + "\(Manifest.fileName). Give another path, or empty it; nothing was changed.")
            }
            try directory.replace(
                Manifest.fileName, with: Manifest(marker: StoreMarker(schema: schema)).data())
        }
        return directory
    }

    private static func missing(_ path: String) -> StoreError {
        StoreError(.notFound, "There is no store at \(path).")
    }

    /// Writes the rows of each changed entity to a file of its own, and then, in one step, the manifest which
    /// names them.
    ///
    /// The caller holds the lock.
    ///
    /// - Throws: `full`, `readOnly` or `inputOutput`; the store is then as it was.
    func commit(_ work: Work, _ schema: Schema) throws {
        guard !work.changed.isEmpty || work.isRecorded else { return }
        var manifest = work.manifest
        manifest.commit += 1
        for name in work.changed { manifest.files[name] = manifest.commit }
        do {
            for name in work.changed.sorted() {
                guard let entity = schema.entity(inTable: name), let file = manifest.fileName(of: name)
                else { continue }
                try write(try RowFile.data(try work.table(entity), of: entity), to: file)
            }
            try replace(Manifest.fileName, with: try manifest.data())
        } catch {
            removeUnnamed(by: work.manifest, schema)
            throw error
        }
        removeUnnamed(by: manifest, schema)
    }

    /// Removes the files of rows that are not, or no longer, part of the store: those that a commit replaced,
    /// and those of one that a crash ended.
    ///
    /// A reader that was about to read one finds it missing, and reads the manifest again.
    private func removeUnnamed(by manifest: Manifest, _ schema: Schema) {
        let named = Set(schema.entities.compactMap { manifest.fileName(of: $0.table) })
        // What cannot be listed or removed now is removed by a later commit.
        for name in (try? names()) ?? []
        where (Manifest.isRowFile(name, in: schema) && !named.contains(name))
            || name == Manifest.fileName + Self.draftSuffix
        { remove(name) }
    }
}
