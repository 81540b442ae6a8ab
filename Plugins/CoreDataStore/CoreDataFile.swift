internal import Foundation
internal import SQLiteStore
internal import SwitchyardCore

/// A Core Data or SwiftData store, which is read and never changed.
struct CoreDataFile: ForeignDatabase {
    let path: String
    let busyTimeout: Double
    let pendingDeletes: PendingDeletes
    let keepsHistory: Bool

    var location: String { path }

    func read<Value>(_ body: (any ForeignSnapshot) throws -> Value) throws -> Value {
        try FileSnapshot.read(path, busyTimeout: busyTimeout, copyingLog: true) { snapshot in
            let catalogue = try StoreCatalogue(snapshot, at: path)
            var tables = VirtualTables(catalogue, pendingDeletes, keepsHistory: keepsHistory)
            try tables.offerNumbers(for: snapshot)
            // They are beside the file that a link leads to.
            let files = ExternalFiles(ofStoreAt: StoreFile(path: path).path)
            let value = try body(
                CoreDataSnapshot(
                    snapshot: snapshot, catalogue: catalogue, tables: tables, externalFiles: files,
                    pendingDeletes: pendingDeletes))
            try snapshot.requireUnchanged()
            return value
        }
    }
}

/// The entities of a snapshot as tables.
struct CoreDataSnapshot: ForeignSnapshot {
    let snapshot: FileSnapshot
    let catalogue: StoreCatalogue
    let virtual: VirtualTables
    let externalFiles: ExternalFiles
    let pendingDeletes: PendingDeletes

    init(
        snapshot: FileSnapshot, catalogue: StoreCatalogue, tables: VirtualTables,
        externalFiles: ExternalFiles,
        pendingDeletes: PendingDeletes
    ) {
        (self.snapshot, self.catalogue, virtual) = (snapshot, catalogue, tables)
        (self.externalFiles, self.pendingDeletes) = (externalFiles, pendingDeletes)
    }

    func tables() throws -> [ForeignTable] { virtual.tables.map(\.description) }

    func databaseID() throws -> UUID? { catalogue.storeID }

    func findings() throws -> [ForeignFinding] {
        let found = StoreFindings(snapshot: snapshot, catalogue: catalogue, virtual: virtual)
        return try found.all() + CloudFindings(found, pendingDeletes).all()
    }

    func forEachRow(
        of table: ForeignTable, _ columns: [String], _ body: ([ForeignValue]) throws -> Void
    ) throws {
        guard let found = virtual.tables.first(where: { $0.description.name == table.name }) else {
            throw StoreError(.invalidArgument, "The Core Data store has no table \(table.name).")
        }
        let chosen = try columns.map { name in
            guard let column = found.columns.first(where: { $0.description.name == name }) else {
                throw StoreError(.invalidArgument, "The table \(table.name) has no column \(name).")
            }
            return column
        }
        let check = try UTF16Check(snapshot)
        let terms = chosen.map(\.expression)
        let list = terms + (check.map { check in terms.map(check.bytes) } ?? [])
        try snapshot.forEachRow(found.query(list, joining: chosen)) { cells in
            try body(
                chosen.indices.map { index in
                    // The query also returns the bytes of the text, as the file has them.
                    if let check, !check.isValid(cells[chosen.count + index]) {
                        return .invalidText(Data(cells[chosen.count + index].bytes))
                    }
                    return chosen[index].reading.value(cells[index], externalFiles)
                })
        }
    }
}
