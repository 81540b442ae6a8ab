internal import Foundation
internal import SwitchyardCore
internal import Synchronization

/// The directory: a file of rows for each entity, and the manifest that says which files these are.
///
/// The files of a commit never change afterwards, so the files that the manifest names are a snapshot that can be read
/// without a lock.
final class JSONDirectory: SnapshotStorage {
    private let directory: StoreDirectory
    private let schema: Schema
    /// What was read last.
    private let contents = Mutex<Contents?>(nil)
    /// The last commit of this store.
    private let ownCommit = Atomic(0)

    /// The manifest and the files that it names, as far as they have been read.
    private struct Contents {
        let manifestData: Data
        let manifest: Manifest
        var snapshot: Snapshot
        /// The tag of each file of rows when it was read, by its name.
        var tags: [String: String] = [:]
    }

    /// Opens the directory of a store, or makes an empty store if there is none and the options allow it.
    ///
    /// - Throws: `notFound`, `notAStore` for anything else that is there, `busy`, `readOnly`, `full`,
    ///   `inputOutput`.
    init(_ path: String, schema: Schema, options: OpenOptions) throws {
        self.schema = schema
        let isWritable = options.access == .readWrite
        let isCreating = isWritable && options.createsIfMissing
        directory = try StoreDirectory(path, isWritable: isWritable, createsIfMissing: isCreating)
        guard try directory.tag(of: Manifest.fileName) == nil else { return }
        guard isCreating else { throw StoreError(.notFound, "There is no store at \(path).") }
        try directory.whileLocked {
            // Another process may have created it in the meantime.
            guard try directory.tag(of: Manifest.fileName) == nil else { return }
            // A crash can leave a draft behind.
            if let stranger = try directory.names().first(where: { $0 != Manifest.draftName }) {
                throw StoreError(
                    .notAStore,
                    "\(path) is not the directory of a Switchyard store: it holds \(stranger), and no "
                        + "\(Manifest.fileName). Give another path, or empty it; nothing was changed.")
            }
            let manifest = Manifest(header: .init(schema: schema, options: options))
            try directory.replace(Manifest.fileName, with: manifest.data())
        }
    }

    func whileLocked<Result>(_ work: () throws -> Result) throws -> Result {
        try directory.whileLocked(work)
    }

    /// Reads the files that are not as they were when they were read: those of other commits, and those that
    /// were edited by hand.
    func load() throws -> Snapshot {
        try contents.withLock { contents in
            let current = try read(since: contents)
            contents = current
            return current.snapshot
        }
    }

    /// Commits of others replace the manifest, too.
    func watch(_ body: @escaping @Sendable () -> Void) throws -> (any Sendable & AnyObject)? {
        try directory.watch(Manifest.fileName) { [weak self] in
            guard let self else { return }
            let last = try? Manifest(try manifestData(), path: directory.path).commit
            if last != ownCommit.load(ordering: .sequentiallyConsistent) { body() }
        }
    }

    private func read(since previous: Contents?) throws -> Contents {
        // Its bytes and not its tag, because two commits can come so quickly that the tag is the same again.
        let data = try manifestData()
        let manifest =
            if let previous, data == previous.manifestData {
                previous.manifest
            } else {
                try Manifest(data, path: directory.path)
            }
        var next = Contents(
            manifestData: data, manifest: manifest,
            snapshot: try Snapshot(schema: schema, header: manifest.header))
        for table in schema.tables.map(\.table) {
            guard let name = manifest.fileName(of: table) else { continue }
            let tag = try directory.tag(of: name)
            if let previous, let tag, tag == previous.tags[name] {
                try next.snapshot.setRows(of: previous.snapshot, inTable: table)
                next.tags[name] = tag
            } else {
                guard let file = try directory.read(name) else { throw try missing(name, data) }
                next.tags[name] = file.tag
                try RowFile.read(file.data, into: &next.snapshot, table: table)
            }
        }
        return next
    }

    private func manifestData() throws -> Data {
        guard let file = try directory.read(Manifest.fileName) else {
            throw StoreError(.inputOutput, "The store at \(directory.path) is gone; bring it back.")
        }
        return file.data
    }

    /// The error for a missing file of rows that a manifest names.
    private func missing(_ name: String, _ manifest: Data) throws -> StoreError {
        // A commit removes the files that it replaces, at times between our reading the manifest and them.
        guard try manifestData() == manifest else {
            return StoreError(.busy, "The store at \(directory.path) was written while it was read.")
        }
        return StoreError(
            .corrupted,
            "The file \(name) in \(directory.path) is missing. Bring it back from a backup; nothing was changed."
        )
    }

    /// Writes the rows of each changed table to a file of its own, and then, in one step, the manifest which
    /// names them.
    func commit(_ snapshot: Snapshot, changedTables: [String]) throws {
        let old = try Manifest(try manifestData(), path: directory.path)
        let new = old.next(header: snapshot.header, changedTables: changedTables)
        do {
            for table in changedTables {
                guard let name = new.fileName(of: table) else { continue }
                try directory.write(try RowFile.data(of: snapshot, table: table), to: name)
            }
            ownCommit.store(new.commit, ordering: .sequentiallyConsistent)
            try directory.replace(Manifest.fileName, with: try new.data())
        } catch {
            removeFiles(notNamedBy: old)
            throw error
        }
        removeFiles(notNamedBy: new)
    }

    /// Removes the files of rows that are not, or no longer, part of the store: those that a commit replaced,
    /// and those of one that a crash ended.
    ///
    /// A reader that was about to read one finds it missing, and reads the manifest again.
    private func removeFiles(notNamedBy manifest: Manifest) {
        let tables = schema.tables.map(\.table)
        let named = Set(tables.compactMap { manifest.fileName(of: $0) })
        // What cannot be listed or removed now is removed by a later commit.
        for name in (try? directory.names()) ?? []
        where Manifest.isRowFile(name, of: tables) && !named.contains(name) || name == Manifest.draftName {
            directory.remove(name)
        }
    }
}
