internal import Switchyard
internal import SwitchyardCore

/// What a transaction works on, and what a savepoint goes back to.
struct Work: Sendable {
    var manifest: Manifest
    var tables: [String: Table]
    /// The tables whose rows the transaction changed.
    var changed: Set<String> = []
    /// Whether an operation's id was noted.
    var isRecorded = false

    init(_ contents: Contents) {
        manifest = contents.manifest
        tables = contents.tables
    }

    func table(_ entity: Entity) throws -> Table {
        guard let table = tables[entity.table] else {
            throw StoreError(.schemaMismatch, "The store has no entity \(entity.name).", entity: entity.name)
        }
        return table
    }

    /// Takes rows out and puts others in.
    ///
    /// - Throws: `notNull`, `check` or `unique`.
    mutating func replace(
        _ old: [[StoredValue]], with new: [[StoredValue]], _ rules: RowRules
    ) throws {
        guard !old.isEmpty || !new.isEmpty else { return }
        for row in new { try rules.check(row) }
        changed.insert(rules.entity.table)
        try tables[rules.entity.table]?.replace(old, with: new, rules)
    }

    /// The references that point at no row, of entities that the transaction changed or that refer to one.
    func danglingReferences(_ schema: Schema) throws -> [StoreError] {
        var faults: [StoreError] = []
        for source in schema.entities {
            for (column, attribute) in source.attributes.enumerated() {
                guard let name = attribute.reference else { continue }
                let target = try schema.require(name)
                guard changed.contains(source.table) || changed.contains(target.table) else { continue }
                let targets = try table(target).rows
                let isDangling = try table(source).rows.values.contains { row in
                    if case .uuid(let id) = row[column] { targets[id] == nil } else { false }
                }
                if isDangling { faults.append(.danglingReference(attribute, of: source)) }
            }
        }
        return faults
    }

    /// What is wrong with the rows, one sentence each.
    func faults(_ schema: Schema) throws -> [String] {
        var faults: [String] = []
        for entity in schema.entities {
            let rules = try RowRules(entity, schema: schema)
            for row in try table(entity).rows.values {
                do { try rules.check(row) } catch { faults.append("\(error)") }
            }
        }
        var all = self
        all.changed = Set(schema.entities.map(\.table))
        return faults + (try all.danglingReferences(schema)).map { "\($0)" }
    }
}
