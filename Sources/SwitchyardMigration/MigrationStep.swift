/// One statement of a migration stage about a part of the schema that the two versions leave open.
public struct MigrationStep: Sendable {
    /// The statement.
    package enum Kind: Sendable {
        case rename(PartName, to: PartName)
        case drop(PartName)
        case fill(PartName, StoredValue)
        /// The rows of an entity are written by the code of the stage.
        case rewrite(String)
        /// The rows of an entity become those of another, or of its next version, by code of the step.
        case convertRows(String, to: String, MigrationStage.Rewrite)
        case convert(PartName, to: PartName, ValueConversion)
        case deduplicate(String, Deduplication)
        case backfill(Backfill)
    }

    /// The statement, or the error in it.
    package let kind: Result<Kind, StoreError>

    /// Creates a step.
    package init(kind: Result<Kind, StoreError>) { self.kind = kind }

    /// A model has another name in the newer version.
    public static func rename<Old: Model, New: Model>(_: Old.Type, to _: New.Type) -> MigrationStep {
        MigrationStep(
            kind: .success(.rename(PartName(entity: Old.entityName), to: PartName(entity: New.entityName))))
    }

    /// An attribute has another name in the newer version.
    public static func rename<Old: Model, New: Model>(
        _ old: PartialKeyPath<Old>, to new: PartialKeyPath<New>
    ) -> MigrationStep {
        MigrationStep(
            kind: Result { () throws(StoreError) in .rename(try PartName(old), to: try PartName(new)) })
    }

    /// The rows of a model of the newer version are written by the code of a custom stage.
    public static func rewrite<New: Model>(_: New.Type) -> MigrationStep {
        MigrationStep(kind: .success(.rewrite(New.entityName)))
    }

    /// The rows of a model of the older version are dropped.
    public static func drop<Old: Model>(_: Old.Type) -> MigrationStep {
        MigrationStep(kind: .success(.drop(PartName(entity: Old.entityName))))
    }

    /// The values of an attribute of the older version are dropped.
    public static func drop<Old: Model>(_ attribute: PartialKeyPath<Old>) -> MigrationStep {
        MigrationStep(kind: Result { () throws(StoreError) in .drop(try PartName(attribute)) })
    }

    /// The rows that have no value for an attribute of the newer version get this one.
    public static func fill<New: Model, Value>(
        _ attribute: KeyPath<New, Value>, with value: Value
    ) -> MigrationStep {
        MigrationStep(
            kind: Result { () throws(StoreError) in
                let name = try PartName(attribute)
                do { return .fill(name, try StoredValue.of(value).get()) } catch {
                    throw StoreError(
                        .schemaInvalid, "The migration fills \(name) with a value that cannot be stored.",
                        entity: name.entity, underlying: error)
                }
            })
    }
}

/// The name of an entity, or of one of its attributes.
package struct PartName: Sendable, Hashable, CustomStringConvertible {
    /// The entity.
    package let entity: String
    /// The attribute; nil for the entity itself.
    package var attribute: String?

    /// Creates a name.
    package init(entity: String, attribute: String? = nil) {
        self.entity = entity
        self.attribute = attribute
    }

    /// The name of the attribute at a key path.
    ///
    /// - Throws: `schemaInvalid` for a property that is not an attribute.
    init<Element: Model>(_ keyPath: PartialKeyPath<Element>) throws(StoreError) {
        guard let name = Element.attributeName(of: keyPath) else {
            throw StoreError(
                .schemaInvalid,
                "The migration names a property of \(Element.entityName) that is not stored.",
                entity: Element.entityName)
        }
        self.init(entity: Element.entityName, attribute: name)
    }

    package var description: String { attribute.map { "\(entity).\($0)" } ?? entity }
}
