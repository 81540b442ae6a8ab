/// The faults of a store, and their repair.
struct RepairPlan {
    private let survey: RepairSurvey
    private let target: Int?
    private(set) var findings: [StoreDiagnosis.Finding] = []
    private(set) var operations: [StoreDiagnosis.Operation] = []
    private var changes: [TableChange] = []
    private var merges: [StoreRebuild.Merge] = []
    private var dropped: [String] = []

    /// Determines the faults.
    ///
    /// - Parameters:
    ///   - survey: The examined tables and marker.
    ///   - inspect: Returns the obstacles to stages.
    ///   - strays: The number of rows of a table whose reference by an attribute leads to no row of some
    ///     tables.
    /// - Throws: What the closures throw.
    init(
        _ survey: RepairSurvey, inspect: ([SchemaStep]) throws -> [UnknownPart],
        strays: (_ attribute: Attribute, _ table: String, _ targets: [String]) throws -> Int
    ) throws {
        self.survey = survey
        target = survey.target
        findMarkerFaults()
        findings += survey.strangers
        for (name, rows) in survey.examination.drafts.sorted(by: { $0.key < $1.key }) {
            find(
                .tableLeftOver, name,
                "It is left from a change of tables that was not finished"
                    + (rows == 0 ? "." : ", and has rows. Inspect them, and rename or drop it by hand."),
                canBeRepaired: rows == 0)
            if rows == 0 { drop(name, 0, "It is empty.") }
        }
        findings += survey.examination.bookkeepingFaults.map { fault in
            StoreDiagnosis.Finding(
                code: .bookkeeping, table: nil,
                message: "What the store keeps for itself is not whole: \(fault).", canBeRepaired: false)
        }
        let indexFaults = survey.examination.bookkeepingIndexFaults
        for fault in indexFaults {
            find(
                .bookkeeping, nil, "What the store keeps for itself is not whole: \(fault).",
                canBeRepaired: true)
        }
        guard let target else {
            if survey.strangers.isEmpty { find(.tableMissing, nil, "The store has no table of any version.") }
            return
        }
        for (index, lineage) in survey.lineages.enumerated() { place(lineage, survey.found[index], target) }
        try findStrays(strays)
        try findUnknownParts(inspect)
        let faults = findings.filter { $0.code != .partUnknown }
        guard !faults.isEmpty, faults.allSatisfy(\.canBeRepaired) else {
            operations = []
            return
        }
        if !indexFaults.isEmpty {
            operations.append(
                StoreDiagnosis.Operation(
                    table: nil, fate: .indexed, rows: 0,
                    message: "The indexes of the store's own tables are created."))
        }
        operations.append(
            StoreDiagnosis.Operation(
                table: nil, fate: .marked, rows: 0,
                message: "The marker gets version \(survey.plan.schemas[target].version)."))
    }

    /// The diagnosis, for people.
    var diagnosis: StoreDiagnosis {
        let schemas = survey.plan.schemas
        let tables = survey.found.joined().map { table in
            StoreDiagnosis.Table(
                name: table.name, versions: table.fits.map { schemas[$0].version }, rows: table.rows)
        }
        return StoreDiagnosis(
            markedVersion: survey.marked.map { schemas[$0].version },
            version: target.map { schemas[$0].version }, newestVersion: survey.plan.schema.version,
            tables: tables.sorted { $0.name < $1.name }, findings: findings, operations: operations)
    }

    /// Determines the changes that the driver makes.
    ///
    /// - Parameter marker: Returns the marker of a schema, given the store's own.
    /// - Returns: The changes; nil if there is no fault, or one that cannot be repaired.
    func rebuild(_ marker: (_ old: StoreMarker?, Schema) -> StoreMarker) -> StoreRebuild? {
        guard let target, !operations.isEmpty else { return nil }
        let schema = survey.plan.schemas[target]
        return StoreRebuild(
            schema: schema, versions: survey.plan.schemas, changes: changes, merges: merges, dropped: dropped,
            marker: marker(try? survey.examination.marker?.get(), schema))
    }

    private mutating func find(
        _ code: StoreDiagnosis.Code, _ table: String?, _ message: String, canBeRepaired: Bool = false
    ) {
        findings.append(
            StoreDiagnosis.Finding(code: code, table: table, message: message, canBeRepaired: canBeRepaired))
    }

    private mutating func operate(
        _ table: String, _ fate: StoreDiagnosis.Fate, _ rows: Int, _ message: String
    ) {
        operations.append(StoreDiagnosis.Operation(table: table, fate: fate, rows: rows, message: message))
    }

    private func name(_ version: Int) -> String { survey.plan.schemas[version].version.description }

    private mutating func drop(_ table: String, _ rows: Int, _ reason: String) {
        dropped.append(table)
        operate(table, .dropped, rows, reason)
    }

