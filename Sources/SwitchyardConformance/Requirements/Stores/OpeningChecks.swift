internal import Switchyard
internal import SwitchyardCore

/// Requirement S4 for opening a place whose store has another schema.
enum OpeningChecks {
    static func verify(_ contract: Contract) async throws {
        guard contract.has(.durability) else { return try await verifyMarkers(contract) }
        let store = try await contract.makeStore(try schema(version: 2, attributes: ["name"]))
        let id = StoredValue.uuid(OperationID().uuid)
        try await store.write { try $0.insertRows(into: "Thing", [[id, .text("kept")]]) }
        let identity = try await store.marker().storeID
        try await store.close()
        for (code, schema) in try refused() {
            try await contract.expectError(code, "opening with another schema") {
                try await contract.reopen(store, schema)
            }
        }
        let again = try await contract.reopen(store, try schema(version: 2, attributes: ["name"]))
        let rows = try await again.read { try $0.fetchRows(of: "Thing") }
        let found = try await again.marker().storeID
        try await again.close()
        try contract.expectEqual(rows, [[id, .text("kept")]], "the rows after three refusals")
        try contract.expectEqual(found, identity, "the store's id after three refusals")
        try await options(contract)
    }

    /// Opens a store, both existing and removed, for reading only and without creating a missing one.
    private static func options(_ contract: Contract) async throws {
        let present = try await contract.makeStore()
        try await present.write { try $0.insert(Ticket(number: 1)) }
        try await present.close()
        let reader = try await contract.reopen(present, nil, OpenOptions(access: .readOnly))
        let count = try await reader.read { try $0.count(Ticket.all) }
        try await contract.expectError(.readOnly, "a write to a store opened for reading") {
            try await reader.write { try $0.insert(Ticket(number: 2)) }
        }
        try await reader.close()
        let writer = try await contract.reopen(present, nil, OpenOptions(createsIfMissing: false))
        let later = try await writer.write { tx in
            try tx.insert(Ticket(number: 2))
            return try tx.count(Ticket.all)
        }
        try await writer.close()
        try contract.expectEqual(
            [count, later], [1, 2], "the rows for a reader, and for an opening that makes no store")

        let gone = try await contract.harness.makeStore(ContractSchema.schema, busyTimeout: .seconds(60))
        await contract.harness.dispose(gone)
        for options in [OpenOptions(createsIfMissing: false), OpenOptions(access: .readOnly)] {
            try await contract.expectError(.notFound, "opening with \(options) what is gone") {
                try await contract.reopen(gone, nil, options)
            }
        }
    }

    /// A store that ends with the process is never opened again, but its marker must decide the same way.
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
