/// One entity through the versions of a plan, under whatever name.
struct EntityLineage: Sendable {
    /// The place of the first version that has it.
    let first: Int
    /// The entity in each version from the first on.
    private(set) var entities: [Entity]
    /// Whether code of a stage writes its rows when it is new.
    let isWrittenByCode: Bool
    /// Whether the stage that drops it has code, which may read its rows.
    private(set) var isReadByCode = false
    /// The change of its table from each version to the next.
    private var changes: [TableChange?] = []

    /// The place of the last version that has it.
    var last: Int { first + entities.count - 1 }

    private init(first: Int, _ entity: Entity, isWrittenByCode: Bool) {
        self.first = first
        entities = [entity]
        self.isWrittenByCode = isWrittenByCode
    }

    /// The entity in a version; nil if that does not have it.
    subscript(version: Int) -> Entity? { (first...last).contains(version) ? entities[version - first] : nil }

    /// The change of the table from a version to the next; nil if it is unchanged.
    private func change(after version: Int) -> TableChange? { changes[version - first] }

    /// All entities of a plan.
    static func all(in plan: MigrationPlan) -> [EntityLineage] {
        var all = plan.schemas[0].entities.map { EntityLineage(first: 0, $0, isWrittenByCode: false) }
        for (place, stage) in plan.stages.enumerated() {
            let changes = stage.tableChanges
            let byOld = Dictionary(
                changes.compactMap { change in change.old.map { ($0.name, change) } },
                uniquingKeysWith: { $1 })
            for index in all.indices where all[index].last == place {
                let entity = all[index].entities[place - all[index].first]
                var change = byOld[entity.name]
                if let new = change == nil ? entity : change?.new, stage.calculatesRows(of: new.name) {
                    // Its rows cannot be derived from the table's columns, as with code.
                    change = .replace(entity, by: new)
                }
                guard let next = change == nil ? entity : change?.new else {
                    all[index].isReadByCode = !stage.rewrites.isEmpty
                    continue
                }
                all[index].entities.append(next)
                all[index].changes.append(change)
            }
            for case .create(let entity) in changes {
                all.append(
                    EntityLineage(first: place + 1, entity, isWrittenByCode: !stage.rewrites.isEmpty))
            }
        }
        return all
    }

    /// Whether a table of a version holds the same rows as one of the next, column by column.
    func keepsRows(after version: Int) -> Bool {
        guard let change = change(after: version) else { return true }
        guard case .change(let old, let new, let sources) = change,
            old.table == new.table, old.attributes.count == new.attributes.count
        else { return false }
        return zip(new.attributes, sources).allSatisfy { attribute, source in
            guard source.attribute == attribute.name, let before = old.attribute(attribute.name) else {
                return false
            }
            return before.column == attribute.column && before.type == attribute.type
                && before.isOptional == attribute.isOptional && before.isSearchable == attribute.isSearchable
        }
    }

    /// Where the values of a later version come from; nil if code of a stage in between calculates them.
    ///
    /// - Parameters:
    ///   - version: The version that the table has.
    ///   - target: The later version, which has the entity.
    /// - Returns: A source for each attribute of the later version.
    func sources(from version: Int, to target: Int) -> [ValueSource]? {
        var sources = self[version]?.attributes.map { ValueSource($0.name) } ?? []
        for place in version..<target {
            guard let change = change(after: place) else { continue }
            guard case .change(let old, let new, let next) = change else { return nil }
            sources = zip(new.attributes, next).map { attribute, source in
                guard let index = old.attributes.firstIndex(where: { $0.name == source.attribute }) else {
                    return source
                }
                let before = sources[index]
                return ValueSource(
                    before.attribute, fallback: source.value(of: before.fallback, as: attribute.type))
            }
        }
        return sources
    }
}

extension PlannedStage {
    /// Whether rows of an entity are deleted as duplicates, or filled after the tables have changed.
    fileprivate func calculatesRows(of entity: String) -> Bool {
        mergesRows(of: entity) || steps.backfills.contains { $0.attribute.entity == entity }
    }
}