    private mutating func findMarkerFaults() {
        switch survey.examination.marker {
        case nil: return find(.markerMissing, nil, "The store has no marker.", canBeRepaired: true)
        case .failure(let error)?:
            find(.markerDamaged, nil, error.message, canBeRepaired: true)
        case .success(let marker)?:
            let version = marker.schema.version
            if survey.marked == nil {
                let isKnown = survey.plan.schemas.contains { $0.version == version }
                find(
                    .markerUnknown, nil,
                    isKnown
                        ? "The marker has another schema under version \(version) than the plan."
                        : "The marker names version \(version), which the plan does not know.",
                    canBeRepaired: true)
            } else if !survey.examination.isSummaryRight {
                find(
                    .markerDamaged, nil,
                    "The columns beside the marker contradict it.",
                    canBeRepaired: true)
            }
            let (era, last) = (marker.history?.era ?? 0, survey.examination.lastEra)
            if last > era {
                find(
                    .markerDamaged, nil,
                    "The store has the history of era \(last), and its marker knows eras up to \(era).",
                    canBeRepaired: true)
            }
            if let marked = survey.marked, let target, marked != target {
                find(
                    .markerOfOtherVersion, nil,
                    "The marker names version \(name(marked)), and the tables have version \(name(target)).",
                    canBeRepaired: true)
            }
        }
    }
}

extension RepairPlan {
    /// Determines the changes of one entity's tables.
    private mutating func place(
        _ lineage: EntityLineage, _ tables: [RepairSurvey.FoundTable], _ target: Int
    ) {
        guard let entity = lineage[target] else {
            for table in tables {
                let isEmpty = table.rows == 0
                // It cannot be known whether the code that reads the rows has been run.
                guard isEmpty || !lineage.isReadByCode else {
                    needCode(table, lineage.last, target)
                    continue
                }
                find(
                    .tableLeftOver, table.name,
                    "Version \(name(target)) has no such table"
                        + (isEmpty ? "." : "; the plan gives it up after version \(name(lineage.last))."),
                    canBeRepaired: true)
                drop(
                    table.name, table.rows,
                    isEmpty ? "It is empty." : "The plan drops it after version \(name(lineage.last)).")
            }
            return
        }
        // The one of the newest version with rows; if none has any, the one that fits.
        let full = tables.filter { $0.rows > 0 }
        guard let main = full.last ?? tables.first(where: { $0.versions.contains(target) }) ?? tables.last
        else {
            return create(entity, of: lineage, target)
        }
        for other in tables where other.name != main.name {
            guard other.rows > 0 else {
                find(
                    .tableLeftOver, other.name, "It is empty, and left from another version.",
                    canBeRepaired: true)
                drop(other.name, 0, "It is empty.")
                continue
            }
            let version = min(other.versions.upperBound, target)
            find(
                .tableLeftOver, other.name,
                "It is left from version \(name(version)) beside the table \(main.name) of a later one.",
                canBeRepaired: true)
            guard let old = lineage[version], let sources = lineage.sources(from: version, to: target) else {
                needCode(other, version, target)
                continue
            }
            merges.append(StoreRebuild.Merge(old: old, new: entity, sources: sources))
            operate(
                other.name, .merged, other.rows,
                "Rows whose ids \(entity.table) lacks are added to it, as version \(name(target)) has them.")
        }
        carry(main, of: lineage, as: entity, target)
    }

    private mutating func create(_ entity: Entity, of lineage: EntityLineage, _ target: Int) {
        // A table of that name that fits no version was reported, and has the rows.
        guard !survey.strangers.contains(where: { $0.table == entity.table }) else { return }
        // A table that an earlier version already had has been lost with its rows.
        let oldest = survey.found.joined().map { min($0.versions.upperBound, target) }.min() ?? target
        let isNew = lineage.first > max(0, min(oldest, target - 1))
        let isGivenUp = lineage.last < survey.plan.schemas.count - 1 && !lineage.isReadByCode
        guard isNew && !lineage.isWrittenByCode || isGivenUp else {
            return find(
                isNew ? .needsCode : .tableMissing, entity.table,
                isNew
                    ? "It is missing, and the code of the stage to version \(name(lineage.first)) may write its rows."
                    : "It is missing with its rows. Restore the store from a backup.")
        }
        find(
            .tableMissing, entity.table,
            isNew
                ? "It is missing, and new in version \(name(lineage.first))."
                : "It is missing, and the plan gives it up after version \(name(lineage.last)).",
            canBeRepaired: true)
        changes.append(.create(entity))
        operate(entity.table, .created, 0, "It is created, without rows.")
    }

