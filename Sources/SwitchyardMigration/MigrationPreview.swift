/// What a migration would do to a store, as a dry run tells it.
public struct MigrationPreview: Sendable, Hashable, Codable {
    /// The version that the store has.
    public let version: SchemaVersion
    /// The attributes whose rows an interrupted migration has left to be filled, such as `Entry.day`.
    public let unfilled: [String]
    /// The stages that it lacks, in order; none if it has the newest version.
    public let stages: [Stage]
    /// What the tables have and the version of the store does not; a part with an obstacle keeps the store from being
    /// migrated.
    public let unknownParts: [UnknownPart]

    /// Whether nothing that others have added keeps the store from being migrated.
    public var isPossible: Bool { unknownParts.allSatisfy { $0.obstacle == nil } }

    /// One stage.
    public struct Stage: Sendable, Hashable, Codable {
        /// The version before.
        public let from: SchemaVersion
        /// The version afterwards.
        public let to: SchemaVersion
        /// The tables that change, in order.
        public let tables: [Table]
    }

    /// One table.
    public struct Table: Sendable, Hashable, Codable {
        /// The entity, by its name in the newer version; by the older one if it is dropped.
        public let entity: String
        /// What becomes of the table.
        public let fate: Fate
        /// How many rows it has before the stage; nil if a stage before writes or deletes them.
        public let rows: Int?
        /// What is different, each a sentence.
        public let changes: [String]
    }

    /// What becomes of a table.
    public enum Fate: String, Sendable, Hashable, Codable {
        /// It is new.
        case created
        /// It goes, with its rows.
        case dropped
        /// It changes, and keeps its rows.
        case changed
        /// It is made anew, and its rows are written by code.
        case rewritten
        /// It stays as it is, and an attribute of its rows is calculated.
        case filled
    }
}

extension MigrationPlan {
    /// Works out what opening a store by the plan would do, and changes nothing.
    ///
    /// - Parameters:
    ///   - options: How the store is opened; in any case read-only.
    ///   - open: Opens the store with a schema.
    /// - Returns: The stages that it lacks, with the rows that each table has now; in a store with scopes, those of the
    ///   scope in which it is opened.
    /// - Throws: As opening the store by the plan, as far as its rows do not matter.
    package func preview(
        _ options: OpenOptions, _ open: @Sendable (Schema, OpenOptions) async throws -> any Store
    ) async throws -> MigrationPreview {
        var options = options
        (options.access, options.createsIfMissing) = (.readOnly, false)
        do {
            let store = try await open(schema, options)
            try await store.close()
            return MigrationPreview(version: schema.version, unfilled: [], stages: [], unknownParts: [])
        } catch let error as StoreError {
            guard var rest = try stages(lackingIn: error) else { throw error }
            var (found, unfilled) = (rest[0].older, [String]())
            if let unfinished = error.underlying as? UnfinishedBackfill {
                options.role = .migrating
                (found, unfilled) = (rest.removeFirst().newer, unfinished.record?.attributes ?? [])
            }
            let steps = rest.map(\.step)
            let (counts, parts) = try await open(found, options).closing { store in
                let parts = try await store.read { tx in
                    try tx.perform { try tx.driver.unknownParts(before: steps) }
                }
                return (try await store.rowCounts(), parts)
            }
            var rows = counts.mapValues(Int?.some)
            return MigrationPreview(
                version: found.version, unfilled: unfilled, stages: rest.map { $0.preview(&rows) },
                unknownParts: parts)
        }
    }
}

extension PlannedStage {
    /// Tells what the stage does.
    ///
    /// - Parameter rows: How many rows each entity has, and then has; nil where code writes or deletes them.
    /// - Returns: The stage.
    fileprivate func preview(_ rows: inout [String: Int?]) -> MigrationPreview.Stage {
        var (after, tables) = (rows, [MigrationPreview.Table]())
        for change in tableChanges {
            if let old = change.old { after[old.name] = nil }
        }
        for change in tableChanges {
            let count = change.old.flatMap { rows[$0.name] } ?? nil
            let name = change.new?.name ?? change.old?.name ?? ""
            let fate: MigrationPreview.Fate
            switch change {
            case .create:
                fate = .created
                after[name] = .some(rewrites.isEmpty ? 0 : nil)
            case .drop: fate = .dropped
            case .change:
                fate = .changed
                after[name] = .some(mergesRows(of: name) ? nil : count)
            case .replace:
                fate = .rewritten
                after[name] = .some(nil)
            }
            tables.append(
                MigrationPreview.Table(
                    entity: name, fate: fate, rows: change.old == nil ? 0 : count,
                    changes: changes.filter { $0.entity == name }.map(\.difference) + merges(of: name)
                        + fillings(of: name)))
        }
        for name in Set(steps.backfills.map(\.attribute.entity)).subtracting(tables.map(\.entity)).sorted() {
            tables.append(
                MigrationPreview.Table(
                    entity: name, fate: .filled, rows: rows[name] ?? nil, changes: fillings(of: name)))
        }
        rows = after
        return MigrationPreview.Stage(from: older.version, to: newer.version, tables: tables)
    }

    /// What becomes of rows that are equal once their references lead to the rows that stay.
    private func merges(of entity: String) -> [String] {
        let isNew = changes.contains { $0.entity == entity && $0.kind == .unique }
        guard !isNew, mergesRows(of: entity) else { return [] }
        return ["Rows of \(entity) that become equal are merged."]
    }

    /// What is calculated for the rows of an entity after the tables have changed.
    private func fillings(of entity: String) -> [String] {
        steps.backfills.map(\.attribute).filter { $0.entity == entity }.map {
            "\($0) is calculated for each row, a few thousand at a time."
        }
    }
}
