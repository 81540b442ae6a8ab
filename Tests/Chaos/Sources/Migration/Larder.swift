import Foundation
import Switchyard
import SwitchyardCore

/// Three versions of a schema: to the second, tables change as a whole; to the third, one gets a column and an index.
enum Larder1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Jar.self, Shelf.self]

    @Model
    struct Jar {
        #Index<Jar>([\.name])

        let id: ID
        var name: String
        var grams: Int
        var size: Int?
        var shelf: Shelf.ID?
    }

    @Model
    struct Shelf {
        let id: ID
        var label: String
    }
}

enum Larder2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Glass.self, Shelf.self]

    @Model
    struct Glass {
        #Index<Glass>([\.title], [\.grams])

        let id: ID
        @Attribute(.searchable) var title: String
        var grams: Decimal
        var size: Int
        var shelf: Shelf.ID?
    }

    @Model
    struct Shelf {
        let id: ID
        var label: String
    }
}

enum Larder3: VersionedSchema {
    static let version = SchemaVersion(3)
    static let models: [any Model.Type] = [Glass.self, Shelf.self]

    @Model
    struct Glass {
        #Index<Glass>([\.title], [\.grams], [\.size])

        let id: ID
        @Attribute(.searchable) var title: String
        var grams: Decimal
        var size: Int
        var shelf: Shelf.ID?
        var isFull: Bool = true
    }

    @Model
    struct Shelf {
        let id: ID
        var label: String
    }
}

enum LarderPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Larder1.self, Larder2.self, Larder3.self]
    static var stages: [MigrationStage] {
        [
            .lightweight(
                fromVersion: Larder1.self, toVersion: Larder2.self,
                .rename(Larder1.Jar.self, to: Larder2.Glass.self),
                .rename(\Larder1.Jar.name, to: \Larder2.Glass.title), .fill(\Larder2.Glass.size, with: 5)),
            .lightweight(fromVersion: Larder2.self, toVersion: Larder3.self),
        ]
    }
}

/// A store of the first version, and what must be in it whichever version it has.
struct Larder: Sendable {
    let url: String
    let rows: Int

    /// Makes the store.
    func fill() async throws {
        let store = try await Backends.open(url, Larder1.self)
        let rows = rows
        try await store.write { tx in
            let shelf = try tx.insert(Larder1.Shelf(label: "top"))
            try tx.insert(
                contentsOf: (0..<rows).map { number in
                    Larder1.Jar(
                        name: "Jar \(number)", grams: number, size: number.isMultiple(of: 2) ? number : nil,
                        shelf: shelf.id)
                })
        }
        try await store.close()
    }

    /// Looks which version the store has, and for everything that should be in it.
    ///
    /// - Returns: The version; nil if it can be opened with none, of which the report tells.
    func look(_ report: Report) async throws -> SchemaVersion? {
        // A server may still be carrying out the COMMIT of a process that was killed, and change the store between two
        // openings, or between an opening and its read. The second time, that is over.
        for _ in 0..<2 {
            if let version = try await version(report) { return version }
        }
        report.violation("the store can be opened with no version")
        return nil
    }

    /// The version with which the store can be opened and read; nil if there is none.
    private func version(_ report: Report) async throws -> SchemaVersion? {
        for schema in LarderPlan.schemas.reversed() {
            do {
                let store = try await Backends.open(url, schema, createsIfMissing: false)
                for fault in try await store.check() { report.violation("check: \(fault)") }
                let found = try await texts(of: store)
                if found != expected(schema.version) {
                    report.violation("the rows of version \(schema.version) differ")
                }
                let stages = try await store.marker().stages?.map(\.to) ?? []
                if stages
                    != LarderPlan.schemas.map({ $0.version }).filter({
                        $0 > SchemaVersion(1) && $0 <= schema.version
                    })
                {
                    report.violation("version \(schema.version) has the stages \(stages)")
                }
                try await store.close()
                return schema.version
            } catch let error as StoreError where [.schemaMismatch, .schemaTooNew].contains(error.code) {
                continue
            }
        }
        return nil
    }

    private func texts(of store: any Store) async throws -> [String] {
        let version = store.schema.version
        let texts = try await store.read { tx in
            if version == SchemaVersion(1) {
                return try tx.fetch(Larder1.Jar.all).map {
                    "\($0.name) \($0.grams) \($0.size ?? -1) \($0.shelf != nil)"
                }
            }
            if version == SchemaVersion(2) {
                return try tx.fetch(Larder2.Glass.all).map {
                    "\($0.title) \($0.grams) \($0.size) \($0.shelf != nil)"
                }
            }
            return try tx.fetch(Larder3.Glass.all).map {
                "\($0.title) \($0.grams) \($0.size) \($0.shelf != nil) \($0.isFull)"
            }
        }
        return texts.sorted()
    }

    private func expected(_ version: SchemaVersion) -> [String] {
        let missing = version == SchemaVersion(1) ? -1 : 5
        let end = version == SchemaVersion(3) ? " true true" : " true"
        return (0..<rows).map { "Jar \($0) \($0) \($0.isMultiple(of: 2) ? $0 : missing)\(end)" }.sorted()
    }
}
