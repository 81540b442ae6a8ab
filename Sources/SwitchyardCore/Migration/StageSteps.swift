/// What the steps of a stage say, taken together.
struct StageSteps: Sendable {
    private(set) var renames = SchemaRenames()
    /// What is given up, by its name in the older version.
    private(set) var drops: Set<PartName> = []
    /// The values of rows that have none, by their place in the newer version.
    private(set) var values: [PartName: StoredValue] = [:]
    /// The values that are calculated from others, by their place in the newer version.
    private(set) var conversions: [PartName: ValueConversion] = [:]
    /// The entities of the newer version whose rows are written by code, besides those that are new.
    private(set) var rewritten: Set<String> = []
    /// Those of them that the code of the stage writes.
    private(set) var rewrittenByStage: Set<String> = []
    /// The code of the steps that writes rows, in order.
    private(set) var rewrites: [MigrationStage.Rewrite] = []
    /// What becomes of rows that a new unique constraint does not allow, by the name of their entity.
    private(set) var deduplications: [String: Deduplication] = [:]
    /// What is calculated for each row after the stage has changed the tables, in order.
    private(set) var backfills: [Backfill] = []

    /// Gathers what the steps say.
    ///
    /// - Throws: `schemaInvalid` for a step that names what is no attribute, or has a value that cannot be stored.
    init(_ steps: [MigrationStep]) throws {
        for step in steps {
            switch try step.kind.get() {
            case .rename(let old, let new): rename(old, to: new)
            case .drop(let part): drops.insert(part)
            case .fill(let part, let value): values[part] = value
            case .convert(let old, let new, let conversion):
                if old.attribute != new.attribute { rename(old, to: new) }
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

    private mutating func rename(_ old: PartName, to new: PartName) {
        if let attribute = old.attribute, let name = new.attribute {
            renames.rename(attribute, of: old.entity, to: name)
        } else {
            renames.rename(old.entity, to: new.entity)
        }
    }

    /// What a step calls the part: by its old name if it is dropped, and by the new one otherwise.
    func part(of change: SchemaChange, in older: Schema) -> PartName {
        guard change.need == .declaration, change.part != nil else {
            return PartName(entity: change.entity, attribute: change.part)
        }
        let old = older.entities.first { renames.newName(of: $0.name) == change.entity }
        return PartName(entity: old?.name ?? change.entity, attribute: change.part)
    }
}
