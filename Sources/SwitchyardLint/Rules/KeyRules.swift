internal import SwitchyardCore

/// Keys that hold on several devices at once.
extension LintRule {
    static let ofKeys = [
        invalidID, counterKey, floatingPointKey, uniqueAcrossDevices, requiredReferenceAcrossDevices,
    ]

    static let invalidID = ofEntities(
        "invalid-id", .error,
        why:
            "Rows need an id that every device can create by itself, unlike a counter or a text.",
        fix: "Let the first property be `let id: ID`."
    ) { entity, _ in
        guard let first = entity.attributes.first, first.name == "id", first.type == .uuid, !first.isOptional
        else { return [("id", "\(entity.name) does not begin with an id that is a UUID and never nil.")] }
        return []
    }

    private static let counterKey = ofEntities(
        "counter-key", .warning, why: "Two devices count to the same number before they hear of each other.",
        fix: "Refer to rows by their id, and calculate the number where it is shown."
    ) { entity, _ in
        entity.keys.filter { $0.attributes.count == 1 && $0.attributes[0].type == .int }.map { key in
            (key.name, "\(entity.name).\(key.attributes[0].name) is a unique number.")
        }
    }

    private static let floatingPointKey = ofEntities(
        "floating-point-key", .warning,
        why:
            "Two calculations of one number can differ in its last digit, so that equal keys are not found equal.",
        fix: "Use an integer, a decimal or a text in the constraint."
    ) { entity, _ in
        entity.keys.flatMap { key in
            key.attributes.filter { $0.type == .double }.map { attribute in
                (key.name, "\(entity.name).\(attribute.name) is a double, and part of a unique constraint.")
            }
        }
    }

    private static let uniqueAcrossDevices = ofEntities(
        "unique-across-devices", .note,
        why:
            "Two devices that are offline can each write a row with the same values, and one is refused when they meet.",
        fix: "Merge such rows in the app instead, or accept the constraint if the store is never synced."
    ) { entity, _ in
        entity.keys.filter { key in
            // The id of another row is one that no other device gives away.
            !key.attributes.contains { $0.type == .uuid }
        }.map { key in
            let names = key.attributes.map(\.name).joined(separator: ", ")
            return (key.name, "\(entity.name) has a unique constraint over \(names).")
        }
    }

    private static let requiredReferenceAcrossDevices = ofEntities(
        "required-reference-across-devices", .note,
        why:
            "A row can arrive from another device before the row that it needs, or after that one was deleted.",
        fix: "Make the reference optional, or accept it if the store is never synced."
    ) { entity, _ in
        entity.attributes.filter { $0.reference != nil && !$0.isOptional }.map {
            ($0.name, "\(entity.name).\($0.name) is a required reference.")
        }
    }
}

extension Entity {
    /// The unique constraints, with their attributes.
    fileprivate var keys: [(name: String, attributes: [Attribute])] {
        uniqueConstraints.map { ($0.name(in: self), $0.attributes.compactMap(attribute)) }
    }
}
