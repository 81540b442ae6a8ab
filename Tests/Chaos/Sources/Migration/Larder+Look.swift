import Foundation
import Switchyard
import SwitchyardCore

extension Larder {
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
                let store = try await Backends.open(
                    url, schema, createsIfMissing: false, scope: scopes.first)
                for wrong in try await store.closing({ try await inspect($0) }) {
                    report.violation("version \(schema.version): \(wrong)")
                }
                return schema.version
            } catch let error as StoreError where [.schemaMismatch, .schemaTooNew].contains(error.code) {
                continue
            }
        }
        return nil
    }

    /// Compares everything in the store with what should be in it.
    ///
    /// - Returns: What is wrong.
    private func inspect(_ store: any Store) async throws -> [String] {
        let version = store.schema.version
        var wrong = try await store.check().map { "check: \($0)" }
        let later = LarderPlan.schemas.map { $0.version }.filter { $0 > SchemaVersion(1) && $0 <= version }
        let stages = try await store.marker().stages?.map(\.to) ?? []
        if stages != later { wrong.append("the stages are \(stages)") }
        for (scope, numbers) in parts {
            let (jars, lids, shelves, history) = try await store.read(
                scope.map { ReadOptions(scopes: [$0]) } ?? ReadOptions()
            ) { tx in
                let lids = tx.schema.entities.map(\.name).first { $0 == "Lid" || $0 == "Cap" }
                return (
                    try Self.jars(tx, version.major), try lids.map { try tx.countRows(of: $0) },
                    try Self.rows(tx, "Shelf", "label", "place"),
                    scope == nil
                        ? nil
                        : try tx.history(after: nil).map { "\($0.author ?? "app") \($0.changes.count)" }
                )
            }
            let wanted = (
                jars: numbers.map { wantedJar($0, version.major) },
                shelves: wantedShelves(version.major),
                // A stage is told in the history of the scope in which the store was opened.
                history: ["app \(Self.recorded)"]
                    + (scope == scopes.first ? later.map { _ in "migration 0" } : [])
            )
            if jars.count != numbers.count || Set(jars) != Set(wanted.jars) { wrong.append("the jars") }
            if let lids, lids != numbers.count { wrong.append("the number of lids is \(lids)") }
            if shelves.count != wanted.shelves.count || Set(shelves) != Set(wanted.shelves) {
                wrong.append("the shelves")
            }
            if let history, history != wanted.history { wrong.append("the history is \(history)") }
        }
        return wrong
    }

    /// Each jar's name, weight and size, the place of its shelf, and whether it is full.
    private static func jars(_ tx: ReadTransaction, _ version: Int) throws -> [[StoredValue]] {
        let places = try values(tx, "Shelf", "id", "place")
        let sizes =
            switch version {
            case 1: try values(tx, "Jar", "id", "size")
            case 2, 3: try values(tx, "Glass", "id", "size")
            case 4: try values(tx, "Lid", "glass", "size")
            default: try values(tx, "Cap", "glass", "radius")
            }
        let jars =
            switch version {
            case 1: try rows(tx, "Jar", "id", "shelf", "name", "grams")
            case 2: try rows(tx, "Glass", "id", "shelf", "title", "grams")
            case 3, 4: try rows(tx, "Glass", "id", "shelf", "title", "grams", "isFull")
            default: try rows(tx, "Glass", "id", "shelf", "title", "weight", "isFull")
            }
        return jars.map { row in row[2...] + [sizes[row[0]] ?? .json("{}"), places[row[1]] ?? .null] }
    }

    /// A jar as it must be, worked out from its number alone.
    private func wantedJar(_ number: Int, _ version: Int) -> [StoredValue] {
        let size = number.isMultiple(of: 2) ? number : version == 1 ? nil : 5
        let place = number % (version < 6 ? 10 * labels : labels)
        let weight: StoredValue =
            switch version {
            case 1: .int(Int64(number))
            case 2, 3, 4: .decimal(Decimal(number))
            default: .text("\(number) g")
            }
        let full: [StoredValue] = version < 3 ? [] : [.bool(true)]
        let measure = size.map { version < 5 ? .int(Int64($0)) : StoredValue.double(Double($0) / 2) }
        return [.text("Jar \(number)"), weight] + full + [measure ?? .null, .int(Int64(place))]
    }

    private func wantedShelves(_ version: Int) -> [[StoredValue]] {
        (0..<(version < 6 ? 10 * labels : labels)).map {
            [.text("Shelf \($0 % labels)"), .int(Int64($0))]
        }
    }

    /// All rows of an entity, each as the values of some attributes.
    private static func rows(
        _ tx: ReadTransaction, _ entity: String, _ attributes: String...
    ) throws -> [[StoredValue]] {
        let names = try tx.schema.require(entity).attributes.map(\.name)
        let columns = attributes.compactMap { names.firstIndex(of: $0) }
        return try tx.fetchRows(of: entity).map { row in columns.map { row[$0] } }
    }

    /// The values of one attribute by those of another.
    private static func values(
        _ tx: ReadTransaction, _ entity: String, _ key: String, _ value: String
    ) throws -> [StoredValue: StoredValue] {
        Dictionary(try rows(tx, entity, key, value).map { ($0[0], $0[1]) }) { first, _ in first }
    }
}
