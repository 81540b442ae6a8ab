/// The steps of a stage, combined.
struct StageSteps: Sendable {
    private(set) var renames = SchemaRenames()
    /// The dropped parts, by their names in the older version.
    private(set) var drops: Set<PartName> = []
    /// The values of rows that have none, by their place in the newer version.
    private(set) var values: [PartName: StoredValue] = [:]
    /// The values that are calculated from others, by their place in the newer version.
    private(set) var conversions: [PartName: ValueConversion] = [:]
    /// The attribute of the older version that each is calculated from, if it is not the same one.
    private(set) var conversionSources: [PartName: PartName] = [:]
    /// The entities of the newer version whose rows are written by code, besides those that are new.
    private(set) var rewritten: Set<String> = []
    /// Those of them that the code of the stage writes.
    private(set) var rewrittenByStage: Set<String> = []
    /// The code of the steps that writes rows, in order.
    private(set) var rewrites: [MigrationStage.Rewrite] = []
    /// The treatment of rows that a new unique constraint does not allow, by entity.
    private(set) var deduplications: [String: Deduplication] = [:]
    /// The values to calculate for each row after the stage has changed the tables, in order.
    private(set) var backfills: [Backfill] = []

    /// Combines the steps.
    ///
    /// An attribute that is converted to one of another name has become that one, unless the newer version
    /// still has it. If it is converted to several, it has become the first, and the others are new.
    ///
    /// - Throws: `schemaInvalid` for a step that names a property that is not an attribute, or has a value
    ///   that cannot be stored.
    init(_ steps: [MigrationStep], to newer: Schema) throws {
        let kinds = try steps.map { try $0.kind.get() }
        // What has another name by declaration is not renamed by a conversion.
        for case .rename(let old, let new) in kinds { rename(old, to: new) }
        let targets = Set(kinds.compactMap(\.target))
        for kind in kinds {
            switch kind {
            case .rename: break
            case .drop(let part): drops.insert(part)
            case .fill(let part, let value): values[part] = value
            case .convert(let old, let new, let conversion):
                if old.attribute != new.attribute {
                    let kept = PartName(entity: new.entity, attribute: old.attribute)
                    convert(old, to: new, isKept: newer.attribute(kept) != nil && !targets.contains(kept))
                }
                conversions[new] = conversion
            case .convertRows(let old, let new, let rewrite):
                if old != new { renames.rename(old, to: new) }
                rewritten.insert(new)
                rewrites.append(rewrite)
            case .rewrite(let name):
                rewritten.insert(name)
                rewrittenByStage.insert(name)
            case .deduplicate(let name, let policy): deduplications[name] = policy
            case .backfill(let backfill): backfills.append(backfill)
            }
        }
    }

    /// Notes where the values of an attribute come from that is converted to one of another name.
    private mutating func convert(_ old: PartName, to new: PartName, isKept: Bool) {
        let name = old.attribute.flatMap { renames.attributes[old.entity]?[$0] }
        if name == new.attribute { return }
        if isKept || name != nil { conversionSources[new] = old } else { rename(old, to: new) }
    }

    private mutating func rename(_ old: PartName, to new: PartName) {
        if let attribute = old.attribute, let name = new.attribute {
            renames.rename(attribute, of: old.entity, to: name)
        } else {
            renames.rename(old.entity, to: new.entity)
        }
    }

    /// The name of the part in a step: the old one if it is dropped, and the new one otherwise.
    func part(of change: SchemaChange, in older: Schema) -> PartName {
        guard change.need == .declaration, change.part != nil else {
            return PartName(entity: change.entity, attribute: change.part)
        }
        let old = older.entities.first { renames.newName(of: $0.name) == change.entity }
        return PartName(entity: old?.name ?? change.entity, attribute: change.part)
    }
}

extension MigrationStep.Kind {
    /// The part of the newer version that gets the values of a renamed one.
    fileprivate var target: PartName? {
        switch self {
        case .rename(let old, let new), .convert(let old, let new, _):
            old.attribute == new.attribute ? nil : new
        default: nil
        }
    }
}
