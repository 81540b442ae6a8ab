extension Store {
    /// The number of rows of each entity, in one snapshot.
    package func rowCounts() async throws -> [String: Int] {
        try await read { tx in
            Dictionary(
                uniqueKeysWithValues: try tx.schema.entities.map { ($0.name, try tx.countRows(of: $0.name)) })
        }
    }
}
