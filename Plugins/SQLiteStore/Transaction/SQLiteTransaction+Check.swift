internal import SwitchyardCore
internal import SwitchyardSQL

extension SQLiteTransaction {
    /// How many faults of one kind are told; a damaged file could hold any number.
    private static var mostFaults: Int { 100 }

    /// What compares the store's tables and indexes with the schema.
    func structure() throws -> StructureFaults {
        func ask(_ text: String) throws -> [[String]] { try values(SQLStatement(text: text)) }
        return StructureFaults(plan, found: try ask(StructureFaults.query), rows: ask)
    }

    /// What is wrong with the store, one sentence each.
    func faults() throws -> [String] {
        var faults = try values(SQLStatement(text: "PRAGMA integrity_check")).map { $0[0] }.filter {
            $0 != "ok"
        }
        .map { "SQLite: \($0)." }
        let structure = try structure()
        let columns = try structure.ofColumns()
        faults += (columns + (try structure.ofConstraints())).map { "SQLite: \($0)." }
        // A table that is not whole cannot be asked for its rows.
        guard columns.isEmpty else { return faults }
        faults += try danglingReferences(limit: Self.mostFaults).map {
            "A row of \($0.entity.name) refers by \($0.attribute?.name ?? "?") to a row of \($0.target) that is not there."
        }
        for entity in plan.schema.entities { faults += try undecodableRows(of: entity) }
        return faults
    }

    private func undecodableRows(of entity: Entity) throws -> [String] {
        var faults: [String] = []
        try select(.rows(of: entity)) { row in
            do {
                for attribute in entity.attributes {
                    try attribute.requireAllowed(try row.read(attribute.type), in: entity)
                }
            } catch let error as StoreError {
                faults.append(error.description)
            }
            return faults.count < Self.mostFaults
        }
        return faults
    }
}

extension Attribute {
    /// Refuses a raw value that is no case of the attribute's enum, and a number that its type cannot hold.
    ///
    /// SQLite's own check leaves constraints out where the file is open for reading only.
    fileprivate func requireAllowed(_ value: StoredValue, in entity: Entity) throws {
        guard !allows(value) else { return }
        throw StoreError(
            .corrupted,
            cases == nil
                ? "A row holds a number that the attribute's type cannot hold."
                : "A row holds a raw value that is no case of the enum.", entity: entity.name,
            attribute: name)
    }
}
