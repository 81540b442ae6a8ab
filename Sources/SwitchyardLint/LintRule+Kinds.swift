internal import SwitchyardCore

/// Rules that examine one part after another.
extension LintRule {
    /// A rule that examines the entities of each version.
    ///
    /// A fault of several consecutive versions is reported for the first of them. A warning or a note about
    /// past versions is not reported if the newest version is free of it, because those cannot be changed any
    /// more.
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

    /// A rule that examines each version as a whole, like `ofEntities`.
    static func ofVersions(
        _ id: String, _ severity: LintSeverity, why: String, fix: String,
        check: @escaping @Sendable ([Entity]) -> [LintFault]
    ) -> LintRule {
        LintRule(id, severity, why: why, fix: fix) { plan in
            var found: [LintFault] = []
            // By fault, without its version: the first of the consecutive versions that have it.
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

    /// A rule that examines each stage between two versions that are consistent in themselves.
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

    /// A rule about changes that lose a value, or invent one, unless a step accounts for it.
    static func ofMissing(
        _ id: String, why: String, fix: String,
        isMeant: @escaping @Sendable (SchemaChange, StageComparison) -> Bool
    ) -> LintRule {
        ofStages(id, .error, why: why, fix: fix) { stage in
            stage.missing.filter { isMeant($0, stage) }.map { LintFault($0) }
        }
    }

    /// A rule about changes of tables that already have rows.
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
    /// The description of a change.
    init(_ change: SchemaChange) {
        self.init(nil, change.entity, change.part, change.description)
    }

    /// The corresponding part of a version, or of the stage that leads to it.
    fileprivate func of(_ version: SchemaVersion, since previous: SchemaVersion? = nil) -> LintFault {
        var fault = self
        (fault.version, fault.previous) = (version, previous)
        return fault
    }
}
