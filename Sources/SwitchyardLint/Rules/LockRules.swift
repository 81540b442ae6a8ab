internal import SwitchyardCore

/// What was released stays as it was.
extension LintRule {
    static let ofLocks = [changedVersion, removedVersion, unfrozenVersion]

    private static let changedVersion = LintRule(
        "changed-version", .error,
        why: "Stores of that version already exist with the other schema, and could no longer be opened.",
        fix:
            "Undo the change, and make it in a new version; if the version was never released, freeze it again with "
            + "--replace."
    ) { plan in
        plan.versions.compactMap { version in
            guard let locked = plan.lock?[version.version], let schema = try? version.schema.get(),
                let differences = locked.differences(from: schema)
            else { return nil }
            return LintFault(
                version.version, nil, nil,
                "It was changed since it was frozen: \(differences.joined(separator: "; ")).")
        }
    }

    private static let removedVersion = LintRule(
        "removed-version", .error, why: "Stores of that version can no longer be opened.",
        fix: "Put the version and its stage back into the plan."
    ) { plan in
        (plan.lock?.versions ?? []).filter { locked in
            !plan.versions.contains { $0.version == locked.version }
        }.map {
            LintFault($0.version, nil, nil, "It is frozen in the lock file, and the plan does not have it.")
        }
    }

    private static let unfrozenVersion = LintRule(
        "unfrozen-version", .warning, why: "A change of a version that is not frozen goes unnoticed.",
        fix: "Freeze it when it is released, and commit the lock file."
    ) { plan in
        guard let lock = plan.lock else { return [] }
        return plan.versions.filter { lock[$0.version] == nil }.map {
            LintFault($0.version, nil, nil, "The lock file does not have it.")
        }
    }
}
