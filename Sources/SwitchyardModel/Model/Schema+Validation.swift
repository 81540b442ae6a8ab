extension Schema {
    /// Checks that the schema is consistent.
    ///
    /// - Throws: `schemaInvalid`, naming the model and what to change in it.
    package func validate() throws {
        try requireUnique(entities.map(\.name), what: "entities", entity: nil)
        try requireUnique(entities.map(\.table), what: "tables", entity: nil)
        for entity in entities { try validate(entity) }
        try validateNamesOfIndexes()
    }

    /// Checks that no two tables or indexes have the same name: in a database they share one case-insensitive
    /// namespace.
    private func validateNamesOfIndexes() throws {
        var owners = Dictionary(uniqueKeysWithValues: entities.map { ($0.table.lowercased(), $0) })
        for entity in entities {
            let names =
                [ConstraintName.primaryKey(of: entity)] + entity.indexes.map { $0.name(in: entity) }
                + entity.uniqueConstraints.map { $0.name(in: entity) }
                + entity.attributes.filter { $0.reference != nil }.map {
                    ConstraintName.reference($0, of: entity)
                }
            for name in names {
                if let owner = owners.updateValue(entity, forKey: name.lowercased()) {
                    throw fault(
                        "needs the name `\(name)` for a key or an index, which \(owner.name) has already: "
                            + "rename the model", entity)
                }
            }
        }
    }

    private func validate(_ entity: Entity) throws {
        let attributes = entity.attributes
        guard let first = attributes.first, first.name == "id", first.type == .uuid, !first.isOptional else {
            throw fault("needs a first attribute `id` of type ID", entity)
        }
        guard first.history == .whole else {
            throw fault("leaves its `id` out of the history, which identifies rows by it", entity)
        }
        try requireUnique(
            attributes.map(\.name) + entity.relationships.map(\.name), what: "attributes", entity: entity)
        let columns = attributes.map(\.column) + attributes.filter(\.isSearchable).map(\.searchColumn)
        try requireUnique(columns, what: "columns", entity: entity)
        if let column = columns.first(where: { Self.systemColumns.contains($0.lowercased()) }) {
            throw fault(
                "has the column `\(column)`, which every table of PostgreSQL has already: rename the column",
                entity)
        }
        for attribute in attributes { try validate(attribute, of: entity) }
        for relationship in entity.relationships { try validate(relationship, of: entity) }
        try validateInverses(of: entity)
        try validateIndexes(of: entity)
        try validatePolicies(of: entity)
    }

    /// Checks that values can be merged as the model says.
    private func validatePolicies(of entity: Entity) throws {
        for attribute in entity.attributes {
            guard let refusal = attribute.merge.refusal(of: attribute) else { continue }
            throw fault("merges `\(attribute.name)` \(refusal): choose another policy", entity)
        }
        if entity.isLeftOutOfHistory, entity.deletedRows != .delete {
            throw fault(
                "brings back deleted rows, but leaves its rows out of the history, so that none is sent",
                entity)
        }
        for constraint in entity.uniqueConstraints
        where constraint.merge == .rename && constraint.renamed(in: entity) == nil {
            throw fault(
                "renames rows whose unique key is taken, but `\(constraint.name(in: entity))` has no text that can get a "
                    + "suffix: choose another policy", entity)
        }
    }

    /// The system columns of every PostgreSQL table.
    private static let systemColumns: Set<String> = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]

    /// Checks that each reference is the inverse of at most one to-many, because it has one delete rule.
    private func validateInverses(of entity: Entity) throws {
        for (index, relationship) in entity.relationships.enumerated() {
            let first = entity.relationships[..<index].first {
                $0.target == relationship.target && $0.inverse == relationship.inverse
            }
            guard let first else { continue }
            throw fault(
                "has the relationships `\(first.name)` and `\(relationship.name)` with one inverse, `"
                    + "\(relationship.target).\(relationship.inverse)`, which obeys one delete rule: remove one of them",
                entity)
        }
    }

    private func validateIndexes(of entity: Entity) throws {
        for names in entity.indexes.map(\.attributes) + entity.uniqueConstraints.map(\.attributes) {
            guard !names.isEmpty, Set(names).count == names.count else {
                throw fault("has an index over no attribute, or over one twice", entity)
            }
            guard names.count <= Limits.indexAttributes else {
                throw fault(
                    "has an index over \(names.count) attributes: the limit is \(Limits.indexAttributes)",
                    entity)
            }
            for name in names where entity.attribute(name) == nil {
                throw fault("has an index over `\(name)`, which is not one of its attributes", entity)
            }
        }
        var taken: Set<String> = []
        let names =
            entity.indexes.map { $0.name(in: entity) }
            + entity.uniqueConstraints.map { $0.name(in: entity) }
        for name in names where !taken.insert(name).inserted {
            throw fault("declares the index or unique constraint `\(name)` twice: remove one", entity)
        }
        for filter in entity.indexes.compactMap(\.filter) + entity.uniqueConstraints.compactMap(\.filter) {
            // The validation limits the depth, so the recursion over the condition below is bounded.
            _ = try filter.validated(in: entity, schema: self, isKept: true)
            guard !filter.needs.contains(.otherRows) else {
                throw fault(
                    "has an index or a unique constraint whose filter asks about a to-many: a filter can ask "
                        + "about its own row only", entity)
            }
        }
        for filter in entity.indexes.compactMap(\.filter) where filter.needs.contains(.arithmetic) {
            throw fault(
                "has an index whose filter calculates, and could so keep a row from being written", entity)
        }
    }

    private func validate(_ attribute: Attribute, of entity: Entity) throws {
        if attribute.isSearchable, attribute.type != .text {
            throw fault("declares `\(attribute.name)` searchable, which only text can be", entity)
        }
        if let domain = attribute.domain, attribute.type != domain.type {
            throw fault(
                "limits the numbers of `\(attribute.name)`, which has the type \(attribute.type.rawValue), as if it "
                    + "had the type \(domain.type.rawValue)", entity)
        }
        if let target = attribute.reference, attribute.type != .uuid {
            throw fault(
                "refers to \(target) by `\(attribute.name)`, which has the type \(attribute.type.rawValue): ids have the "
                    + "type \(AttributeType.uuid.rawValue)", entity)
        }
        if let target = attribute.reference, self.entity(target) == nil {
            throw fault(
                "refers to \(target) by `\(attribute.name)`, but the schema does not hold that model: "
                    + "add it to the schema's models, or redefine the reference", entity)
        }
    }

    private func validate(_ relationship: Relationship, of entity: Entity) throws {
        guard let target = self.entity(relationship.target) else {
            throw fault(
                "has the relationship `\(relationship.name)` to \(relationship.target), but the schema does "
                    + "not hold that model: add it to the schema's models", entity)
        }
        guard let inverse = target.attribute(relationship.inverse), inverse.reference == entity.name else {
            throw fault(
                "has the relationship `\(relationship.name)`, whose inverse `\(relationship.target)."
                    + "\(relationship.inverse)` does not refer back to \(entity.name): redefine \(relationship.target)",
                entity)
        }
        if relationship.deleteRule == .nullify, !inverse.isOptional {
            throw fault(
                "nullifies `\(relationship.target).\(relationship.inverse)` on delete, which is not optional",
                entity)
        }
    }

    /// Checks that names are ASCII letters, digits and underscores, and differ in more than case, as every backend
    /// needs.
    private func requireUnique(_ names: [String], what: String, entity: Entity?) throws {
        var seen: Set<String> = []
        for name in names {
            let isPlain =
                !name.isEmpty
                && name.utf8.allSatisfy { byte in
                    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                        || byte == 95
                }
            guard isPlain, name.utf8.count <= Limits.nameBytes else {
                throw fault(
                    "has a name among its \(what) that is not 1 to 63 ASCII letters, digits or _: `\(name)`",
                    entity)
            }
            guard !name.lowercased().hasPrefix("switchyard_"), !name.lowercased().hasPrefix("sqlite_") else {
                throw fault("uses the name `\(name)`, which is kept for the store itself", entity)
            }
            guard seen.insert(name.lowercased()).inserted else {
                throw fault(
                    "has two \(what) named `\(name)` (upper and lower case are not told apart)", entity)
            }
        }
    }

    private func fault(_ message: String, _ entity: Entity?) -> StoreError {
        StoreError(.schemaInvalid, "\(entity?.name ?? "The schema") \(message).", entity: entity?.name)
    }
}
