internal import SwitchyardCore

/// The quoted names of an entity's table and columns, computed once.
struct TableLayout: Sendable {
    let entity: Entity
    /// The quoted table, qualified by its namespace if there is one.
    let table: String
    /// The quoted table without namespace, which qualifies columns that have no alias.
    let qualifier: String
    /// The attributes, and the scope if there is one, with their quoted columns, by name.
    let columns: [String: Column]
    /// The quoted columns of all attributes in order, separated by commas.
    let columnList: String

    struct Column: Sendable {
        let attribute: Attribute
        let name: String
        /// The quoted column of the folded copy; nil unless the attribute is searchable.
        let searchName: String?
    }

    init(_ entity: Entity, namespace: String?, isScoped: Bool) {
        self.entity = entity
        qualifier = SQLDialect.quoted(entity.table)
        table = SQLDialect.quoted(entity.table, in: namespace)
        var columns: [String: Column] = [:]
        for attribute in entity.attributes {
            let searchName = attribute.isSearchable ? SQLDialect.quoted(attribute.searchColumn) : nil
            columns[attribute.name] = Column(
                attribute: attribute, name: SQLDialect.quoted(attribute.column), searchName: searchName)
            if let searchName {
                columns[Self.foldedName(of: attribute.name)] = Column(
                    attribute: attribute, name: searchName, searchName: nil)
            }
        }
        if isScoped {
            let scope = StoreScope.attribute
            columns[scope.name] = Column(
                attribute: scope, name: SQLGenerator.scopeColumn, searchName: nil)
        }
        self.columns = columns
        columnList = entity.attributes.map { SQLDialect.quoted($0.column) }.joined(separator: ", ")
    }

    /// The key in `columns` of the folded copy of a searchable attribute.
    ///
    /// No attribute's name contains a space.
    static func foldedName(of attribute: String) -> String { attribute + " folded" }

    /// The column of an attribute.
    ///
    /// - Throws: `unsupported` if the entity has no such attribute.
    func column(_ attribute: String) throws -> Column {
        guard let column = columns[attribute] else {
            throw StoreError(.unsupported, "There is no attribute `\(attribute)`.", entity: entity.name)
        }
        return column
    }
}
