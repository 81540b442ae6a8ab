internal import SwitchyardCore

/// Relationships have two ends, in one version.
extension LintRule {
    static let ofRelationships = [outOfVersion, brokenInverse, missingInverse, cascadeCycle, requiredCycle]

    static let outOfVersion = ofEntities(
        "relationship-out-of-version", .error,
        why: "A row cannot refer to an entity for which the store has no table.",
        fix: "Add the model to the version's `models`, or remove the relationship."
    ) { entity, all in
        let ends =
            entity.attributes.compactMap { attribute in attribute.reference.map { (attribute.name, $0) } }
            + entity.relationships.map { ($0.name, $0.target) }
        return ends.filter { _, target in !all.contains { $0.name == target } }.map { name, target in
            (name, "\(entity.name).\(name) refers to \(target), which this version does not have.")
        }
    }

    static let brokenInverse = ofEntities(
        "broken-inverse", .error, why: "A to-many is read through its inverse, and has no rows without it.",
        fix:
            "Let the inverse be a to-one of the target that refers back, optional if the delete rule is nullify, and "
            + "of one to-many only."
    ) { entity, all in
        entity.relationships.enumerated().compactMap { place, relationship in
            guard let target = all.first(where: { $0.name == relationship.target }) else { return nil }
            let inverse = target.attribute(relationship.inverse)
            let isShared = entity.relationships[..<place].contains {
                $0.target == relationship.target && $0.inverse == relationship.inverse
            }
            let isRequired = relationship.deleteRule == .nullify && inverse?.isOptional == false
            guard inverse?.reference != entity.name || isShared || isRequired else { return nil }
            let name = "\(relationship.target).\(relationship.inverse)"
            let reason =
                inverse?.reference != entity.name
                ? "does not refer back" : isShared ? "is that of another to-many" : "cannot become nil"
            return (
                relationship.name, "The inverse \(name) of \(entity.name).\(relationship.name) \(reason)."
            )
        }
    }

    private static let missingInverse = ofEntities(
        "missing-inverse", .warning,
        why:
            "Without a to-many on the other side nothing says what happens to these rows when the other is deleted.",
        fix:
            "Declare a to-many with a delete rule on the other model, or accept that such a delete is refused."
    ) { entity, all in
        entity.attributes.compactMap { attribute in
            guard let target = all.first(where: { $0.name == attribute.reference }),
                !target.relationships.contains(where: {
                    $0.target == entity.name && $0.inverse == attribute.name
                })
            else { return nil }
            return (
                attribute.name,
                "\(entity.name).\(attribute.name) refers to \(target.name), which has no to-many with this inverse."
            )
        }
    }

    private static let cascadeCycle = ofVersions(
        "cascade-cycle", .warning,
        why: "One delete can reach unexpected rows, and in the end all of them.",
        fix: "Give one relationship of the cycle the delete rule nullify or deny; accept it for a tree."
    ) { entities in
        cycles(entities) { entity in
            entity.relationships.filter { $0.deleteRule == .cascade }.map(\.target)
        }.map { cycle in
            LintFault(
                nil, cycle[0], nil,
                "Deletes cascade in a circle: \((cycle + [cycle[0]]).joined(separator: " to ")).")
        }
    }

    private static let requiredCycle = ofVersions(
        "required-cycle", .warning,
        why: "None of the rows can be written without the others, nor copied to another store in turn.",
        fix: "Make one reference of the cycle optional."
    ) { entities in
        cycles(entities) { entity in entity.attributes.filter { !$0.isOptional }.compactMap(\.reference) }
            .map { cycle in
                LintFault(
                    nil, cycle[0], nil,
                    "Required references form a circle: \((cycle + [cycle[0]]).joined(separator: " to ")).")
            }
    }

    /// The shortest way from each entity back to itself; each circle once, from the first of its names.
    private static func cycles(_ entities: [Entity], next: (Entity) -> [String]) -> [[String]] {
        let ways = Dictionary(
            entities.map { ($0.name, Array(Set(next($0))).sorted()) }, uniquingKeysWith: { first, _ in first }
        )
        return ways.keys.sorted().compactMap { start in
            var (paths, seen) = ([[start]], Set<String>())
            while !paths.isEmpty {
                var longer: [[String]] = []
                for path in paths {
                    for name in ways[path[path.count - 1]] ?? [] {
                        if name == start { return path.min() == start ? path : nil }
                        if seen.insert(name).inserted { longer.append(path + [name]) }
                    }
                }
                paths = longer
            }
            return nil
        }
    }
}