    /// Makes a table that of the target version.
    private mutating func carry(
        _ table: RepairSurvey.FoundTable, of lineage: EntityLineage, as entity: Entity, _ target: Int
    ) {
        if table.versions.contains(target), let differences = table.differences[target] {
            if differences.areNone {
                guard !differences.indexes.isEmpty else { return }
                findConstraints(table, differences.indexes, .constraintMissing)
                return operate(table.name, .indexed, table.rows, "Its indexes are made.")
            }
            findConstraints(table, differences.references, .referenceAstray)
            findConstraints(table, differences.constraints, .constraintMissing)
            changes.append(.change(entity, to: entity, entity.attributes.map { ValueSource($0.name) }))
            return operate(table.name, .remade, table.rows, "It is rebuilt with its keys and checks.")
        }
        let version = min(table.versions.upperBound, target)
        let isAhead = table.versions.lowerBound > target
        find(
            isAhead ? .tableLeftOver : .tableBehind, table.name,
            isAhead
                ? "It has version \(name(table.versions.lowerBound)), and is empty."
                : "It has version \(name(version)), and other tables have version \(name(target)).",
            canBeRepaired: true)
        guard let old = isAhead ? lineage[table.versions.lowerBound] : lineage[version] else { return }
        if table.rows == 0 {
            changes.append(.replace(old, by: entity))
            return operate(entity.table, .remade, 0, "It is empty, and is rebuilt.")
        }
        guard let sources = lineage.sources(from: version, to: target) else {
            return needCode(table, version, target)
        }
        findAstray(table, old, version, entity, target, sources)
        changes.append(.change(old, to: entity, sources))
        operate(
            entity.table, .remade, table.rows,
            "The rows of \(table.name) are carried from version \(name(version)) to \(name(target)).")
    }

    /// Reports references to a table that has since been renamed.
    private mutating func findAstray(
        _ table: RepairSurvey.FoundTable, _ old: Entity, _ version: Int, _ new: Entity, _ target: Int,
        _ sources: [ValueSource]
    ) {
        let schemas = survey.plan.schemas
        for (attribute, source) in zip(new.attributes, sources) {
            guard let before = source.attribute.flatMap(old.attribute),
                let found = before.reference.flatMap({ schemas[version].entity($0)?.table }),
                let needed = attribute.reference.flatMap({ schemas[target].entity($0)?.table }),
                found != needed
            else { continue }
            findConstraints(
                table, ["\(before.column) refers to the table \(found) and not to \(needed)"],
                .referenceAstray)
        }
    }

    private mutating func findConstraints(
        _ table: RepairSurvey.FoundTable, _ faults: [String], _ code: StoreDiagnosis.Code
    ) {
        for fault in faults { find(code, table.name, "In this table \(fault).", canBeRepaired: true) }
    }

    private mutating func needCode(_ table: RepairSurvey.FoundTable, _ version: Int, _ target: Int) {
        find(
            .needsCode, table.name,
            "Between version \(name(version)) and \(name(target)) the code of a stage reads, writes or deletes its rows, "
                + "which needs all tables of the version before. Restore the store from a backup.")
    }

    /// Looks for rows that refer to rows which no table of their target has.
    private mutating func findStrays(
        _ strays: (_ attribute: Attribute, _ table: String, _ targets: [String]) throws -> Int
    ) throws {
        for (index, lineage) in survey.lineages.enumerated() {
            for table in survey.found[index] where table.rows > 0 && target.flatMap({ lineage[$0] }) != nil {
                guard let version = table.fits.last, let entity = lineage[version] else { continue }
                for attribute in entity.attributes {
                    guard let reference = attribute.reference,
                        let target = survey.lineages.firstIndex(where: { $0[version]?.name == reference })
                    else { continue }
                    let targets = survey.found[target].map(\.name)
                    let count = try strays(attribute, table.name, targets)
                    if count > 0 {
                        find(
                            .danglingReference, table.name,
                            "By \(attribute.name) \(count) of its rows refer to rows of \(reference) that do not exist. "
                                + "Restore these, or clear the references by hand.")
                    }
                }
            }
        }
    }
}

extension RepairPlan {
    /// Reports additions to the tables, and those that a migration or a repair would lose.
    private mutating func findUnknownParts(_ inspect: ([SchemaStep]) throws -> [UnknownPart]) throws {
        let remade = Set(changes.compactMap(\.old?.table) + merges.map(\.old.table) + dropped)
        let steps = target.map { survey.plan.stages.dropFirst($0).map(\.step) } ?? []
        let parts =
            findings.isEmpty && !steps.isEmpty
            ? try inspect(steps) : survey.examination.unknown + columnsOfOthers
        let strangers = Set(survey.strangers.compactMap(\.table))
        for var part in parts where part.kind != .column || !strangers.contains(part.table) {
            if remade.contains(part.table) {
                part.obstacle = "A repair would lose it: drop it first, or carry the table over by hand."
            }
            find(part.obstacle == nil ? .partUnknown : .partInTheWay, part.table, part.description)
        }
    }

    /// The columns of the tables that another version has, and not their own.
    private var columnsOfOthers: [UnknownPart] {
        survey.found.joined().flatMap { table -> [UnknownPart] in
            let unknown = survey.examination.unknownColumns(of: table.name)
            let version = target.flatMap { table.fits.contains($0) ? $0 : nil } ?? table.fits.last
            let additions = version.flatMap { table.differences[$0]?.additions } ?? []
            return additions.filter { !unknown.contains($0) }.map {
                UnknownPart(table: table.name, kind: .column, name: $0)
            }
        }
    }
}
