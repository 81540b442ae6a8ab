internal import SwitchyardCore

/// The steps of a stage can be read, and are needed.
extension LintRule {
    static let ofSteps = [invalidStep, unneededStep, refusedFill]

    private static let invalidStep = LintRule(
        "invalid-step", .error,
        why: "A step that names nothing leaves the values that it was meant for unaccounted for.",
        fix: "Name stored properties of the two models that the stage leads from and to."
    ) { plan in
        plan.stages.flatMap { stage in
            stage.faults.map { error in
                var fault = LintFault(stage.to, error.entity, nil, error.message)
                fault.previous = stage.from
                return fault
            }
        }
    }

    private static let unneededStep = LintRule(
        "unneeded-step", .error,
        why: "A step without effect was meant for something else, or is out of date.",
        fix: "Remove the step, or name what it was meant for."
    ) { plan in
        plan.stages.flatMap { stage in
            (stage.comparison?.faults(hasCode: stage.hasCode) ?? []).map { reason in
                var fault = LintFault(stage.to, nil, nil, "The stage \(reason)")
                fault.previous = stage.from
                return fault
            }
        }
    }

    private static let refusedFill = ofStages(
        "refused-fill", .error, why: "The rows would get a value that can never be read.",
        fix: "Fill the attribute with a value of its type, one of its cases, and within its numbers."
    ) { stage in
        stage.values.compactMap { part, value in
            guard let attribute = part.attribute.flatMap({ stage.newer.entity(part.entity)?.attribute($0) }),
                value.isNull || !attribute.allows(value)
            else { return nil }
            return LintFault(
                nil, part.entity, part.attribute, "\(part) is filled with a value that it cannot hold.")
        }
    }
}
