internal import SwitchyardCore

/// No value is lost, and none is invented, unless a step says so.
extension LintRule {
    static let ofLosses = [
        droppedEntity, droppedAttribute, undeclaredRename, requiredAttributeAdded, attributeMadeRequired,
        typeChanged, numbersNarrowed, enumCasesRemoved, valuesMadeEnum, referenceChanged,
        uniqueWithoutDeduplication,
    ]

    private static let droppedEntity = ofMissing(
        "dropped-entity", why: "All rows of the entity would be lost.",
        fix: "Say `.drop(Old.Model.self)` in the stage, or `.rename` if it has another name."
    ) { change, stage in change.kind == .dropped && change.part == nil && !stage.looksRenamed(change) }

    private static let droppedAttribute = ofMissing(
        "dropped-attribute", why: "The attribute's values would be lost in all rows.",
        fix: "Say `.drop(\\Old.Model.attribute)` in the stage, or `.rename` if it has another name."
    ) { change, stage in change.kind == .dropped && change.part != nil && !stage.looksRenamed(change) }

    private static let undeclaredRename = ofMissing(
        "undeclared-rename",
        why:
            "A part that disappears while one of the same kind appears was probably renamed, and its values would be lost.",
        fix:
            "Say `.rename(old, to: new)` in the stage, or `.drop` if the two have nothing to do with each other."
    ) { change, stage in change.kind == .dropped && stage.looksRenamed(change) }

    private static let requiredAttributeAdded = ofMissing(
        "required-attribute-added", why: "Existing rows have no value for it.",
        fix: "Make it optional, give it a constant default, or say `.fill` in the stage."
    ) { change, _ in change.kind == .added && change.need == .value }

    private static let attributeMadeRequired = ofMissing(
        "attribute-made-required", why: "The rows in which it is nil have no value for it.",
        fix: "Say `.fill` in the stage, or leave it optional."
    ) { change, _ in change.kind == .required }

    private static let typeChanged = ofMissing(
        "type-changed", why: "The old values would be misread.",
        fix: "Convert them in the stage, or add an attribute of the new type beside the old one."
    ) { change, _ in if case .type = change.kind { true } else { false } }

    private static let numbersNarrowed = ofMissing(
        "numbers-narrowed", why: "A row whose number no longer fits stops the migration of its store.",
        fix: "Keep the wider type, or convert the numbers in the stage."
    ) { change, _ in change.kind == .narrowed }

    private static let enumCasesRemoved = ofMissing(
        "enum-cases-removed", why: "Rows with such a case could no longer be read.",
        fix: "Keep the case, or convert it to another in the stage."
    ) { change, _ in if case .fewerCases(_?) = change.kind { true } else { false } }

    private static let valuesMadeEnum = ofMissing(
        "values-made-enum",
        why: "A row with a value that is not among the cases stops the migration of its store.",
        fix: "Convert the values in the stage, or add the enum as an attribute of its own."
    ) { change, _ in change.kind == .fewerCases(nil) }

    private static let referenceChanged = ofMissing(
        "reference-changed", why: "The rows hold ids of another entity, or of none.",
        fix: "Add a reference of its own, and move the values in a custom stage."
    ) { change, _ in if case .reference = change.kind { true } else { false } }

    private static let uniqueWithoutDeduplication = ofStages(
        "unique-without-deduplication", .error,
        why: "Two rows with the same values stop the migration of their store.",
        fix: "Say in the stage which of several rows stays, or check for them in the app instead."
    ) { stage in
        stage.missing.filter { $0.kind == .unique }.map { LintFault($0) }
            + stage.undeclaredMerges.map { entity, constraint, fault in
                LintFault(nil, entity.name, constraint.name(in: entity), "The stage \(fault)")
            }
    }
}

extension StageComparison {
    /// Whether something new could be what was dropped, under another name.
    fileprivate func looksRenamed(_ dropped: SchemaChange) -> Bool {
        guard let name = dropped.part else {
            guard let old = older.entity(dropped.entity) else { return false }
            return newer.entities.contains { entity in
                changes.contains { $0.entity == entity.name && $0.part == nil && $0.kind == .added }
                    && entity.attributes.map(\.shape) == old.attributes.map(\.shape)
            }
        }
        let entity = older.entities.first { (renames.entities[$0.name] ?? $0.name) == dropped.entity }
        guard let old = entity?.attribute(name), let target = newer.entity(dropped.entity) else {
            return false
        }
        return changes.contains { change in
            change.entity == target.name && change.kind == .added
                && change.part.flatMap(target.attribute)?.shape == old.shape
        }
    }
}

extension Attribute {
    /// What two names of one attribute have in common.
    fileprivate var shape: [String?] {
        [type.rawValue, reference, cases.map { "\($0)" }, domain.map { "\($0)" }]
    }
}
