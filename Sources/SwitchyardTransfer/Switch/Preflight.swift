internal import SwitchyardCore

/// The scan of a store before it is switched.
enum Preflight {
    /// The maximum number of faults that the error names.
    private static let mostFaults = 10

    /// Reads every row, and refuses a store with a row that no other store would accept: because of a value
    /// that its attribute cannot hold, text with NUL, its size, or a dangling reference.
    ///
    /// All backends accept the same names, types and lengths, so only writes that bypassed the store can be
    /// at fault.
    ///
    /// - Throws: `corrupted`, naming the row.
    static func check(_ store: any Store) async throws {
        let faults =
            try await store.read { $0.scopes.isEmpty } ? faults(inHalvesOf: store) : faults(inScopesOf: store)
        guard !faults.isEmpty else { return }
        let named = faults.prefix(mostFaults).joined(separator: "; ")
        let others = faults.count > mostFaults ? "; and more" : ""
        throw StoreError(
            .corrupted,
            "The store has faults that no other store would accept: \(named)\(others). Correct them first; "
                + "nothing was created or changed.")
    }

    private static func faults(inHalvesOf store: any Store) async throws -> [String] {
        let (first, second) = try await store.readHalves { tx, half in
            let faults = try tx.rowFaults(where: half.condition, limit: mostFaults + 1)
            if half.isLower { return faults }
            return faults + (try tx.schema.entities.flatMap { try danglingReferences(of: $0, tx) })
        }
        return first + second
    }

    private static func faults(inScopesOf store: any Store) async throws -> [String] {
        try await store.readInParts { tx in
            try tx.rowFaults(limit: mostFaults + 1)
                + tx.schema.entities.flatMap { try danglingReferences(of: $0, tx) }
        }.flatMap(\.self)
    }

    private static func danglingReferences(of entity: Entity, _ tx: ReadTransaction) throws -> [String] {
        try tx.danglingReferences(of: entity).filter { $0.rows > 0 }.map { attribute, rows in
            rows == 1
                ? "1 row of \(entity.name) refers by \(attribute) to a row that does not exist"
                : "\(rows) rows of \(entity.name) refer by \(attribute) to rows that do not exist"
        }
    }
}
