import Switchyard
import SwitchyardConformance
import SwitchyardCore

/// Databases that are made whole stores, by processes that do not live to see the end.
enum DepotScenarios {
    static let all = [repair, adoption, conversion]

    private static let repair = Scenario(
        name: "repair-kill",
        summary: "the process that repairs a store between two versions is killed at any moment",
        usualCount: 6
    ) { trial in
        try await onEachBackend(trial) { backend, depot, generator in
            let boxes = depot.crates.count / 2
            try await backend.withPlace { url in
                let original = RawDatabase(backend: backend, url: url)
                try await Backends.open(url, Depot1.self).close()
                try await original.run(depot.inserting(on: backend) + depot.boxes(boxes, on: backend))
                let diagnosis = try await Backends.registry.diagnose(url: url, migrating: DepotPlan.self)
                let before = DepotPicture(
                    structure: try await original.structure(),
                    rows: [
                        "Pallet": depot.pallet1, "Crate": depot.crate,
                        "Box": depot.box(renaming: boxes, of: boxes),
                    ])
                let after = [
                    "Pallet": depot.pallet2, "Box": depot.box(renaming: boxes, of: depot.crates.count),
                ]
                try await DepotTrial(
                    name: "of a repair on \(backend.rawValue)",
                    arguments: { ["depot", "--work", "repair", "--store", $0.url] }, before: [before],
                    faults: { database, state in
                        let found = try await Backends.registry.diagnose(
                            url: database.url, migrating: DepotPlan.self)
                        guard state == .done else {
                            return found == diagnosis ? [] : ["the diagnosis is \(found.findings)"]
                        }
                        let isRepaired = found.isSound && found.markedVersion == Depot2.version
                        return try await (isRepaired ? [] : ["the diagnosis is \(found.findings)"])
                            + faults(of: database, Depot2.self, after)
                    }
                ).run(trial, &generator) { try await lendCopy(of: original, $0) }
            }
        }
    }

    private static let adoption = Scenario(
        name: "adoption-kill",
        summary: "the process that makes a store of a database where it is is killed at any moment",
        usualCount: 6
    ) { trial in
        try await onEachBackend(trial) { backend, depot, generator in
            try await backend.withPlace { url in
                let original = RawDatabase(backend: backend, url: url)
                try await original.run(depot.tables(on: backend) + depot.inserting(on: backend))
                let rows = ["Pallet": depot.pallet1, "Crate": depot.crate]
                let before = DepotPicture(structure: try await original.structure(), rows: rows)
                try await DepotTrial(
                    name: "of an adoption on \(backend.rawValue)",
                    arguments: { ["depot", "--work", "adopt", "--store", $0.url] }, before: [before],
                    faults: { database, state in
                        guard state == .undone else {
                            return try await faults(of: database, Depot1.self, rows)
                        }
                        let found = try await Backends.registry.previewAdoption(
                            url: database.url, as: DepotPlan.self)
                        return try await found.differences + refusal(of: database, .notAStore)
                    }
                ).run(trial, &generator) { try await lendCopy(of: original, $0) }
            }
        }
    }

    /// Runs a part of a scenario on each backend, with a depot drawn for it.
    static func onEachBackend(
        _ trial: Trial,
        _ part: (CopiedBackend, Depot, inout SeededGenerator) async throws -> Void
    ) async throws {
        var generator = SeededGenerator(seed: trial.seed)
        for backend in CopiedBackend.available {
            let depot = Depot(rows: trial.rows > 0 ? trial.rows : Depot.usualRows, using: &generator)
            try await part(backend, depot, &generator)
        }
    }

    /// Opens a store in which the work is done, and finds out what is wrong with it.
    ///
    /// - Parameters:
    ///   - database: The database that the store is in.
    ///   - schema: The version that it must have.
    ///   - rows: The rows that its tables must have; nil if they are compared otherwise.
    /// - Returns: What is wrong.
    /// - Throws: What opening and reading it throw.
    static func faults(
        of database: RawDatabase, _ schema: any VersionedSchema.Type, _ rows: [String: [[String?]]]? = nil
    ) async throws -> [String] {
        let found = try await DepotPicture(of: database).rows
        let others = rows.map { rows in rows.keys.sorted().filter { rows[$0] != found[$0] } } ?? []
        let store = try await Backends.open(database.url, schema, createsIfMissing: false)
        return try await others.map { "rows of \($0)" } + store.closing { try await $0.check() }
    }

    /// Opens a store that must not be there, or not be in service.
    ///
    /// - Returns: What is wrong, if it is opened, or refused with another code.
    static func refusal(of database: RawDatabase, _ code: StoreError.Code) async throws -> [String] {
        do {
            try await Backends.open(database.url, Depot1.self, createsIfMissing: false).close()
            return ["it is opened as a store"]
        } catch let error as StoreError {
            return error.code == code ? [] : ["it is refused with \(error.code)"]
        }
    }

    private static func lendCopy(
        of original: RawDatabase, _ body: (RawDatabase) async throws -> Void
    ) async throws {
        try await original.backend.withCopy(of: original.url) {
            try await body(RawDatabase(backend: original.backend, url: $0))
        }
    }
}
