package import ArgumentParser
internal import Foundation
internal import SwitchyardConfiguration
internal import SwitchyardCore

extension StoreCommand {
    /// `store fork --store URL`.
    package struct Fork: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "fork", abstract: "Gives a copy of a store its own identity.",
                discussion: """
                    A copied file or database has the identity of the original. Give the copy its own before both are in use. It \
                    keeps its rows and its history. Close the copy everywhere first.
                    """)
        }

        @OptionGroup package var place: App.Place
        @OptionGroup package var options: App.Options

        package init() {}

        package func validate() throws {
            if call.store == nil { throw ValidationError("Name the copy by --store.") }
        }

        package func run() async throws {
            try await Session.run(call, for: .changing) { session in
                let id = try await session.store.takeNewIdentity().uuidString.lowercased()
                if call.json { return try Terminal.print(json: ["storeID": id]) }
                Terminal.print(
                    "The store at \(session.configuration.location) has an identity of its own now: \(id).")
            }
        }
    }
}

/// What is known of a store's places, in the command's output.
struct PlaceNotes: Encodable {
    /// Where the store is configured to be, if it was switched from there; nil if it is there.
    var configured: String?
    /// The stores elsewhere that have the same identity.
    var twins: [Twin] = []
    /// Why records of places could not be read.
    var unreadableRecords: [String] = []

    /// Another store of the same identity: one is a copy of the other.
    struct Twin: Encodable {
        let location: String
        let generation: Int64
        let formerly: [String]

        init(_ record: PlaceRecord) {
            (location, generation, formerly) = (record.location, record.generation, record.formerly)
        }

        func line(by command: String) -> String {
            let origin = formerly.isEmpty ? "" : ", formerly \(formerly.joined(separator: ", "))"
            return
                "\(location), generation \(generation)\(origin). Two stores have one identity: give the copy its own, by "
                + "\(command) store fork"
        }
    }

    func lines(by command: String) -> [String] {
        (configured.map { ["configured   \($0)"] } ?? [])
            + twins.map { "twin         \($0.line(by: command))" }
            + unreadableRecords.map { "record       \($0)" }
    }
}

extension StoreSession {
    /// What is known of the store's places.
    func placeNotes() async throws -> PlaceNotes {
        let location = followed?.location ?? configuration.location
        var notes = PlaceNotes()
        if location != configuration.location { notes.configured = configuration.location }
        guard let places = Self.places(container) else { return notes }
        let records = places.contents()
        notes.twins = records.twins(of: try await store.marker(), at: location).map(PlaceNotes.Twin.init)
        notes.unreadableRecords = records.unreadable.map(\.message)
        return notes
    }
}
