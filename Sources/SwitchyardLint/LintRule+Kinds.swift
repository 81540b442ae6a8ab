internal import SwitchyardCore

/// Rules that look at one thing after another.
extension LintRule {
    /// A rule that looks at the entities of each version.
    ///
    /// What several versions in a row have is reported for the first of them. A warning or a note is not reported of
    /// versions of the past that the newest has done away with, because those cannot be changed any more.
    static func ofEntities(
        _ id: String, _ severity: LintSeverity, why: String, fix: String,
        check: @escaping @Sendable (Entity, [Entity]) -> [(part: String?, sentence: String)]
    ) -> LintRule {
        ofVersions(id, severity, why: why, fix: fix) { entities in
            entities.flatMap { entity in
                check(entity, entities).map { LintFault(nil, entity.name, $0.part, $0.sentence) }
            }
        }
    }

    /// A rule that looks at each version as a whole, as `ofEntities`.
    static func ofVersions(
        _ id: String, _ severity: LintSeverity, why: String, fix: String,
        check: @escaping @Sendable ([Entity]) -> [LintFault]
    ) -> LintRule {
        LintRule(id, severity, why: why, fix: fix) { plan in
            var found: [LintFault] = []
            // By what is found, without its version, the first of the versions in a row that have it.
            var running: [LintFault: SchemaVersion] = [:]
            for version in plan.versions {
                let faults = check(version.entities)
                running = Dictionary(
                    faults.map { ($0, running[$0] ?? version.version) },
                    uniquingKeysWith: { first, _ in first })
                for fault in faults where running[fault] == version.version && severity == .error {
                    found.append(fault.of(version.version))
                }
            }
            return severity == .error ? found : running.map { $0.of($1) }
        }
    }

    /// A rule that looks at each stage between two versions that are consistent in themselves.
    static func ofStages(
        _ id: String, _ severity: LintSeverity, why: String, fix: String,
        check: @escaping @Sendable (StageComparison) -> [LintFault]
    ) -> LintRule {
        LintRule(id, severity, why: why, fix: fix) { plan in
            plan.stages.flatMap { stage in
                stage.comparison.map { comparison in
                    check(comparison).map { $0.of(stage.to, since: stage.from) }
                } ?? []
            }
        }
    }

    /// A rule about changes that lose a value, or invent one, if no step says what becomes of it.
    static func ofMissing(
        _ id: String, why: String, fix: String,
        isMeant: @escaping @Sendable (SchemaChange, StageComparison) -> Bool
    ) -> LintRule {
        ofStages(id, .error, why: why, fix: fix) { stage in
            stage.missing.filter { isMeant($0, stage) }.map { LintFault($0) }
        }
    }

    /// A rule about changes of tables that have rows already.
    static func ofChanges(
        _ id: String, _ severity: LintSeverity, why: String, fix: String,
        sentence: @escaping @Sendable (SchemaChange, _ entity: Entity, StageComparison) -> String?
    ) -> LintRule {
        ofStages(id, severity, why: why, fix: fix) { stage in
            stage.changes.compactMap { change in
                guard let entity = stage.newer.entity(change.entity), !stage.rewritten.contains(entity.name),
                    let sentence = sentence(change, entity, stage)
                else { return nil }
                return LintFault(nil, change.entity, change.part, sentence)
            }
        }
    }
}

extension LintFault {
    /// What a change says of itself.
    init(_ change: SchemaChange) {
        self.init(nil, change.entity, change.part, change.description)
    }

    /// The same in a version, or in the stage that leads to it.
    fileprivate func of(_ version: SchemaVersion, since previous: SchemaVersion? = nil) -> LintFault {
        var fault = self
        (fault.version, fault.previous) = (version, previous)
        return fault
    }
}
