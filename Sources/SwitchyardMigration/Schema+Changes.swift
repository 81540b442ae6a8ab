extension Schema {
    /// Works out what is different in a newer version, exactly, and what each difference needs.
    ///
    /// - Parameters:
    ///   - newer: The newer version.
    ///   - renames: What has another name there.
    /// - Returns: The differences: of each entity together, entities in the order of their names; none if only the version
    ///   differs.
    /// - Throws: `schemaInvalid` for a rename that does not lead from this schema to the newer one.
    public func changes(
        to newer: Schema, renaming renames: SchemaRenames = SchemaRenames()
    ) throws -> [SchemaChange] {
        try renames.validate(from: self, to: newer)
        let kept = Dictionary(uniqueKeysWithValues: entities.map { (renames.newName(of: $0.name), $0) })
        let dropped = entities.filter { newer.entity(renames.newName(of: $0.name)) == nil }
        return newer.entities.flatMap { entity in
            guard let old = kept[entity.name] else { return [SchemaChange(entity.name, nil, .added)] }
            return EntityComparison(old, entity, renames).changes
        } + dropped.map { SchemaChange($0.name, nil, .dropped, .declaration) }
    }
}

/// Compares two versions of an entity.
private struct EntityComparison {
    let old: Entity, new: Entity
    let renames: SchemaRenames

    init(_ old: Entity, _ new: Entity, _ renames: SchemaRenames) {
        (self.old, self.new, self.renames) = (old, new, renames)
    }

    var changes: [SchemaChange] { ofEntity + ofAttributes + ofRelationships + ofConstraints }

    private var ofEntity: [SchemaChange] {
        var changes: [SchemaChange] = []
        if old.name != new.name { changes.append(SchemaChange(new.name, nil, .renamed(from: old.name))) }
        // A table follows the entity's name, unless it has one of its own.
        if old.table != new.table, old.table != old.name || new.table != new.name {
            changes.append(SchemaChange(new.name, nil, .stored(from: old.table, to: new.table)))
        }
        return changes
    }

    private var ofAttributes: [SchemaChange] {
        let kept = Dictionary(
            uniqueKeysWithValues: old.attributes.map { (renames.newName(of: $0.name, in: old), $0) })
        var changes = new.attributes.flatMap { attribute in
            kept[attribute.name].map { ofAttribute($0, attribute) } ?? [added(attribute)]
        }
        changes += old.attributes.filter { new.attribute(renames.newName(of: $0.name, in: old)) == nil }.map {
            SchemaChange(new.name, $0.name, .dropped, .declaration)
        }
        let before = old.attributes.map { renames.newName(of: $0.name, in: old) }.filter {
            new.attribute($0) != nil
        }
        let after = new.attributes.map(\.name).filter { kept[$0] != nil }
        if before != after { changes.append(SchemaChange(new.name, nil, .order)) }
        return changes
    }

    private func added(_ attribute: Attribute) -> SchemaChange {
        let hasValue = attribute.isOptional || attribute.defaultValue != nil
        return SchemaChange(new.name, attribute.name, .added, hasValue ? .nothing : .value)
    }

    private func ofAttribute(_ old: Attribute, _ new: Attribute) -> [SchemaChange] {
        var changes: [SchemaChange] = []
        func add(_ kind: SchemaChange.Kind, _ need: SchemaChange.Need = .nothing) {
            changes.append(SchemaChange(self.new.name, new.name, kind, need))
        }
        if old.name != new.name { add(.renamed(from: old.name)) }
        // A column follows the attribute's name, unless it has one of its own.
        if old.column != new.column, old.column != old.name || new.column != new.name {
            add(.stored(from: old.column, to: new.column))
        }
        if old.type != new.type {
            add(.type(from: old.type, to: new.type), old.isHeldExactly(by: new) ? .nothing : .conversion)
        } else {
            for (kind, need) in limits(old, new) { add(kind, need) }
        }
        if old.isOptional, !new.isOptional { add(.required, .value) }
        if !old.isOptional, new.isOptional { add(.optional) }
        if old.defaultValue != new.defaultValue {
            add(.defaultValue(from: old.defaultValue, to: new.defaultValue))
        }
        let target = old.reference.map { renames.newName(of: $0) }
        if target != new.reference {
            add(
                .reference(from: old.reference, to: new.reference),
                new.reference == nil ? .nothing : .conversion)
        }
        if old.isSearchable != new.isSearchable { add(.searchable(new.isSearchable)) }
        return changes
    }

