extension MigrationPlan {
    /// The way from a version to the newest one.
    ///
    /// - Returns: Nil for the newest version, and if the plan does not have the version.
    package func projection(from isVersion: (Schema) -> Bool) -> VersionProjection? {
        guard let first = stages.firstIndex(where: { isVersion($0.older) }) else { return nil }
        return stages[first...].dropFirst().reduce(stages[first].projection) {
            $0.followed(by: $1.projection)
        }
    }
}

extension PlannedStage {
    /// How what is said in the words of the older version is said in those of the newer.
    var projection: VersionProjection {
        let entities = older.entities.compactMap { old in
            newer.entity(steps.renames.newName(of: old.name)).map { new in
                EntityProjection(
                    from: old, to: new,
                    zip(new.attributes, sources(of: new, from: old)).map {
                        source(of: $0, of: new, from: old, $1)
                    })
            }
        }
        return VersionProjection(from: older, entities, obstacle: obstacle)
    }

    private func source(
        of attribute: Attribute, of new: Entity, from old: Entity, _ source: ValueSource
    ) -> EntityProjection.Source {
        let part = PartName(entity: new.name, attribute: attribute.name)
        let name = steps.conversionSources[part]?.attribute ?? source.attribute
        let position = old.attributes.firstIndex { $0.name == name }
        let isFilled = steps.backfills.contains { $0.attribute == part }
        // The id is the row's, whatever code makes of the rest.
        if attribute.name != "id", isFilled || steps.rewritten.contains(new.name) {
            return .calculated(from: nil)
        }
        if steps.conversions[part] != nil { return .calculated(from: position) }
        return position.map { .attribute($0, fallback: source.fallback) } ?? .value(source.fallback)
    }

    /// Why a device with the older version cannot be told rows of the newer one.
    private var obstacle: String? {
        if !rewrites.isEmpty || !steps.conversions.isEmpty || !steps.backfills.isEmpty {
            return "The stage from \(older.version) to \(newer.version) calculates values."
        }
        return changes.first { change in
            switch change.kind {
            // What is there in one version does not fit the other.
            case .type, .reference, .unique, .notUnique: true
            case .dropped where change.need == .declaration && change.part != nil:
                older.attribute(steps.part(of: change, in: older))?.standIn == nil
            default: false
            }
        }?.difference
    }
}
