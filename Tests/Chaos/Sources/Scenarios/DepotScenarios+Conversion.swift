import Foundation
import Switchyard
import SwitchyardConformance
import SwitchyardCore

extension DepotScenarios {
    static let conversion = Scenario(
        name: "conversion-kill",
        summary: "the process that converts a database into a new store is killed at any moment",
        usualCount: 3
    ) { trial in
        try await onEachBackend(trial) { backend, depot, generator in
            try await backend.withPlace { url in
                let source = RawDatabase(backend: backend, url: url)
                try await source.run(depot.numbered(on: backend))
                for target in backend == .sqlite ? CopiedBackend.available : [.sqlite] {
                    try await convert(depot, source, to: target, trial, &generator)
                }
            }
        }
    }

    /// Converts a database, which must stay as it is, into stores of one backend.
    private static func convert(
        _ depot: Depot, _ source: RawDatabase, to target: CopiedBackend, _ trial: Trial,
        _ generator: inout SeededGenerator
    ) async throws {
        let original = try await contents(of: source)
        let nothing = DepotPicture(structure: [], rows: [:])
        try await DepotTrial(
            name: "of a conversion from \(source.backend.rawValue) to \(target.rawValue)",
            arguments: { ["depot", "--work", "convert", "--store", source.url, "--into", $0.url] },
            before: [nothing, try await emptyCopy(on: target)],
            faults: { database, state in
                let isUntouched = try await contents(of: source) == original
                let others = isUntouched ? [] : ["the database that is converted has changed"]
                guard state == .done else {
                    let isThere = try await DepotPicture(of: database) != nothing
                    return try await others + refusal(of: database, isThere ? .incompleteCopy : .notFound)
                }
                let crates = try await database.rows(of: labelled)
                let areRight = crates.count == depot.crates.count && Set(crates) == depot.labelled
                return try await others + (areRight ? [] : ["crates, or the pallets that they refer to"])
                    + faults(of: database, Depot1.self)
            }
        ).run(trial, &generator) { body in
            try await target.withPlace { try await body(RawDatabase(backend: target, url: $0)) }
        }
    }

    /// Everything in a database that is only read: the bytes of a file, and the structure and the rows on a server.
    private static func contents(of source: RawDatabase) async throws -> [[String?]] {
        if source.backend == .sqlite {
            let bytes = try Data(contentsOf: URL(filePath: source.path))
            return [[bytes.base64EncodedString()] + (try source.neighbours)]
        }
        let tables = ["pallet", "crate"]
        var all = try await source.structure()
        for table in tables {
            all += try await source.rows(of: "SELECT * FROM \"\(table)\" ORDER BY 1")
        }
        return all
    }

    /// What an interrupted conversion leaves at most.
    private static func emptyCopy(on backend: CopiedBackend) async throws -> DepotPicture {
        var picture: DepotPicture?
        try await backend.withPlace { url in
            try await Backends.open(url, Depot1.self, role: .copying).close()
            picture = try await DepotPicture(of: RawDatabase(backend: backend, url: url))
        }
        guard let picture else { throw MissingPart(description: "there is no place for a store.") }
        return picture
    }

    /// Each crate with the label of its pallet.
    private static let labelled = """
        SELECT "name", CAST("grams" AS TEXT), "note",
            CASE WHEN "pallet" IS NOT NULL THEN coalesce("label", 'none that is there') END
        FROM "Crate" LEFT JOIN "Pallet" ON "Pallet"."id" = "pallet"
        """
}
