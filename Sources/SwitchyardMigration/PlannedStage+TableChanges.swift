extension PlannedStage {
    /// What becomes of each table that is not the same in both versions.
    var tableChanges: [TableChange] {
        let kept = Dictionary(
            uniqueKeysWithValues: older.entities.map { (steps.renames.newName(of: $0.name), $0) })
        let dropped = older.entities.filter { newer.entity(steps.renames.newName(of: $0.name)) == nil }
        return dropped.map { .drop($0) }
            + newer.entities.compactMap { entity in
                guard let old = kept[entity.name] else { return .create(entity) }
                if steps.rewritten.contains(entity.name) || isConverted(entity) {
                    return .replace(old, by: entity)
                }
                // A constraint that is awaited is removed for a while, and made again.
                let isSame = old == entity && !awaited.contains { $0.entity.name == entity.name }
                return isSame ? nil : .change(old, to: entity, sources(of: entity, from: old))
            }
    }

    private func isConverted(_ entity: Entity) -> Bool {
        steps.conversions.keys.contains { $0.entity == entity.name }
    }

    /// Where the values of an entity come from.
    func sources(of entity: Entity, from old: Entity) -> [ValueSource] {
        let names = Dictionary(
            uniqueKeysWithValues: old.attributes.map {
                (steps.renames.newName(of: $0.name, in: old), $0.name)
            })
        return entity.attributes.map { attribute in
            let value = steps.values[PartName(entity: entity.name, attribute: attribute.name)]
            guard let name = names[attribute.name] else {
                return ValueSource(nil, fallback: value ?? attribute.defaultValue ?? .null)
            }
            return ValueSource(name, fallback: value ?? .null)
        }
    }
}

extension TableChange {
    /// The change to the entity of the same name in a schema.
    func fitted(to schema: Schema) -> TableChange {
        guard let new = new.flatMap({ schema.entity($0.name) }) else { return self }
        return switch self {
        case .create: .create(new)
        case .drop: self
        case .replace(let old, _): .replace(old, by: new)
        case .change(let old, _, let sources): .change(old, to: new, sources)
        }
    }
}
