package import ArgumentParser
internal import Foundation
internal import SwitchyardCore

extension StoreCommand {
    /// `store info`.
    package struct Info: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "info", abstract: "Shows the store's backend, location, version and row counts.")
        }

        @OptionGroup package var place: App.Place
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            do {
                try await Session.run(call, for: .inspecting) { session in
                    try await show(session.store, try await session.placeNotes())
                }
            } catch let error as StoreError
                where App.plan == nil && error.code == .scopeMismatch && call.scope == nil
            {
                var call = call
                call.scope = StoreScope.unused.description
                try await Session.run(call, for: .inspecting) { try await show($0.store, isScoped: true) }
            } catch let error as StoreError where error.code == .schemaMismatch {
                // A store of an earlier release is shown without a migration.
                guard App.plan != nil else { throw error }
                let plan = try await Session.plan(call)
                var (opening, open) = try await Session.opener(call)
                let diagnosis = try await plan.diagnose(opening, open)
                guard diagnosis.isSound || diagnosis.isOnlyObstructed, let version = diagnosis.version else {
                    throw error
                }
                opening.access = .readOnly
                try await open(try plan.upTo(version).schema, opening).closing { try await show($0) }
            }
        }

        private func show(
            _ store: any Store, _ notes: PlaceNotes = PlaceNotes(), isScoped: Bool = false
        ) async throws {
            let scopes = isScoped ? try await store.firstScopes() : nil
            let info = StoreOutput(
                store.info, try await store.marker(), try await store.rowCounts(in: scopes), notes, scopes)
            if call.json { return try Terminal.print(json: info) }
            Terminal.print(lines: info.lines(by: App.commandName))
        }
    }
}

extension Store {
    /// The first thousand of the store's scopes.
    fileprivate func firstScopes() async throws -> [StoreScope] {
        try await read { try $0.driver.maintenance.scopes(after: nil, limit: 1_000).map(\.scope) }
    }

    /// The number of rows of each entity in some scopes, or in the one that the store was opened with.
    fileprivate func rowCounts(in scopes: [StoreScope]?) async throws -> [String: Int] {
        guard let scopes, !scopes.isEmpty else { return try await rowCounts() }
        return try await read(ReadOptions(scopes: scopes)) { tx in
            let counts = try tx.schema.entities.map { ($0.name, try tx.countRows(of: $0.name)) }
            return Dictionary(uniqueKeysWithValues: counts)
        }
    }
}

/// A store in the command's output.
struct StoreOutput: Encodable {
    let backend: String
    let location: String
    let version: String
    let storeID: String
    let generation: Int64
    let role: String
    let schemaVersion: String
    let fingerprint: String
    let rows: [String: Int]
    /// What is known of its places.
    let places: PlaceNotes
    /// The first thousand of its scopes; nil if its rows are not divided into scopes.
    let scopes: [String]?

    init(
        _ info: StoreInfo, _ marker: StoreMarker, _ rows: [String: Int], _ places: PlaceNotes,
        _ scopes: [StoreScope]?
    ) {
        self.places = places
        self.scopes = scopes?.map(\.description)
        backend = info.backend
        location = info.location
        version = info.version
        storeID = marker.storeID.uuidString.lowercased()
        generation = marker.generation
        role = marker.role.rawValue
        schemaVersion = marker.schema.version.description
        fingerprint = marker.schema.fingerprint
        self.rows = rows
    }

    func lines(by command: String) -> [String] {
        [
            "backend      \(backend) \(version)", "location     \(location)", "store id     \(storeID)",
            "generation   \(generation), \(role)", "schema       \(schemaVersion) \(fingerprint)",
        ] + places.lines(by: command) + (scopes ?? []).map { "scope        \($0)" }
            + rows.sorted { $0.key < $1.key }.map { "rows         \($0.key): \($0.value)" }
    }
}
