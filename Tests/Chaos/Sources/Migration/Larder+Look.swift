import Foundation
import Switchyard
import SwitchyardCore

extension Larder {
    /// Whether the migration has come to its end: the store has the newest version, and all that should be in it.
    func isMigrated(_ report: Report) async throws -> Bool {
        guard let found = try await look(report) else { return false }
        return found == (LarderPlan.newest, .active)
    }

    /// Looks which version the store has, and for everything that should be in it.
    ///
    /// - Returns: The version, and the role; nil, with a word in the report, if no version opens it.
    @discardableResult
    func look(_ report: Report) async throws -> (version: SchemaVersion, role: StoreRole)? {
        // A server may still be carrying out the COMMIT of a process that was killed, and change the store between two
        // openings, or between an opening and its read. The second time, that is over.
        for _ in 0..<2 {
            if let found = try await find(report) { return found }
        }
        report.violation("the store can be opened with no version")
        return nil
    }

    /// The version and the role with which the store can be opened and read, if any.
    private func find(_ report: Report) async throws -> (SchemaVersion, StoreRole)? {
        for schema in LarderPlan.schemas.reversed() {
            // While glasses are still being given their numbers, the store has a role of its own.
            for role in [StoreRole.active, .migrating] {
                do {
                    let store = try await Backends.open(
                        url, schema, createsIfMissing: false, role: role, scope: scopes.first)
                    for wrong in try await store.closing({ try await inspect($0) }) {
                        report.violation("version \(schema.version): \(wrong)")
                    }
                    return (schema.version, role)
                } catch let error as StoreError
                    where [.schemaMismatch, .schemaTooNew, .migrationUnfinished, .carriedOutElsewhere]
                    .contains(
                        error.code)
                {
                    continue
                }
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
        for (scope, wantedJars) in parts {
            let (marker, jars, lids, shelves, numbers, history) = try await store.read(
                scope.map { ReadOptions(scopes: [$0]) } ?? ReadOptions()
            ) { tx in
                let lids = tx.schema.entities.map(\.name).first { $0 == "Lid" || $0 == "Cap" }
                return (
                    try tx.driver.maintenance.marker(), try Self.jars(tx, version.major),
                    try lids.map { try tx.countRows(of: $0) },
                    try Self.rows(tx, "Shelf", "label", "place"),
                    version.major < 7 ? [] : try Self.rows(tx, "Glass", "weight", "number"),
                    scope == nil
                        ? nil : try tx.history(after: nil).map { ($0.author ?? "app", $0.changes.count) }
                )
            }
            let wanted = (
                jars: wantedJars.map { wantedJar($0, version.major) },
                shelves: wantedShelves(version.major),
                // A stage is told in the history of the scope in which the store was opened.
                history: ["app \(Self.recorded)"]
                    + (scope == scopes.first ? later.map { _ in "migration 0" } : [])
            )
            let numbered = numbers.filter { $0[1] != .int(-1) }.count
            if !numbers.allSatisfy({ $0[1] == .int(-1) || $0[0] == .text("\($0[1].number ?? -2) g") }) {
                wrong.append("the numbers of glasses")
            }
            if let record = marker.backfill, record.scope == scope, record.filled != numbered {
                wrong.append("\(numbered) glasses have numbers, and \(record.filled) should")
            }
            if marker.role == .active, version.major == 7, numbered != wantedJars.count {
                wrong.append("only \(numbered) glasses have numbers")
            }
            if jars.count != wantedJars.count || Set(jars) != Set(wanted.jars) { wrong.append("the jars") }
            if let lids, lids != wantedJars.count { wrong.append("the number of lids is \(lids)") }
            if shelves.count != wanted.shelves.count || Set(shelves) != Set(wanted.shelves) {
                wrong.append("the shelves")
            }
            if let history {
                // Each transaction that filled rows is told, and those of the stages besides.
                let filled = history.dropFirst().reduce(0) { $0 + $1.1 }
                let told = history.filter { $0.0 != "migration" || $0.1 == 0 }.map { "\($0) \($1)" }
                if told != wanted.history { wrong.append("the history is \(told)") }
                if filled != numbered {
                    wrong.append("the history tells of \(filled) glasses with numbers, of \(numbered)")
                }
            }
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

extension StoredValue {
    /// The integer, if it is one.
    fileprivate var number: Int64? {
        guard case .int(let number) = self else { return nil }
        return number
    }
}
