internal import SwitchyardCore

/// What happens to rows is what was meant.
extension LintRule {
    static let ofRows = [constantForVaryingValue, constantInUniqueKey, defaultChanged, cascadeIntroduced]

    private static let constantForVaryingValue = ofStages(
        "constant-for-varying-value", .warning,
        why: "A time or an id differs in each new row, but would be the same in all existing rows.",
        fix: "Make the attribute optional, or write each row's own value in a custom stage."
    ) { stage in
        stage.values.compactMap { part, value in
            switch value {
            case .timestamp, .uuid:
                LintFault(
                    nil, part.entity, part.attribute,
                    "\(part) becomes the same in all rows that have no value.")
            default: nil
            }
        }
    }

    private static let constantInUniqueKey = ofEntities(
        "constant-in-unique-key", .warning,
        why: "The second row that relies on the default is refused.",
        fix: "Remove the default, or the unique constraint."
    ) { entity, _ in
        entity.uniqueConstraints.filter { constraint in
            constraint.filter == nil
                && constraint.attributes.allSatisfy { entity.attribute($0)?.defaultValue != nil }
        }.map { constraint in
            let names = constraint.attributes.joined(separator: ", ")
            return (
                constraint.name(in: entity),
                "The unique constraint over \(names) of \(entity.name) has a constant default for each."
            )
        }
    }

    private static let defaultChanged = ofChanges(
        "default-changed", .note, why: "Existing rows keep the value of the older default.",
        fix: "Rewrite the rows in a custom stage if they should have the new one; otherwise accept it."
    ) { change, _, _ in if case .defaultValue(_?, _) = change.kind { change.description } else { nil } }

    private static let cascadeIntroduced = ofChanges(
        "cascade-introduced", .warning,
        why: "A delete that kept or refused rows before now deletes them, with all that they own.",
        fix: "Keep the delete rule, or accept this once the app asks before it deletes."
    ) { change, _, _ in if case .deleteRule(_, .cascade) = change.kind { change.description } else { nil } }
}
