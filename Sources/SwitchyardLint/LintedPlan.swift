package import SwitchyardCore

/// A migration plan as written, valid or not.
package struct LintedPlan: Sendable {
    /// A version of the schema.
    package struct Version: Sendable {
        /// The version.
        package let version: SchemaVersion
        /// The declared entities.
        package let entities: [Entity]
        /// The schema, or the first contradiction in it.
        package let schema: Result<Schema, StoreError>

        /// Creates a version of entities.
        package init(_ version: SchemaVersion, _ entities: [Entity]) {
            self.init(version, entities.map { .success($0) })
        }

        init(_ version: SchemaVersion, _ entities: [Result<Entity, StoreError>]) {
            self.version = version
            self.entities = entities.compactMap { try? $0.get() }
            schema = Result { try Schema(version: version, entities: entities.map { try $0.get() }) }
                .mapError { $0 as? StoreError ?? StoreError(.schemaInvalid, "\($0)") }
        }
    }

    /// A stage between two versions.
    package struct Stage: Sendable {
        /// The older and the newer version.
        package let from: SchemaVersion, to: SchemaVersion
        /// The steps.
        package let steps: [MigrationStep]
        /// Whether the stage has code.
        package let hasCode: Bool
        /// Why it cannot be read.
        private(set) var faults: [StoreError] = []
        /// The planned stage; nil if it does not lead from one version of the plan to the next, if one of
        /// them contradicts itself, or if it cannot be read.
        private(set) var comparison: StageComparison?

        /// Creates a stage.
        package init(
            from: SchemaVersion, to: SchemaVersion, _ steps: [MigrationStep] = [], hasCode: Bool = false
        ) {
            (self.from, self.to, self.steps, self.hasCode) = (from, to, steps, hasCode)
        }

        fileprivate mutating func compare(_ pairs: [(older: Version, newer: Version)]) {
            let wrong = steps.compactMap { step -> StoreError? in
                if case .failure(let error) = step.kind { error } else { nil }
            }
            faults = wrong
            guard let pair = pairs.first(where: { $0.older.version == from && $0.newer.version == to }),
                let older = try? pair.older.schema.get(), let newer = try? pair.newer.schema.get()
            else { return }
            do {
                let readable = steps.filter { (try? $0.kind.get()) != nil }
                comparison = try StageComparison(readable, from: older, to: newer)
            } catch let error as StoreError {
                faults.append(error)
            } catch {
                faults.append(StoreError(.schemaInvalid, "\(error)"))
            }
        }
    }

    let versions: [Version]
    let stages: [Stage]
    let lock: SchemaLock?

    /// The versions and their successors.
    var pairs: [(older: Version, newer: Version)] {
        zip(versions, versions.dropFirst()).map { ($0, $1) }
    }

    package init(_ versions: [Version], _ stages: [Stage], lock: SchemaLock? = nil) {
        (self.versions, self.lock) = (versions, lock)
        let pairs = Array(zip(versions, versions.dropFirst()).map { (older: $0, newer: $1) })
        self.stages = stages.map { stage in
            var stage = stage
            stage.compare(pairs)
            return stage
        }
    }

    init(_ plan: any SchemaMigrationPlan.Type, lock: SchemaLock?) {
        self.init(
            plan.schemas.map { schema in Version(schema.version, schema.models.map { $0.entity }) },
            plan.stages.map { stage in
                Stage(
                    from: stage.older.version, to: stage.newer.version, stage.steps,
                    hasCode: stage.rewrite != nil)
            }, lock: lock)
    }
}
