internal import Switchyard
internal import SwitchyardCore

/// Requirement T7 for the error of a denied delete: it is the same each time and on every backend.
enum DenyRequirements {
    static let all: [Requirement] = [
        Requirement("T7+deny", "a denied delete names the reference that denies it, the first of several") {
            contract in
            try await one(contract)
            try await several(contract)
        }
    ]

    private static func one(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let parent = Parent(name: "Mia")
        try await store.write { tx in
            try tx.insert(parent)
            _ = try tx.insert(contentsOf: [DenyChild(parent: parent.id), DenyChild(parent: parent.id)])
        }
        let error = try await contract.expectError(.foreignKey, "a delete that is denied") {
            try await store.write { try $0.delete(parent.id) }
        }
        try expect(contract, error, entity: "DenyChild", attribute: "parent")
    }

    private static func expect(
        _ contract: Contract, _ error: StoreError, entity: String, attribute: String
    ) throws {
        try contract.expectEqual(error.entity, entity, "the entity of the error of a denied delete")
        try contract.expectEqual(error.attribute, attribute, "the attribute of the error of a denied delete")
        try contract.expectEqual(
            error.constraint, "reference_\(entity)_\(attribute)",
            "the constraint of the error of a denied delete")
    }

    /// Four parts are deleted with a whole, and something refers to each of them.
    private static func several(_ contract: Contract) async throws {
        let parts = ["Wheel", "Frame", "Saddle", "Bell"]
        let whole = Entity(
            "Bicycle", attributes: [Attribute("id", type: .uuid)],
            relationships: parts.map {
                Relationship($0.lowercased(), target: $0, inverse: "bicycle", deleteRule: .cascade)
            })
        let lock = Entity(
            "Lock",
            attributes: [Attribute("id", type: .uuid)]
                + parts.map { Attribute($0.lowercased(), type: .uuid, isOptional: true, reference: $0) })
        let entities = parts.map { part in
            Entity(
                part,
                attributes: [
                    Attribute("id", type: .uuid), Attribute("bicycle", type: .uuid, reference: "Bicycle"),
                ],
                relationships: [
                    Relationship("locks", target: "Lock", inverse: part.lowercased(), deleteRule: .deny)
                ])
        }
        for _ in 0..<5 {
            let store = try await contract.makeStore(
                try Schema(version: SchemaVersion(1), entities: [whole, lock] + entities))
            let bicycle = StoredValue.uuid(OperationID().uuid)
            let ids = parts.map { ($0, StoredValue.uuid(OperationID().uuid)) }
            try await store.write { tx in
                try tx.insertRows(into: "Bicycle", [[bicycle]])
                for (part, id) in ids { try tx.insertRows(into: part, [[id, bicycle]]) }
                try tx.insertRows(into: "Lock", [[.uuid(OperationID().uuid)] + ids.map(\.1)])
            }
            let error = try await contract.expectError(.foreignKey, "a delete that four rules deny") {
                try await store.write { try $0.deleteRows(of: "Bicycle", where: .constant(true)) }
            }
            // The schema's entities are sorted by name.
            try expect(contract, error, entity: "Lock", attribute: "bell")
        }
    }
}
