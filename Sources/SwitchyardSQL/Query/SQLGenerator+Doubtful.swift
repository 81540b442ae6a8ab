internal import SwitchyardCore

extension SQLGenerator {
    /// Returns the statement of a selection of whole rows, limited to those that some store might refuse:
    /// because of a value that its attribute cannot have, or more than `Limits.plainBytes` of texts and
    /// blobs.
    ///
    /// It selects all rows if only reading the values can tell.
    ///
    /// - Throws: As `select`.
    func selectDoubtful(_ selection: Selection) throws -> SQLStatement {
        try select(selection, and: doubts(about: selection.entity))
    }

    /// The condition that a row is doubtful; nil if every row is.
    private func doubts(about entity: Entity) -> String? {
        let hasFormedValues = entity.attributes.contains { Self.formedTypes.contains($0.type) }
        guard dialect.enforcesTypes, !hasFormedValues else { return nil }
        var doubts: [String] = []
        var sizes: [String] = []
        for attribute in entity.attributes {
            let column = SQLDialect.quoted(attribute.column)
            if !attribute.isOptional { doubts.append("\(column) IS NULL") }
            if let condition = checkedCondition(attribute) { doubts.append("(\(condition)) IS FALSE") }
            if attribute.type.hasVariableLength { sizes.append("COALESCE(octet_length(\(column)), 0)") }
        }
        if !sizes.isEmpty { doubts.append("\(sizes.joined(separator: " + ")) > \(Limits.plainBytes)") }
        return doubts.joined(separator: " OR ")
    }

    /// The types whose values have a form that no check of a column tests.
    private static let formedTypes: Set<AttributeType> = [.decimal, .json]
}
