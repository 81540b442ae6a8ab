internal import SwitchyardCore

/// The table of one entity: its quoted names, worked out once.
struct TableLayout: Sendable {
    let entity: Entity
    /// The quoted table, with its namespace before it if there is one.
    let table: String
    /// The quoted table alone, by which columns outside an alias are qualified.
    let qualifier: String
    /// The attributes with their quoted columns, by name; with them the scope, if there is one.
    let columns: [String: Column]
    /// The quoted columns of all attributes in order, with commas.
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

    /// The name under which the folded copy of a searchable attribute is found.
    ///
    /// A space is in no attribute's name.
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
