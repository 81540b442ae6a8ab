import JSONDirectoryStore
import MemoryStore
import PostgresStore
import PostgresTestServer
import SQLiteStore
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import SwitchyardTransfer

extension SwitchScenarios {
    /// A store of any schema that goes through all backends, and comes back as it was.
    static let schemas = Scenario(
        name: "switch-schemas", summary: "stores of schemas drawn at random go through all backends and back",
        usualCount: 4
    ) { trial in
        let registry = try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self, JSONDirectoryPlugin.self])
        let server = try ServerScenarios.serverURL
        var generator = SeededGenerator(seed: trial.seed)
        var rounds = 0
        while trial.effort.goesOn(after: rounds) {
            let drawn = try DrawnStore(using: &generator)
            try await PostgresServer.withSchemaName { name in
                try await Scratch.with { scratch in
                    let urls = [
                        "sqlite:\(scratch.file("first.sqlite"))", nil, "\(server)&schema=\(name)",
                        "jsondir:\(scratch.file("json"))", "sqlite:\(scratch.file("last.sqlite"))",
                    ]
                    let places = urls.map { url in
                        url.map { StorePlace(url: $0, registry: registry, schema: drawn.schema) }
                            ?? MemoryStore.place(drawn.schema)
                    }
                    do {
                        try await round(drawn, places, trial.report)
                    } catch {
                        trial.report.violation(
                            "schema \(rounds): \(String(reflecting: error)) \(drawn.schema)")
                    }
                }
            }
            rounds += 1
        }
        trial.report.count("schemas", rounds)
    }

    private static func round(_ drawn: DrawnStore, _ places: [StorePlace], _ report: Report) async throws {
        try await places[0].withStore(OpenOptions()) { store in
            try await store.write { tx in
                for (entity, rows) in drawn.rows { try tx.insertRows(into: entity, Array(rows.values)) }
            }
        }
        var reports: [VerificationReport] = []
        for (old, new) in zip(places, places.dropFirst()) {
            if let found = try await StoreSwitch(from: old, to: new).run() { reports.append(found) }
            report.count("switches")
        }
        let (first, last) = (reports.first?.entities.map(\.first), reports.last?.entities.map(\.second))
        if reports.count != places.count - 1 || first != last {
            report.violation("the digests are not those of the beginning: \(drawn.schema)")
        }
        try await places[places.count - 1].withStore(OpenOptions(createsIfMissing: false)) { store in
            for entity in drawn.schema.entities {
                let rows = try await store.read { try $0.fetchRows(of: entity.name) }
                let expected = drawn.rows[entity.name] ?? [:]
                for row in rows {
                    guard case .uuid(let id)? = row.first, expected[id] == row else {
                        report.violation("\(entity.name) has a row that it had not: \(drawn.schema)")
                        break
                    }
                }
                if rows.count != expected.count {
                    report.violation("\(entity.name) has \(rows.count) rows of \(expected.count)")
                }
                report.count("rows", rows.count)
                for attribute in entity.attributes {
                    report.count("attributes of type \(attribute.type.rawValue)")
                }
                report.count(
                    "required references", entity.attributes.count { $0.reference != nil && !$0.isOptional })
            }
            for fault in try await store.check() { report.violation("check: \(fault)") }
        }
    }
}
