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
        var faults: [String] = []
        try addingDamage(to: &faults) { faults in
            try forEachRow(of: SQLStatement(text: "PRAGMA integrity_check")) { row in
                if row[0] != "ok" { faults.append("SQLite: \(row[0]).") }
            }
        }
        var isWhole = false
        try addingDamage(to: &faults) { faults in
            let structure = try structure()
            let columns = try structure.ofColumns()
            faults += (columns + (try structure.ofConstraints())).map { "SQLite: \($0)." }
            isWhole = columns.isEmpty
        }
        // A table that is not whole cannot be asked for its rows.
        guard isWhole else { return faults }
        try addingDamage(to: &faults) { faults in
            faults += try danglingReferences(limit: Self.mostFaults).map {
                "A row of \($0.entity.name) refers by \($0.attribute?.name ?? "?") to a row of \($0.target) that is not there."
            }
        }
        for entity in plan.schema.entities {
            try addingDamage(to: &faults, of: entity) { try addUndecodableRows(of: entity, to: &$0) }
        }
        return faults
    }

    /// Looks for faults; where the file is too damaged to be read on, that is one, too.
    private func addingDamage(
        to faults: inout [String], of entity: Entity? = nil, _ look: (inout [String]) throws -> Void
    ) throws {
        do {
            try look(&faults)
        } catch var error as StoreError where error.code == .corrupted {
            error.entity = error.entity ?? entity?.name
            if !faults.contains(error.description) { faults.append(error.description) }
        }
    }

    private func addUndecodableRows(of entity: Entity, to faults: inout [String]) throws {
        let most = faults.count + Self.mostFaults
        try select(.rows(of: entity)) { row in
            do {
                for attribute in entity.attributes {
                    try attribute.requireAllowed(try row.read(attribute.type), in: entity)
                }
            } catch let error as StoreError {
                faults.append(error.description)
            }
            return faults.count < most
        }
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
