internal import Switchyard

/// Requirement T7 for each delete rule, for chains and for cycles.
enum DeleteRuleChecks {
    static func verify(_ contract: Contract) async throws {
        try await cascadeAndNullify(contract)
        try await deny(contract)
        try await noAction(contract)
        try await circles(contract)
        try await uniqueNil(contract)
    }

    private static func cascadeAndNullify(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let (mia, leo) = (Parent(name: "Mia"), Parent(name: "Leo"))
        try await store.write { tx in
            try tx.insert(contentsOf: [mia, leo])
            try tx.insert(contentsOf: [
                CascadeChild(parent: mia.id), CascadeChild(parent: leo.id), CascadeChild(),
            ])
            try tx.insert(contentsOf: [NullifyChild(parent: mia.id), NullifyChild(parent: leo.id)])
        }
        let deleted = try await store.write { try $0.delete(mia.id) }
        try contract.expectEqual(deleted, 1, "the count of a delete that cascades")
        let (cascading, nullified) = try await store.read { tx in
            (
                try tx.fetch(CascadeChild.all).map(\.parent),
                try tx.fetch(NullifyChild.sorted(by: \.parent)).map(\.parent)
            )
        }
        try contract.expectEqual(Set(cascading), [leo.id, nil], "the children left by a cascade")
        try contract.expectEqual(nullified, [nil, leo.id], "the references after nullify")
    }

    private static func deny(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let (mia, leo) = (Parent(name: "Mia"), Parent(name: "Leo"))
        try await store.write { tx in
            try tx.insert(contentsOf: [mia, leo])
            try tx.insert(DenyChild(parent: mia.id))
            try tx.insert(CascadeChild(parent: mia.id))
        }
        let error = try await contract.expectError(.foreignKey, "a delete that is denied") {
            try await store.write { try $0.delete(Parent.all) }
        }
        try contract.expectEqual(error.entity, "DenyChild", "the entity of the error")
        try contract.expectEqual(error.attribute, "parent", "the attribute of the error")
        let counts = try await store.read { [try $0.count(Parent.all), try $0.count(CascadeChild.all)] }
        try contract.expectEqual(counts, [2, 1], "parents and children after a denied delete")
    }

    private static func noAction(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let mia = Parent(name: "Mia")
        let child = LooseChild(parent: mia.id)
        try await store.write { tx in
            try tx.insert(mia)
            try tx.insert(child)
        }
        try await contract.expectError(.foreignKey, "a delete that leaves a reference to nothing") {
            try await store.write { try $0.delete(mia.id) }
        }
        try await store.write { tx in
            try tx.delete(mia.id)
            try tx.delete(child.id)
        }
        try contract.expectEqual(
            try await store.read { try $0.count(LooseChild.all) }, 0, "children afterwards")
    }

    private static func circles(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let (root, middle, leaf) = (TreeNode.ID(), TreeNode.ID(), TreeNode.ID())
        let (myself, other) = (TreeNode.ID(), TreeNode.ID())
        try await store.write { tx in
            try tx.insert(contentsOf: [
                TreeNode(id: leaf, parent: middle), TreeNode(id: middle, parent: root), TreeNode(id: root),
                TreeNode(id: myself, parent: myself), TreeNode(id: other, parent: root),
            ])
        }
        try await store.write { try $0.update(TreeNode(id: root, parent: leaf)) }
        try contract.expectEqual(
            try await store.write { try $0.delete(middle) }, 1, "the count of one node of a circle")
        let left = try await store.read { try $0.fetch(TreeNode.all).map(\.id) }
        try contract.expectEqual(left, [myself], "the nodes left when a circle is gone")
        try contract.expectEqual(
            try await store.write { try $0.delete(myself) }, 1, "the count of a node that is its own parent")
    }

    /// The deleted row holds the only nil key, which the remaining row then gets.
    private static func uniqueNil(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let first = Carriage()
        let second = Carriage(ahead: first.id)
        let third = Carriage(ahead: second.id)
        try await store.write { try $0.insert(contentsOf: [first, second, third]) }
        try contract.expectEqual(
            try await store.write { try $0.delete(first.id) }, 1, "the count of the first of a train")
        let left = try await store.read { try $0.fetch(Carriage.sorted(by: \.ahead), \.id) }
        try contract.expectEqual(left, [second.id, third.id], "the train left, its first carriage first")
        try await contract.expectError(.unique, "a second nil where one is allowed") {
            try await store.write { tx in
                try tx.insert(Carriage(ahead: third.id))
                try tx.delete(second.id)
                try tx.update(Carriage.all, set: [.set(\.ahead, to: nil)])
            }
        }
    }
}
