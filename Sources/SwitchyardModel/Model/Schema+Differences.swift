extension Schema {
    /// Compares this schema with another one.
    ///
    /// - Parameters:
    ///   - other: The other schema.
    ///   - here: Whose schema this is, in words.
    ///   - there: Whose the other one is.
    /// - Returns: One readable phrase for each difference; none if both are the same.
    public func differences(
        from other: Schema, here: String = "the store", there: String = "the app"
    ) -> [String] {
        var phrases: [String] = []
        for entity in entities where other.entity(entity.name) == nil {
            phrases.append("only \(here) has the entity \(entity.name)")
        }
        for entity in other.entities {
            guard let mine = self.entity(entity.name) else {
                phrases.append("only \(there) has the entity \(entity.name)")
                continue
            }
            phrases += mine.differences(from: entity, here: here, there: there)
        }
        return phrases
    }
}

extension Entity {
    /// The differences between this entity and another version of it, including those in order.
    func differences(
        from other: Entity, here: String = "the store", there: String = "the app"
    ) -> [String] {
        let mine = lines()
        let theirs = other.lines()
        let contents =
            mine.filter { !theirs.contains($0) }.map { "\(here) has \(name): \($0)" }
            + theirs.filter { !mine.contains($0) }.map { "\(there) has \(name): \($0)" }
        guard contents.isEmpty, mine != theirs else { return contents }
        return zip(parts, other.parts).filter { $0.names != $1.names }.map { mine, theirs in
            "\(name) has its \(mine.what) in another order: in \(here) \(mine.names.joined(separator: ", ")); "
                + "in \(there) \(theirs.names.joined(separator: ", "))"
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
