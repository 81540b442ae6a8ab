package import ArgumentParser
internal import Foundation
internal import SwitchyardCore

extension StoreCommand {
    /// `store info`.
    package struct Info: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "info", abstract: "Shows what and where the store is, and its row counts.")
        }

        @OptionGroup package var place: App.Place
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            do {
                try await Session.run(call, for: .inspecting) { session in
                    try await show(session.store, try await session.placeNotes())
                }
            } catch let error as StoreError where error.code == .schemaMismatch {
                // A store of an earlier release is shown as it is.
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

        private func show(_ store: any Store, _ notes: PlaceNotes = PlaceNotes()) async throws {
            let info = StoreOutput(
                store.info, try await store.marker(), try await store.rowCounts(), notes)
            if call.json { return try Terminal.print(json: info) }
            Terminal.print(lines: info.lines(by: App.commandName))
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

    init(_ info: StoreInfo, _ marker: StoreMarker, _ rows: [String: Int], _ places: PlaceNotes) {
        self.places = places
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
        ] + places.lines(by: command)
            + rows.sorted { $0.key < $1.key }.map { "rows         \($0.key): \($0.value)" }
    }
}
