internal import SwitchyardCore

extension Store {
    /// Reads all rows in few transactions: in one, or in a store with scopes in one for a thousand scopes.
    ///
    /// - Returns: What the body returns of each.
    /// - Throws: What the body throws; as any read.
    func readInParts<Value: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) async throws -> [Value] {
        guard try await read({ !$0.scopes.isEmpty }) else { return [try await read(body)] }
        var (values, last): ([Value], StoreScope?) = ([], nil)
        while true {
            let scopes = try await heldScopes(after: last).map(\.scope)
            guard let end = scopes.last else { return values }
            values.append(try await read(ReadOptions(scopes: scopes), body))
            last = end
        }
    }

    /// The next thousand of the store's scopes, as of now.
    func heldScopes(after last: StoreScope?) async throws -> [HeldScope] {
        try await read { try $0.driver.maintenance.scopes(after: last, limit: 1_000) }
    }

    /// Calls the body with each of the store's scopes, in order.
    func forEachScope(_ body: (StoreScope) async throws -> Void) async throws {
        var last: StoreScope?
        while true {
            let scopes = try await heldScopes(after: last).map(\.scope)
            guard let end = scopes.last else { return }
            for scope in scopes { try await body(scope) }
            last = end
        }
    }

    /// The number of rows of each entity, in all scopes.
    func counts() async throws -> [Int] {
        let none = schema.entities.map { _ in 0 }
        return try await readInParts { tx in try tx.schema.entities.map { try tx.countRows(of: $0.name) } }
            .reduce(none) { zip($0, $1).map(+) }
    }
}

extension ReadOptions {
    /// The options to read one scope; nil for a store without scopes.
    init(of scope: StoreScope?) { self.init(scopes: scope.map { [$0] }) }
}
