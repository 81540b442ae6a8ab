import BabyMonitor
import Foundation
import MemoryStore
import SQLiteStore
import Switchyard
import Testing

/// The stores that a service is tested on.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case memory
    case sqlite

    /// Those that can be used here and now.
    static let available: [StoreKind] = [.memory, .sqlite]

    var testDescription: String { rawValue }

    /// Runs a test on an empty store of this kind.
    func withStore(_ body: (any Store) async throws -> Void) async throws {
        let schema = try BabyMonitorSchema.schema
        switch self {
        case .memory:
            let store = MemoryStore(schema: schema)
            try await body(store)
            try await store.close()
        case .sqlite:
            let directory = FileManager.default.temporaryDirectory
                .appending(path: "baby-store-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            let path = directory.appending(path: "BabyDashboard.sqlite").path
            let settings = try StoreSettings(["path": path], for: SQLitePlugin.self)
            let store = try await SQLitePlugin.open(settings, schema: schema, options: OpenOptions())
            try await body(store)
            try await store.close()
        }
    }
}
