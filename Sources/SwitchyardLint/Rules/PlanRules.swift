internal import SwitchyardCore

/// The versions and the stages between them form one chain.
extension LintRule {
    static let ofPlans = [
        emptyPlan, duplicateVersion, versionOrder, versionGap, missingStage, forkedVersion, misplacedStage,
        unchangedVersion,
    ]

    private static let emptyPlan = LintRule(
        "empty-plan", .error, why: "A store cannot be opened by a plan without a version.",
        fix: "List the app's current schema in the plan's `schemas`."
    ) { plan in
        plan.versions.isEmpty ? [LintFault(nil, nil, nil, "The plan has no version.")] : []
    }

    private static let duplicateVersion = LintRule(
        "duplicate-version", .error,
        why:
            "A store identifies a version by its number, so the second of two with the same number is never found.",
        fix: "Give the later schema a greater version."
    ) { plan in
        Dictionary(grouping: plan.versions, by: \.version).filter { $1.count > 1 }.map { version, same in
            LintFault(version, nil, nil, "\(same.count) schemas have the version \(version).")
        }
    }

    private static let versionOrder = LintRule(
        "version-order", .error,
        why: "A store goes through the versions in the order of the plan, and only upwards.",
        fix: "List the versions in ascending order, or give the later one a greater number."
    ) { plan in
        plan.pairs.filter { $0.older.version > $0.newer.version }.map { older, newer in
            LintFault(newer.version, nil, nil, "Version \(newer.version) comes after \(older.version).")
        }
    }

    private static let versionGap = LintRule(
        "version-gap", .warning,
        why: "If the version in between was released, its stores can no longer be opened.",
        fix: "Put the missing version back into the plan, or accept the gap if it was never released."
    ) { plan in
        plan.pairs.filter { $0.newer.version.major > $0.older.version.major + 1 }.map { older, newer in
            LintFault(
                newer.version, nil, nil, "No version lies between \(older.version) and \(newer.version).")
        }
    }

    private static let missingStage = LintRule(
        "missing-stage", .error, why: "A store of the older version can no longer be opened.",
        fix: "Add a stage from the one version to the other; a lightweight one without steps may suffice."
    ) { plan in
        plan.pairs.filter { older, newer in
            older.version < newer.version
                && !plan.stages.contains { $0.from == older.version && $0.to == newer.version }
        }.map { older, newer in
            LintFault(newer.version, nil, nil, "No stage leads from \(older.version) to \(newer.version).")
        }
    }

    private static let forkedVersion = LintRule(
        "forked-version", .error, why: "The stages would take a store of that version to different results.",
        fix: "Keep one of the stages."
    ) { plan in
        Dictionary(grouping: plan.stages, by: \.from).filter { $1.count > 1 }.map { version, stages in
            let targets = stages.map(\.to.description).sorted().joined(separator: " and to ")
            return LintFault(version, nil, nil, "Stages lead from \(version) to \(targets).")
        }
    }

    private static let misplacedStage = LintRule(
        "misplaced-stage", .error,
        why: "A stage only runs from a version of the plan to the next one.",
        fix: "Let the stage lead from a version to the next, or remove it."
    ) { plan in
        plan.stages.filter { stage in
            !plan.pairs.contains { $0.older.version == stage.from && $0.newer.version == stage.to }
        }.map { stage in
            LintFault(
                stage.to, nil, nil,
                "A stage leads from \(stage.from) to \(stage.to), which are not a version and the next.")
        }
    }

    private static let unchangedVersion = LintRule.ofStages(
        "unchanged-version", .note,
        why:
            "Each stage costs a backup and a transaction, and an app of the older version cannot open the store afterwards.",
        fix: "Remove the version from the plan if it was not released yet."
    ) { stage in
        guard stage.changes.isEmpty, stage.rewritten.isEmpty else { return [] }
        return [LintFault(nil, nil, nil, "It has the same schema as \(stage.older.version).")]
    }
}
