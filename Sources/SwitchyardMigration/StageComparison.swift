/// Two versions of a schema, their differences, and the steps of a stage for these.
package struct StageComparison: Sendable {
    /// The two versions.
    package let older: Schema, newer: Schema
    /// The steps.
    let steps: StageSteps
    /// All differences.
    package let changes: [SchemaChange]

    /// The renamed parts.
    package var renames: SchemaRenames { steps.renames }
    /// The values of rows that have none, by their place in the newer version.
    package var values: [PartName: StoredValue] { steps.values }

    /// The entities of the newer version whose rows are written by code, besides those that are new.
    package var rewritten: Set<String> { steps.rewritten }

    /// Compares two versions.
    ///
    /// - Throws: `schemaInvalid` for a step that cannot be read, or a rename that does not lead from one to the other.
    package init(_ steps: [MigrationStep], from older: Schema, to newer: Schema) throws {
        (self.older, self.newer) = (older, newer)
        self.steps = try StageSteps(steps, to: newer)
        changes = try older.changes(to: newer, renaming: self.steps.renames)
    }

    /// The differences that would lose a value, or invent one, because no step accounts for it.
    package var missing: [SchemaChange] {
        changes.filter { change in
            if steps.rewritten.contains(change.entity) { return false }
            let part = steps.part(of: change, in: older)
            return switch change.need {
            case .nothing: false
            case .declaration: !steps.drops.contains(part)
            case .value:
                steps.conversions[part] == nil
                    && steps.values[part].map { newer.allows($0, as: part) } != true
            case .conversion: steps.conversions[part] == nil
            case .deduplication: steps.deduplications[change.entity] == nil
            }
        }
    }

    /// The faults of the steps themselves, each as the end of a sentence that begins with the stage.
    ///
    /// - Parameter hasCode: Whether the stage has code of its own.
    /// - Returns: The faults; empty if the steps cover exactly what is needed.
    package func faults(hasCode: Bool) -> [String] {
        let writesNew = changes.contains { $0.part == nil && $0.kind == .added }
        let strangers = steps.rewritten.filter { newer.entity($0) == nil }.sorted()
        return strangers.map { "rewrites \($0), which version \(newer.version) does not have." }
            + (hasCode
                ? []
                : steps.rewrittenByStage.sorted().prefix(1).map {
                    "rewrites \($0) without code for it; make it a custom stage."
                })
            + (!hasCode || !steps.rewrittenByStage.isEmpty || writesNew
                ? [] : ["has code that can write nothing; name the models that it rewrites with .rewrite."])
            + backfillFaults + conversionFaults
            + unused.map { "says something of \($0), which needs nothing; remove that step." }
    }

    private var backfillFaults: [String] {
        let names = steps.backfills.map(\.attribute)
        return names.enumerated().compactMap { place, name in
            if newer.attribute(name) == nil {
                "fills \(name), which version \(newer.version) does not have."
            } else if name.attribute == "id" {
                "fills \(name), which identifies the rows and cannot change."
            } else if names[..<place].contains(name) {
                "fills \(name) twice; keep one of the steps."
            } else {
                nil
            }
        }
    }

    private var conversionFaults: [String] {
        steps.conversionSources.sorted { $0.key.description < $1.key.description }.compactMap { new, old in
            guard let entity = older.entity(old.entity), older.attribute(old) != nil,
                renames.newName(of: old.entity) == new.entity
            else {
                return
                    "converts \(old) to \(new), and version \(older.version) has no such attribute of \(new.entity)."
            }
            let taken = entity.attributes.first { renames.newName(of: $0.name, in: entity) == new.attribute }
            return taken.map {
                "converts \(old) to \(new), which has values already, those of \(entity.name).\($0.name); convert the rows."
            }
        }
    }

    /// The parts that the steps name needlessly.
    private var unused: [PartName] {
        let open = changes.filter { $0.need != .nothing && !steps.rewritten.contains($0.entity) }
        let needed = Set(open.map { steps.part(of: $0, in: older) })
        let filled = steps.values.keys.filter { steps.conversions[$0] != nil || !needed.contains($0) }
        let converted = steps.conversions.keys.filter {
            steps.rewritten.contains($0.entity) || newer.attribute($0) == nil
        }
        let unique = Set(changes.filter { $0.need == .deduplication }.map(\.entity))
            .union(redirected.map(\.entity.name))
        let deduplicated = steps.deduplications.keys.filter { !unique.contains($0) }
        return steps.drops.subtracting(needed).union(filled).union(converted)
            .union(deduplicated.map { PartName(entity: $0) })
            .sorted { $0.description < $1.description }
    }
}

extension Schema {
    /// Whether an attribute can hold a value.
    fileprivate func allows(_ value: StoredValue, as part: PartName) -> Bool {
        guard let attribute = attribute(part) else { return false }
        return !value.isNull && attribute.allows(value)
    }

    func attribute(_ part: PartName) -> Attribute? {
        part.attribute.flatMap { entity(part.entity)?.attribute($0) }
    }
}
