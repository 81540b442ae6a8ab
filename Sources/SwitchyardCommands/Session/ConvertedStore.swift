internal import Foundation
internal import SQLiteStore
internal import SwitchyardCore
internal import SwitchyardTransfer

/// A temporary store with the rows of a database that is no store, converted as a scaffold suggests.
///
/// It is an SQLite file in a directory for this user only, which is removed when the store is closed, or if a signal ends the
/// conversion. Whatever the size of the database, the memory is that of an adoption.
struct ConvertedStore: WrappingStore {
    let base: any Store
    let info: StoreInfo
    private let directory: URL

    /// Converts a database.
    ///
    /// - Parameters:
    ///   - database: The database, which is only read.
    ///   - backend: The scheme of its plugin.
    ///   - options: How the store is opened.
    ///   - noted: Receives each finding that an adoption would have to acknowledge.
    /// - Returns: The store.
    /// - Throws: `readOnly` if the options do not say `readOnly`; `scopeMismatch` for a scope; as
    ///   `AdoptionPlan.run(from:into:scope:)`.
    static func open(
        _ database: any ForeignDatabase, of backend: String, _ options: OpenOptions,
        noted: (ForeignFinding) -> Void
    ) async throws -> ConvertedStore {
        guard options.access == .readOnly else {
            throw StoreError(
                .readOnly,
                "\(database.location) is only read. Move its rows to a store with a switch, and write to that."
            )
        }
        guard options.scope == nil else {
            throw StoreError(.scopeMismatch, "\(database.location) has no scopes. Name none.")
        }
        let (converted, findings) = try await Interruption.cancelling {
            try await convert(database, of: backend, options)
        }
        findings.forEach(noted)
        return converted
    }

    private static func convert(
        _ database: any ForeignDatabase, of backend: String, _ options: OpenOptions
    ) async throws -> (ConvertedStore, [ForeignFinding]) {
        let scaffold = try await AdoptionScaffold(of: database, named: "Database")
        let findings = scaffold.preview.findings.filter(\.needsAcknowledgement)
        let id = try await Cancellation.run { _ in try database.read { try $0.databaseID() } }
        let manager = FileManager.default
        let directory = manager.temporaryDirectory.appending(path: "switchyard-\(UUID().uuidString)")
        do {
            try manager.createDirectory(
                at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            let place = StorePlace(
                url: SQLitePlugin.location(ofFile: directory.appending(path: "converted.sqlite").path),
                registry: try PluginRegistry([SQLitePlugin.self]), schema: scaffold.schema)
            // Nothing is lost by reading: what must be acknowledged matters to those who leave the database.
            try await scaffold.plan.acknowledging(findings.map(\.code)).run(from: database, into: place)
            if let id {
                try await place.withStore(OpenOptions(createsIfMissing: false)) { store in
                    try await store.write(.ofMarker) { tx in
                        var marker = try tx.driver.maintenance.marker()
                        marker.storeID = id
                        try tx.driver.maintenance.setMarker(marker)
                    }
                }
            }
            let store = try await place.open(options)
            let converted = ConvertedStore(
                base: store, info: StoreInfo(backend: backend, location: database.location),
                directory: directory)
            return (converted, findings)
        } catch {
            try? manager.removeItem(at: directory)
            throw error
        }
    }

    func close() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try await base.close()
    }
}
