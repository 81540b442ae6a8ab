public import SwitchyardCore

extension SQLTransaction {
    /// The maximum number of faults of one kind that are reported; a damaged store could have any number.
    private static var mostFaults: Int { 100 }

    /// The faults of the store, one sentence each: what the database itself finds, changed tables and keys, dangling
    /// references, and rows that do not decode.
    ///
    /// - Throws: A `StoreError` if the store cannot be read.
    /// - Complexity: Reads every row.
    public func faults() throws -> [String] {
        func told(_ phrases: [String]) -> [String] { phrases.map { "\(Connection.databaseName): \($0)." } }
        var faults: [String] = []
        try addingDamage(to: &faults) { $0 += told(try connection.integrityFaults()) }
        var isWhole = false
        try addingDamage(to: &faults) { faults in
            let catalog = try connection.catalog()
            let columns = try plan.columnFaults(in: catalog)
            faults += told(columns + (try plan.constraintFaults(in: catalog)))
            isWhole = columns.isEmpty
            if columns.isEmpty { faults += told(try markerFaults()) }
        }
        // The rows of an incomplete table cannot be queried.
        guard isWhole else { return faults }
        for entity in plan.schema.tables {
            try addingDamage(to: &faults, of: entity) { try addUndecodableRows(of: entity, to: &$0) }
            for attribute in entity.attributes {
                guard let target = attribute.reference else { continue }
                try addingDamage(to: &faults, of: entity) { faults in
                    let count = try danglingReferences(attribute, of: entity, limit: Self.mostFaults)
                    faults += repeatElement(
                        "A row of \(entity.name) refers by \(attribute.name) to a row of \(target) that does not exist.",
                        count: count)
                }
            }
        }
        return faults
    }

    /// What the marker does not know of the store: a phrase each.
    private func markerFaults() throws -> [String] {
        guard let found = try foundMarker(), case .success(let marker) = found.marker else { return [] }
        let (era, last) = (marker.history?.era ?? 0, try lastEra())
        return
            (found.isSummaryRight
            ? [] : ["what the store keeps beside its marker says something else than the marker"])
            + (last > era
                ? ["there is the history of era \(last), and the marker knows eras up to \(era)"] : [])
    }

    /// The number of rows with a dangling reference, up to a limit.
    public func danglingReferences(_ attribute: Attribute, of entity: Entity, limit: Int) throws -> Int {
        var count = 0
        let statement = try sql.danglingReferences(attribute, of: entity, limit: limit)
        try telling(statement.text).query(
            statement, types: [.uuid],
            context: ErrorContext(entity: entity.name, attributes: ["id"])
        ) { _ in
            count += 1
            return true
        }
        return count
    }

    /// Looks for faults; if the store is too damaged to read on, that is reported as a fault, too.
    private func addingDamage(
        to faults: inout [String], of entity: Entity? = nil, _ look: (inout [String]) throws -> Void
    ) throws {
        if Connection.failuresEndTransaction { try savepoint(1) }
        do {
            try look(&faults)
            if Connection.failuresEndTransaction { try release(savepoint: 1) }
        } catch var error as StoreError where error.code == .corrupted {
            if Connection.failuresEndTransaction { try rollback(toSavepoint: 1) }
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
    /// Throws for a raw value that is not a case of the attribute's enum, and for a number that its type cannot hold.
    ///
    /// SQLite's own check skips constraints if the file is open read-only.
    fileprivate func requireAllowed(_ value: StoredValue, in entity: Entity) throws {
        guard !allows(value) else { return }
        throw StoreError(
            .corrupted,
            cases == nil
                ? "A row holds a number that the attribute's type cannot hold."
                : "A row holds a raw value that is not a case of the enum.", entity: entity.name,
            attribute: name)
    }
}
