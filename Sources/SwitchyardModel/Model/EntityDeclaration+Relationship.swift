extension EntityDeclaration {
    /// A to-many relationship that nullifies its inverse when the owner is deleted.
    public func relationship<Element: Model>(
        _ name: String, _: ToMany<Element>.Type, nullifying inverse: KeyPath<Element, Identifier<Owner>?>
    ) -> Result<Relationship, StoreError> where Element.ModelVersion == Owner.ModelVersion {
        relationship(name, Element.self, inverse: inverse, deleteRule: .nullify)
    }

    /// A to-many relationship with an optional inverse.
    public func relationship<Element: Model>(
        _ name: String, _: ToMany<Element>.Type, inverse: KeyPath<Element, Identifier<Owner>?>,
        deleteRule: DeleteRule
    ) -> Result<Relationship, StoreError> where Element.ModelVersion == Owner.ModelVersion {
        relationship(name, Element.self, inverse: inverse, deleteRule: deleteRule)
    }

    /// A to-many relationship with a required inverse.
    public func relationship<Element: Model>(
        _ name: String, _: ToMany<Element>.Type, inverse: KeyPath<Element, Identifier<Owner>>,
        deleteRule: DeleteRule
    ) -> Result<Relationship, StoreError> where Element.ModelVersion == Owner.ModelVersion {
        relationship(name, Element.self, inverse: inverse, deleteRule: deleteRule)
    }

    private func relationship<Element: Model>(
        _ name: String, _: Element.Type, inverse: PartialKeyPath<Element>, deleteRule: DeleteRule
    ) -> Result<Relationship, StoreError> {
        guard let inverseName = Element.attributeName(of: inverse) else {
            return .failure(
                StoreError(
                    .schemaInvalid, "The inverse \(inverse) of `\(name)` is not a stored property.",
                    entity: Owner.entityName, attribute: name))
        }
        return .success(
            Relationship(name, target: Element.entityName, inverse: inverseName, deleteRule: deleteRule))
    }
}
