import Foundation
import SwitchyardCore

@testable import CoreDataStore

/// Lends the file of a shape.
func withFile<Value>(
    of shape: Shape, settings: String = "", inLog: Bool = false,
    _ body: (any ForeignDatabase, URL) async throws -> Value
) async throws -> Value {
    try await withDirectory { directory in
        let file = directory.appending(path: "default.store")
        try ShapeWriter.write(shape, to: file, inLog: inLog)
        return try await body(try database(file, settings), file)
    }
}

/// Lends an empty directory.
func withDirectory<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
    let directory = FileManager.default.temporaryDirectory.appending(path: "switchyard-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try await body(directory)
}

/// The Core Data store in a file.
func database(_ file: URL, _ settings: String = "") throws -> any ForeignDatabase {
    try PluginRegistry([CoreDataPlugin.self]).foreignDatabase(url: "coredata://\(file.path)?\(settings)")
}

/// Reads off the cooperative pool.
func read<Value: Sendable>(
    _ database: any ForeignDatabase, _ body: @escaping @Sendable (any ForeignSnapshot) throws -> Value
) async throws -> Value {
    try await BlockingWork.run { try database.read(body) }
}

/// The rows of all tables of the app, by the names of the tables and columns; without nulls.
func rows(_ database: any ForeignDatabase) async throws -> [String: [[String: ForeignValue]]] {
    try await read(database) { snapshot in
        var rows: [String: [[String: ForeignValue]]] = [:]
        for table in try snapshot.tables() where table.purpose == nil {
            rows[table.name] = []
            let names = table.columns.filter { $0.purpose == nil || $0.name.hasPrefix("$") }.map(\.name)
            try snapshot.forEachRow(of: table, names) { values in
                rows[table.name]?.append(
                    Dictionary(uniqueKeysWithValues: zip(names, values)).filter { $0.value != .null })
            }
        }
        return rows
    }
}

/// The code of the error that work throws; nil if it throws none.
func code(_ work: () async throws -> Void) async -> StoreError.Code? {
    do { try await work() } catch { return (error as? StoreError)?.code }
    return nil
}
