internal import SwitchyardCore

/// Names that every database keeps as they are.
extension LintRule {
    static let ofNames = [
        identifierLength, identifierCharacters, identifierCase, reservedIdentifier, caseOnlyRename,
    ]

    static let identifierLength = ofEntities(
        "identifier-length", .error,
        why:
            "PostgreSQL silently truncates a name to \(Limits.nameBytes) bytes, and two names could become one.",
        fix: "Shorten the name."
    ) { entity, _ in
        entity.identifiers.filter { $0.name.utf8.count > Limits.nameBytes }.map { part, name in
            (part, "The name \(name) has \(name.utf8.count) bytes.")
        }
    }

    static let identifierCharacters = ofEntities(
        "identifier-characters", .error,
        why: "Databases differ in how they treat other characters and their case.",
        fix: "Use the letters A to Z, digits and underscores."
    ) { entity, _ in
        entity.identifiers.filter { !$0.name.isPlain }.map { part, name in
            (part, "The name `\(name)` is empty, or has other characters than ASCII letters, digits and _.")
        }
    }

    static let identifierCase = ofVersions(
        "identifier-case", .error,
        why: "SQLite ignores case in the names of tables and columns.",
        fix: "Rename one of the two."
    ) { entities in
        sameButForCase(entities.map { (nil, $0.name) }).map { LintFault(nil, $0.name, nil, $0.sentence) }
            + entities.flatMap { entity in
                let properties = sameButForCase(
                    entity.attributes.map { ($0.name, $0.name) }
                        + entity.relationships.map { ($0.name, $0.name) })
                let columns = sameButForCase(
                    entity.attributes.map { ($0.name, $0.column) }
                        + entity.attributes.filter(\.isSearchable).map { ($0.name, $0.searchColumn) })
                return
                    (properties + columns.filter { column in !properties.contains { $0.part == column.part } })
                    .map { LintFault(nil, entity.name, $0.part, $0.sentence) }
            }
    }

    private static func sameButForCase(
        _ names: [(part: String?, name: String)]
    ) -> [(part: String?, name: String, sentence: String)] {
        var seen: [String: String] = [:]
        return names.compactMap { part, name in
            guard let first = seen.updateValue(name, forKey: name.lowercased()) else { return nil }
            return (part, name, "The names \(first) and \(name) are the same to a database.")
        }
    }

    static let reservedIdentifier = ofEntities(
        "reserved-identifier", .error, why: "The store or the database already uses that name.",
        fix: "Rename it, or give the property another column."
    ) { entity, _ in
        let kept = entity.identifiers.filter { _, name in
            ["switchyard_", "sqlite_"].contains { name.lowercased().hasPrefix($0) }
        }
        let columns = entity.attributes.map { (part: Optional($0.name), name: $0.column) }.filter { _, name in
            ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"].contains(name.lowercased())
        }
        return (kept + columns).map { part, name in (part, "The name \(name) is taken.") }
    }

    private static let caseOnlyRename = ofChanges(
        "case-only-rename", .warning,
        why:
            "SQLite treats both names as equal, so a handwritten query or an older app does not notice.",
        fix: "Keep the name in the store, or choose one that differs in more than case."
    ) { change, _, _ in
        guard case .renamed(let old) = change.kind, let new = change.part ?? Optional(change.entity),
            old.lowercased() == new.lowercased()
        else { return nil }
        return "\(old) is renamed to \(new), which differs in case alone."
    }
}

extension Entity {
    /// The names that the database sees, with the attribute or relationship that has them.
    fileprivate var identifiers: [(part: String?, name: String)] {
        ([name] + (table == name ? [] : [table])).map { (nil, $0) }
            + attributes.flatMap { attribute in
                ([attribute.name] + (attribute.column == attribute.name ? [] : [attribute.column])
                    + (attribute.isSearchable ? [attribute.searchColumn] : [])).map { (attribute.name, $0) }
            } + relationships.map { ($0.name, $0.name) }
    }
}

extension String {
    /// Whether it has only ASCII letters, digits and underscores, and any.
    fileprivate var isPlain: Bool {
        !isEmpty
            && unicodeScalars.allSatisfy { scalar in
                scalar == "_" || scalar.isASCII && scalar.properties.isAlphabetic
                    || ("0"..."9").contains(scalar)
            }
    }
}
