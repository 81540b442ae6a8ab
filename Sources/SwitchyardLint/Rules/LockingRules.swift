internal import SwitchyardCore

/// What a stage holds up in a PostgreSQL database while it runs.
extension LintRule {
    static let ofLocking = [
        blockingIndex, blockingRewrite, blockingCheck, blockingReference, indexOverLongText,
    ]

    private static let blockingIndex = ofChanges(
        "blocking-index", .warning,
        why:
            "PostgreSQL builds the index in the transaction of the stage and blocks writes to the table in the meantime.",
        fix: "Accept it for a table that stays small, or update the app in a quiet period."
    ) { change, entity, _ in
        switch change.kind {
        case .index, .unique: "The index \(change.part ?? "") of \(entity.name) is built while writes wait."
        case .reference(nil, _?):
            "An index of \(entity.name).\(change.part ?? "") is built while writes wait."
        default: nil
        }
    }

    private static let blockingRewrite = ofChanges(
        "blocking-rewrite", .warning,
        why: "PostgreSQL rewrites the whole table and blocks reads and writes of it in the meantime.",
        fix: "Add an attribute instead, which takes no time; accept it for a table that stays small."
    ) { change, entity, stage in
        switch change.kind {
        case .type: "All rows of \(entity.name) are rewritten while reads and writes wait."
        case .required where stage.values[PartName(entity: entity.name, attribute: change.part)] != nil:
            "All rows of \(entity.name) are rewritten while reads and writes wait."
        case .searchable(true):
            "The folded copies of \(entity.name).\(change.part ?? "") are written row by row."
        default: nil
        }
    }

    private static let blockingCheck = ofChanges(
        "blocking-check", .warning,
        why:
            "PostgreSQL checks the value of every row and blocks reads and writes of the table in the meantime.",
        fix: "Accept it for a table that stays small, or keep the cases and numbers unchanged."
    ) { change, entity, _ in
        guard let attribute = change.part.flatMap(entity.attribute), attribute.type != .bool else {
            return nil
        }
        switch change.kind {
        case .moreCases where attribute.cases != nil, .fewerCases, .narrowed,
            .widened where attribute.domain != nil:
            return "The values of \(entity.name).\(attribute.name) are checked while reads and writes wait."
        default: return nil
        }
    }

    private static let blockingReference = ofChanges(
        "blocking-reference", .warning,
        why: "PostgreSQL adds the foreign key to both tables and blocks writes to either in the meantime.",
        fix: "Accept it for tables that stay small, or update the app in a quiet period."
    ) { change, entity, stage in
        guard let attribute = change.part.flatMap(entity.attribute), let target = attribute.reference,
            stage.older.entities.contains(where: {
                (stage.renames.entities[$0.name] ?? $0.name) == entity.name
            })
        else { return nil }
        switch change.kind {
        case .added, .reference:
            return "A foreign key of \(entity.name) to \(target) is added while writes wait."
        default: return nil
        }
    }

    private static let indexOverLongText = ofChanges(
        "index-over-long-text", .warning,
        why:
            "An index holds texts of \(Limits.indexEntryBytes) bytes at most, and a row with a longer one stops the "
            + "migration of its store.",
        fix: "Index an attribute whose length is limited by the app, and accept it with that reason."
    ) { change, entity, _ in
        let attributes =
            switch change.kind {
            case .index: entity.indexes.first { $0.name(in: entity) == change.part }?.attributes
            case .unique: entity.uniqueConstraints.first { $0.name(in: entity) == change.part }?.attributes
            default: nil as [String]?
            }
        let long = (attributes ?? []).filter { name in
            entity.attribute(name).map { [.text, .json, .blob].contains($0.type) && $0.cases == nil } ?? false
        }
        guard !long.isEmpty else { return nil }
        return
            "The index \(change.part ?? "") of \(entity.name) has \(long.joined(separator: ", ")), of any length."
    }
}
