/// Works out which version each table of a store has, and which one the store can have without losing a row.
struct RepairSurvey {
    let plan: MigrationPlan
    let examination: StoreExamination
    let lineages: [EntityLineage]
    /// The tables of each entity, in the order of `lineages`, the one of the newest version last.
    private(set) var found: [[FoundTable]]
    /// The tables that fit no version, or more than one entity, with what is wrong.
    private(set) var strangers: [StoreDiagnosis.Finding] = []
    /// The index of the version that the marker names; nil if the plan lacks it.
    let marked: Int?

    /// A table whose entity is known.
    struct FoundTable {
        let name: String
        let rows: Int
        /// The versions whose rows it could hold.
        var versions: ClosedRange<Int>
        /// The versions whose columns, keys and checks it has; if there are none, the versions with the same
        /// columns.
        let fits: [Int]
        let differences: [Int: TableDifferences]
    }

    init(_ plan: MigrationPlan, _ examination: StoreExamination) {
        self.plan = plan
        self.examination = examination
        let lineages = EntityLineage.all(in: plan)
        self.lineages = lineages
        found = Array(repeating: [], count: lineages.count)
        let marker = try? examination.marker?.get()
        marked = marker.flatMap { marker in
            plan.schemas.firstIndex {
                $0.version == marker.schema.version && $0.fingerprint == marker.schema.fingerprint
            }
        }
        for (name, table) in examination.tables.sorted(by: { $0.key < $1.key }) { place(name, table) }
        for index in found.indices {
            found[index].sort { $0.versions.upperBound < $1.versions.upperBound }
        }
    }

    /// Finds out whose table it is.
    private mutating func place(_ name: String, _ table: ExaminedTable) {
        let strangeColumns = examination.unknownColumns(of: name)
        let owners = lineages.indices.compactMap { index -> (Int, [Int: TableDifferences])? in
            let lineage = lineages[index]
            let all = (lineage.first...lineage.last).compactMap { version in
                lineage[version].flatMap { table.differences[EntityPlace(version, $0.name)] }.map {
                    (version, $0)
                }
            }.filter { $0.1.columns.isEmpty }
            let exact = all.filter { strangeColumns.isSuperset(of: $0.1.additions) }
            // A column that another version shares does not hide the version that the marker names.
            let differences = exact.isEmpty ? all.filter { $0.0 == marked } : exact
            return differences.isEmpty
                ? nil : (index, Dictionary(uniqueKeysWithValues: differences))
        }
        let whole = owners.filter { owner in owner.1.values.contains(where: \.areNone) }
        let candidates = whole.isEmpty ? owners : whole
        guard let (index, differences) = candidates.first else {
            return strangers.append(unknown(name, table))
        }
        let exact = differences.filter { $0.value.areNone }.keys.sorted()
        let fits = exact.isEmpty ? differences.keys.sorted() : exact
        let runs = runs(of: fits, in: lineages[index])
        guard candidates.count == 1, let run = runs.first else {
            return strangers.append(ambiguous(name, "It could be of several entities."))
        }
        // The marker is believed where all tables fit it.
        let believed =
            runs.count == 1 ? run : runs.first { run in fitsMarked && marked.map(run.contains) == true }
        guard let versions = believed else {
            let list = fits.map { plan.schemas[$0].version.description }.joined(separator: ", ")
            return strangers.append(
                ambiguous(
                    name,
                    "It has the structure of the versions \(list), between which rows are recalculated, so "
                        + "its version is unknown."))
        }
        found[index].append(
            FoundTable(name: name, rows: table.rows, versions: versions, fits: fits, differences: differences)
        )
    }

    /// Whether every table with rows has the columns of the version that the marker names.
    private var fitsMarked: Bool {
        guard let marked else { return false }
        return examination.tables.values.allSatisfy { table in
            table.rows == 0
                || table.differences.contains { $0.key.schema == marked && $0.value.columns.isEmpty }
        }
    }

    /// Versions one after the other whose tables hold the same rows.
    private func runs(of versions: [Int], in lineage: EntityLineage) -> [ClosedRange<Int>] {
        versions.reduce(into: []) { runs, version in
            if let last = runs.last, last.upperBound == version - 1, lineage.keepsRows(after: version - 1) {
                runs[runs.count - 1] = last.lowerBound...version
            } else {
                runs.append(version...version)
            }
        }
    }

    private func unknown(_ name: String, _ table: ExaminedTable) -> StoreDiagnosis.Finding {
        let lists = table.differences.sorted { $0.key.schema < $1.key.schema }.map { place, differences in
            "Compared with version \(plan.schemas[place.schema].version), "
                + (differences.columns + differences.additions.map { "there is a column \($0)" })
                .joined(separator: ", ") + "."
        }
        return StoreDiagnosis.Finding(
            code: .tableUnknown, table: name,
            message: (["The table fits no version of the plan."] + lists).joined(separator: " "),
            canBeRepaired: false)
    }

    private func ambiguous(_ name: String, _ reason: String) -> StoreDiagnosis.Finding {
        StoreDiagnosis.Finding(code: .tableAmbiguous, table: name, message: reason, canBeRepaired: false)
    }

    /// The index of the version that the store can have: the lowest that no table with rows has moved past,
    /// or the marker's if every table with rows fits it; nil without tables.
    var target: Int? {
        let all = found.joined()
        let full = all.contains { $0.rows > 0 } ? all.filter { $0.rows > 0 } : Array(all)
        guard let least = full.map(\.versions.lowerBound).max() else { return nil }
        if let marked, marked >= least, full.allSatisfy({ $0.versions.contains(marked) }) { return marked }
        return least
    }
}
