internal import Foundation
internal import SQLiteStore
internal import SwitchyardCore
internal import SwitchyardTransfer

/// A temporary store with the rows of a database that is no store, converted as a scaffold suggests.
///
/// It is an SQLite file in a directory for this user only, which is removed when the store is closed, or if a signal ends the
/// command; if one does that cannot be caught, by the next command that makes such a directory. Whatever the size of the database,
/// the memory is that of an adoption.
struct ConvertedStore: WrappingStore {
    let base: any Store
    let info: StoreInfo
    private let directory: ScratchDirectory
    /// The signals that would leave the directory behind.
    private let signals: CaughtSignals

    /// Converts a database.
    ///
    /// - Parameters:
    ///   - database: The database, which is only read.
    ///   - backend: The scheme of its plugin.
    ///   - options: How the store is opened.
    ///   - noted: Receives each finding that an adoption would have to acknowledge, and what the store lacks.
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
        let (store, directory, findings) = try await Interruption.cancelling {
            try await convert(database, options)
        }
        findings.forEach(noted)
        // What follows may not be cancellable, such as a write to a pipe that nobody reads.
        let signals = CaughtSignals([SIGINT, SIGTERM, SIGHUP]) { number in
            directory.remove()
            Interruption(signal: number).endProcess()
        }
        return ConvertedStore(
            base: store, info: StoreInfo(backend: backend, location: database.location),
            directory: directory, signals: signals)
    }

    private static func convert(
        _ database: any ForeignDatabase, _ options: OpenOptions
    ) async throws -> (any Store, ScratchDirectory, [ForeignFinding]) {
        let scaffold = try await AdoptionScaffold(of: database, named: "Database")
        let findings = scaffold.preview.findings.filter(\.needsAcknowledgement) + scaffold.losses
        let id = try await Cancellation.run { _ in try database.read { try $0.databaseID() } }
        let directory = try ScratchDirectory()
        do {
            let place = StorePlace(
                url: SQLitePlugin.location(ofFile: directory.path + "/converted.sqlite"),
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
            return (try await place.open(options), directory, findings)
        } catch {
            directory.remove()
            throw error
        }
    }

    func close() async throws {
        defer {
            directory.remove()
            signals.release()
        }
        try await base.close()
    }
}
