package import Foundation

extension Entity {
    /// The position of an attribute among the columns; nil for an unknown name.
    public func column(_ name: String) -> Int? { attributes.firstIndex { $0.name == name } }

    /// The id of a row.
    ///
    /// - Throws: `corrupted` if it has none.
    package func id(of row: [StoredValue]) throws -> UUID {
        guard case .uuid(let id) = row.first else {
            throw StoreError(.corrupted, "A row has no id.", entity: name, attribute: "id")
        }
        return id
    }

    /// The column of the folded copy of each searchable attribute, in the row layout that drivers receive.
    public var searchColumns: [String: Int] {
        let names = attributes.filter(\.isSearchable).map(\.name)
        return Dictionary(
            names.enumerated().map { ($1, attributes.count + $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The row layout that drivers receive, as an entity: the attributes in order, then the folded copy of each
    /// searchable one as an attribute of its own.
    public var rowLayout: Entity {
        Entity(
            name,
            attributes: attributes
                + attributes.filter(\.isSearchable).map {
                    Attribute($0.searchColumn, type: .text, isOptional: true)
                })
    }
}
