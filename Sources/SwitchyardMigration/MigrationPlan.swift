/// A checked migration plan: each stage accounts for every value.
public struct MigrationPlan: Sendable {
    /// The versions, the oldest first.
    public let schemas: [Schema]
    /// The stages, one from each version to the next.
    let stages: [PlannedStage]

    /// The changes of each stage, in order, and whether it has code.
    package var changes: [(from: SchemaVersion, to: SchemaVersion, changes: [SchemaChange], hasCode: Bool)] {
        stages.map { ($0.older.version, $0.newer.version, $0.changes, !$0.rewrites.isEmpty) }
    }

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

    package init(versions: [Schema], stages: [MigrationStage] = []) throws {
        guard !versions.isEmpty else { throw Self.noVersion }
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

    static var noVersion: StoreError { fault("It has no version") }

    private static func fault(_ message: String) -> StoreError {
        StoreError(.schemaInvalid, "The migration plan is wrong. \(message).")
    }
}
