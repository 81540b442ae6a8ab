extension Schema {
    /// The differences between this schema, the store's, and the app's, as one readable phrase each; empty if both are
    /// the same.
    public func differences(from other: Schema) -> [String] {
        var phrases: [String] = []
        for entity in entities where other.entity(entity.name) == nil {
            phrases.append("only the store has the entity \(entity.name)")
        }
        for entity in other.entities {
            guard let mine = self.entity(entity.name) else {
                phrases.append("only the app has the entity \(entity.name)")
                continue
            }
            phrases += mine.differences(from: entity)
        }
        return phrases
    }
}

extension Entity {
    /// The differences between this entity and another version of it, including those in order.
    func differences(from other: Entity) -> [String] {
        let mine = lines()
        let theirs = other.lines()
        let contents =
            mine.filter { !theirs.contains($0) }.map { "the store has \(name): \($0)" }
            + theirs.filter { !mine.contains($0) }.map { "the app has \(name): \($0)" }
        guard contents.isEmpty, mine != theirs else { return contents }
        return zip(parts, other.parts).filter { $0.names != $1.names }.map { store, app in
            "\(name) has its \(store.what) in another order: in the store \(store.names.joined(separator: ", ")); "
                + "in the app \(app.names.joined(separator: ", "))"
        }
    }

    /// The names of all parts, kind by kind.
    private var parts: [(what: String, names: [String])] {
        [
            ("attributes", attributes.map(\.name)),
            ("relationships", relationships.map(\.name)),
            ("indexes", indexes.map { $0.name(in: self) }),
            ("unique constraints", uniqueConstraints.map { $0.name(in: self) }),
        ]
    }
}
