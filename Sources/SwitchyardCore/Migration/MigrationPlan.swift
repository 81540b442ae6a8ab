/// A migration plan that was checked: each stage says what becomes of every value.
public struct MigrationPlan: Sendable {
    /// The versions, the oldest first.
    public let schemas: [Schema]
    /// The stages, one from each version to the next.
    let stages: [PlannedStage]

    /// Checks a plan.
    ///
    /// - Throws: `schemaInvalid`, naming the version, the stage or the change that is wrong, and what is missing.
    public init(_ plan: any SchemaMigrationPlan.Type) throws {
        try self.init(plan.schemas, plan.stages)
    }

    /// Checks versions and stages.
    package init(_ schemas: [any VersionedSchema.Type], _ stages: [MigrationStage]) throws {
        try self.init(versions: schemas.map { try $0.schema }, stages: stages)
    }

    private init(versions: [Schema], stages: [MigrationStage]) throws {
        guard !versions.isEmpty else { throw Self.fault("It has no version") }
        for (older, newer) in zip(versions, versions.dropFirst()) where older.version >= newer.version {
            throw Self.fault(
                "Version \(newer.version) comes after \(older.version); give each a greater number than the one before"
            )
        }
        for stage in stages {
            let (from, to) = (stage.older.version, stage.newer.version)
            guard let place = versions.firstIndex(where: { $0.version == from }),
                versions.indices.contains(place + 1), versions[place + 1].version == to
            else {
                throw Self.fault("A stage leads from \(from) to \(to), which are not a version and the next")
            }
        }
        schemas = versions
        self.stages = try zip(versions, versions.dropFirst()).map { older, newer in
            let found = stages.filter { $0.older.version == older.version }
            guard let stage = found.first else {
                throw Self.fault("No stage leads from \(older.version) to \(newer.version)")
            }
            guard found.count == 1 else {
                throw Self.fault("\(found.count) stages lead from \(older.version) to \(newer.version)")
            }
            return try PlannedStage(stage, from: older, to: newer)
        }
    }

    private static func fault(_ message: String) -> StoreError {
        StoreError(.schemaInvalid, "The migration plan is wrong. \(message).")
    }
}

/// A stage of which it is known what it changes.
struct PlannedStage: Sendable {
    let older: Schema, newer: Schema
    let renames: SchemaRenames
    /// The values of rows that have none, by their place in the newer version.
    let values: [PartName: StoredValue]
    /// The entities of the newer version whose rows the stage's own code writes, besides those that are new.
    let rewritten: Set<String>
    /// Writes them.
    let rewrite: MigrationStage.Rewrite?
    let changes: [SchemaChange]

    /// Compares the two versions of a stage, and checks that its steps say what is missing, and nothing else.
    ///
    /// - Throws: `schemaInvalid`.
    init(_ stage: MigrationStage, from older: Schema, to newer: Schema) throws {
        (self.older, self.newer) = (older, newer)
        var (renames, drops, values) = (SchemaRenames(), Set<PartName>(), [PartName: StoredValue]())
        var rewritten: Set<PartName> = []
        for step in stage.steps {
            switch try step.kind.get() {
            case .rename(let old, let new):
                if let attribute = old.attribute, let name = new.attribute {
                    renames.rename(attribute, of: old.entity, to: name)
                } else {
                    renames.rename(old.entity, to: new.entity)
                }
            case .drop(let part): drops.insert(part)
            case .fill(let part, let value): values[part] = value
            case .rewrite(let part): rewritten.insert(part)
            }
        }
        (self.renames, self.values, rewrite) = (renames, values, stage.rewrite)
        self.rewritten = Set(rewritten.map(\.entity))
        changes = try older.changes(to: newer, renaming: renames)
        var (unused, missing) = (drops.union(values.keys), [String]())
        for change in changes {
            let part = change.part(in: older, renames)
            if self.rewritten.contains(change.entity) { continue }
            let isSaid =
                switch change.need {
                case .nothing: true
                case .declaration: drops.contains(part)
                case .value: values[part].map { newer.allows($0, as: part) } == true
                case .conversion, .deduplication: false
                }
            if change.need != .nothing, isSaid { unused.remove(part) }
            if !isSaid { missing.append(change.description) }
        }
        guard missing.isEmpty else {
            throw fault("does not say what becomes of all values. " + missing.joined(separator: " "))
        }
        if let name = self.rewritten.sorted().first(where: { newer.entity($0) == nil }) {
            throw fault("rewrites \(name), which version \(newer.version) does not have.")
        }
        guard rewritten.isEmpty || rewrite != nil else {
            throw fault("rewrites \(self.rewritten.sorted()[0]) without code for it; make it a custom stage.")
        }
        guard
            rewrite == nil || !rewritten.isEmpty
                || changes.contains(where: { $0.part == nil && $0.kind == .added })
        else {
            throw fault("has code that can write nothing; name the models that it rewrites with .rewrite.")
        }
        if let part = unused.sorted(by: { $0.description < $1.description }).first {
            throw fault("says something of \(part), which needs nothing; remove that step.")
        }
    }

    private func fault(_ message: String) -> StoreError {
        StoreError(.schemaInvalid, "The stage from \(older.version) to \(newer.version) \(message)")
    }
}

extension SchemaChange {
    /// What a step calls the part: by its old name if it is dropped, and by the new one otherwise.
    fileprivate func part(in older: Schema, _ renames: SchemaRenames) -> PartName {
        guard need == .declaration, part != nil else { return PartName(entity: entity, attribute: part) }
        let old = older.entities.first { renames.newName(of: $0.name) == entity }
        return PartName(entity: old?.name ?? entity, attribute: part)
    }
}

extension Schema {
    /// Whether an attribute can hold a value.
    fileprivate func allows(_ value: StoredValue, as part: PartName) -> Bool {
        guard let attribute = part.attribute.flatMap({ entity(part.entity)?.attribute($0) }) else {
            return false
        }
        return !value.isNull && attribute.allows(value)
    }
}
