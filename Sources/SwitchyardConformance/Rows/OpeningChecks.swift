internal import Switchyard

/// What row S4 says of opening a place whose store has another schema.
enum OpeningChecks {
    static func verify(_ contract: Contract) async throws {
        if contract.harness.limitations[.durability] != nil {
            return try await verifyMarkers(contract)
        }
        let store = try await contract.makeStore(try schema(version: 2, attributes: ["name"]))
        let id = StoredValue.uuid(OperationID().uuid)
        try await store.write { try $0.insertRows(into: "Thing", [[id, .text("kept")]]) }
        let identity = try await store.marker().storeID
        try await store.close()
        for (code, schema) in try refused() {
            try await contract.expectError(code, "opening with another schema") {
                try await contract.harness.reopen(store, schema: schema)
            }
        }
        let again = try await contract.harness.reopen(
            store, schema: try schema(version: 2, attributes: ["name"]))
        let rows = try await again.read { try $0.fetchRows(of: "Thing") }
        let found = try await again.marker().storeID
        try await again.close()
        try contract.expectEqual(rows, [[id, .text("kept")]], "the rows after three refusals")
        try contract.expectEqual(found, identity, "the store's id after three refusals")
    }

    /// A store that ends with the process is never opened twice, but its marker decides alike.
    private static func verifyMarkers(_ contract: Contract) async throws {
        let store = try await contract.makeStore(try schema(version: 2, attributes: ["name"]))
        let marker = try await store.marker()
        try marker.admit(try schema(version: 2, attributes: ["name"]))
        for (code, schema) in try refused() {
            try await contract.expectError(code, "a marker that meets another schema") {
                try marker.admit(schema)
            }
        }
    }

    private static func refused() throws -> [(StoreError.Code, Schema)] {
        [
            (.schemaTooNew, try schema(version: 1, attributes: ["name"])),
            (.schemaMismatch, try schema(version: 3, attributes: ["name"])),
            (.schemaMismatch, try schema(version: 2, attributes: ["name", "more"])),
        ]
    }

    private static func schema(version: Int, attributes: [String]) throws -> Schema {
        try Schema(
            version: SchemaVersion(version),
            entities: [
                Entity(
                    "Thing",
                    attributes: [Attribute("id", type: .uuid)] + attributes.map { Attribute($0, type: .text) }
                )
            ])
    }
}