    /// How the values are limited otherwise, in attributes of one type.
    private func limits(_ old: Attribute, _ new: Attribute) -> [(SchemaChange.Kind, SchemaChange.Need)] {
        var limits: [(SchemaChange.Kind, SchemaChange.Need)] = []
        switch (old.cases, new.cases) {
        case (nil, nil): break
        case (nil, _?): limits.append((.fewerCases(nil), .conversion))
        case (_?, nil): limits.append((.moreCases, .nothing))
        case (let before?, let after?):
            let removed = before.filter { !after.contains($0) }
            if !removed.isEmpty { limits.append((.fewerCases(removed), .conversion)) }
            if after.contains(where: { !before.contains($0) }) { limits.append((.moreCases, .nothing)) }
        }
        guard old.domain != new.domain else { return limits }
        let isWider = new.domain.map { old.domain?.isWithin($0) == true } ?? true
        // The cases of an enum are within its domain anyway.
        let fits = new.domain.map { domain in old.cases?.allSatisfy { domain.contains($0) } == true } ?? true
        limits.append(isWider ? (.widened, .nothing) : (.narrowed, fits ? .nothing : .conversion))
        return limits
    }

    private var ofRelationships: [SchemaChange] {
        var changes: [SchemaChange] = []
        for relationship in new.relationships {
            guard let before = old.relationship(relationship.name) else {
                changes.append(SchemaChange(new.name, relationship.name, .added))
                continue
            }
            let target = renames.newName(of: before.target)
            let inverse = renames.attributes[before.target]?[before.inverse] ?? before.inverse
            if target != relationship.target || inverse != relationship.inverse {
                changes.append(SchemaChange(new.name, relationship.name, .relationship))
            }
            if before.deleteRule != relationship.deleteRule {
                changes.append(
                    SchemaChange(
                        new.name, relationship.name,
                        .deleteRule(from: before.deleteRule, to: relationship.deleteRule)))
            }
        }
        return changes
            + old.relationships.filter { new.relationship($0.name) == nil }.map {
                SchemaChange(new.name, $0.name, .dropped)
            }
    }

    private var ofConstraints: [SchemaChange] {
        let (indexes, uniques) = (old.indexes.map(renamed), old.uniqueConstraints.map(renamed))
        let kept = new.uniqueConstraints.map(\.plain)
        return new.indexes.filter { !indexes.contains($0) }.map {
            SchemaChange(new.name, $0.name(in: new), .index)
        }
            + zip(old.indexes, indexes).filter { !new.indexes.contains($1) }.map { index, _ in
                SchemaChange(new.name, index.name(in: old), .noIndex)
            }
            + new.uniqueConstraints.filter { !uniques.contains($0.plain) }.map {
                SchemaChange(new.name, $0.name(in: new), .unique, .deduplication)
            }
            + zip(old.uniqueConstraints, uniques).filter { !kept.contains($1) }.map { constraint, _ in
                SchemaChange(new.name, constraint.name(in: old), .notUnique)
            }
    }

    private func renamed(_ index: Index) -> Index {
        Index(index.attributes.map { renames.newName(of: $0, in: old) }, where: index.filter)
    }

    private func renamed(_ constraint: UniqueConstraint) -> UniqueConstraint {
        UniqueConstraint(
            constraint.attributes.map { renames.newName(of: $0, in: old) }, where: constraint.filter,
            nilsAreDistinct: constraint.nilsAreDistinct)
    }
}

extension Attribute {
    /// Whether another attribute of another type holds every value of this one exactly, with the same meaning.
    fileprivate func isHeldExactly(by other: Attribute) -> Bool {
        guard other.cases == nil else { return false }
        switch (type, other.type) {
        case (.int, .decimal): return true
        case (.int, .double):
            // Doubles hold all integers up to 2⁵³.
            guard other.domain == nil, case .integers(let range) = domain else { return false }
            let most = Int64(1) << 53
            return range.lowerBound >= -most && range.upperBound <= most
        default: return false
        }
    }
}

extension NumberDomain {
    /// Whether another domain has all numbers of this one.
    fileprivate func isWithin(_ other: NumberDomain) -> Bool {
        switch (self, other) {
        case (.integers(let mine), .integers(let theirs)):
            theirs.lowerBound <= mine.lowerBound && mine.upperBound <= theirs.upperBound
        case (.singlePrecision, .singlePrecision): true
        default: false
        }
    }
}
