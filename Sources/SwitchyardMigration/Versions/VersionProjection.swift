/// How what is said in the words of one version of a schema is said in those of a later one.
///
/// A mirror's server serves devices with an older version by it, and a device that was migrated sends what it wrote before.
package struct VersionProjection: Sendable, Hashable, Codable {
    /// The older version.
    package let older: Schema
    /// The entities that both versions have.
    package let entities: [EntityProjection]
    /// Why rows of the newer version cannot be told to a device with the older one; nil if they can.
    package let obstacle: String?

    /// Creates a projection.
    package init(from older: Schema, _ entities: [EntityProjection], obstacle: String? = nil) {
        (self.older, self.entities, self.obstacle) = (older, entities, obstacle)
    }

    /// The entity that has a name in the older version; nil if the newer one lacks it.
    package func entity(older name: String) -> EntityProjection? { entities.first { $0.older.name == name } }

    /// The entity that has a name in the newer version; nil if the older one lacks it.
    package func entity(newer name: String) -> EntityProjection? { entities.first { $0.newer.name == name } }

    /// Whether the older version has an attribute of the newer one.
    package func knows(_ position: Int, of entity: String) -> Bool {
        self.entity(newer: entity)?.sources[position].position != nil
    }

    /// Whether a device with the older version can have seen a value of the newer one.
    package func shows(_ value: StoredValue, at position: Int, of entity: String) -> Bool {
        guard let entity = self.entity(newer: entity), let old = entity.sources[position].position else {
            return false
        }
        return entity.older.attributes[old].holds(value)
    }

    /// The way through both projections, the second of which begins where this one ends.
    package func followed(by next: VersionProjection) -> VersionProjection {
        VersionProjection(
            from: older,
            entities.compactMap { entity in
                next.entity(older: entity.newer.name).map { entity.followed(by: $0) }
            },
            obstacle: obstacle ?? next.obstacle)
    }
}

/// How the rows of one entity are said in the words of a later version.
package struct EntityProjection: Sendable, Hashable, Codable {
    /// Where the value of an attribute comes from.
    package enum Source: Sendable, Hashable, Codable {
        /// An attribute of the older version, by its position, and the value of a row that has none.
        case attribute(Int, fallback: StoredValue)
        /// The older version has no such attribute: each row gets this value.
        case value(StoredValue)
        /// Code calculates it, from an attribute of the older version or, if that is nil, from anything.
        case calculated(from: Int?)

        /// The position of the older version's attribute.
        package var position: Int? {
            switch self {
            case .attribute(let position, _): position
            case .value: nil
            case .calculated(let position): position
            }
        }
    }

    package let older: Entity
    package let newer: Entity
    /// A source for each attribute of the newer version, in its order.
    package let sources: [Source]

    /// Creates a projection of an entity.
    package init(from older: Entity, to newer: Entity, _ sources: [Source]) {
        (self.older, self.newer, self.sources) = (older, newer, sources)
    }

    /// The position in the newer version of an attribute that keeps its values; nil if none does.
    package func position(ofOlder position: Int) -> Int? {
        sources.firstIndex { source in
            if case .attribute(position, _) = source { true } else { false }
        }
    }

    /// The value of an attribute of the newer version.
    ///
    /// - Parameters:
    ///   - position: The attribute's position.
    ///   - old: The value of its source in the older version; nil if it is not known.
    /// - Returns: The value; nil if it is not known, or if code calculates it.
    package func value(at position: Int, from old: StoredValue?) -> StoredValue? {
        switch sources[position] {
        case .attribute(_, let fallback): old.map { newer.attributes[position].value($0, fallback) }
        case .value(let value): value
        case .calculated: nil
        }
    }

    fileprivate func followed(by next: EntityProjection) -> EntityProjection {
        let sources = zip(next.sources, next.newer.attributes).map { source, attribute -> Source in
            switch source {
            case .value: return source
            case .calculated(let position):
                return .calculated(from: position.flatMap { self.sources[$0].position })
            case .attribute(let position, let fallback):
                switch self.sources[position] {
                case .attribute(let old, let earlier):
                    return .attribute(old, fallback: attribute.value(earlier, fallback))
                case .value(let value): return .value(attribute.value(value, fallback))
                case .calculated(let old): return .calculated(from: old)
                }
            }
        }
        return EntityProjection(from: older, to: next.newer, sources)
    }
}

extension Attribute {
    /// The value that stands for one that the attribute cannot hold; nil if it has none that says nothing.
    package var standIn: StoredValue? { defaultValue ?? (isOptional ? .null : nil) }

    /// Whether a row can have the value.
    package func holds(_ value: StoredValue) -> Bool {
        value.isNull ? isOptional : value.type == type && allows(value)
    }

    /// A value of an earlier version of the attribute.
    fileprivate func value(_ old: StoredValue, _ fallback: StoredValue) -> StoredValue {
        ValueSource(name, fallback: fallback).value(of: old, as: type)
    }
}
