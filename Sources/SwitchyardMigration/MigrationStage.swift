/// The way from one version of a schema to the next.
///
/// ```swift
/// static let stages = [
///     MigrationStage.lightweight(
///         fromVersion: V1.self, toVersion: V2.self,
///         .rename(\V1.Item.name, to: \V2.Item.foodName), .drop(\V1.Item.userID)),
/// ]
/// ```
public struct MigrationStage: Sendable {
    package let older: any VersionedSchema.Type
    package let newer: any VersionedSchema.Type
    package let steps: [MigrationStep]
    /// Writes the rows of the models that the stage rewrites; nil for a lightweight stage.
    package let rewrite: Rewrite?

    /// The code of a custom stage: reads the older version, and writes the newer one.
    public typealias Rewrite = @Sendable (_ old: ReadTransaction, _ new: WriteTransaction) throws -> Void

    /// A stage in which every row keeps its values, except for the steps.
    ///
    /// The plan is refused when it is created if the steps do not account for every value.
    ///
    /// - Parameters:
    ///   - older: The version of the store.
    ///   - newer: The next version.
    ///   - steps: What the two versions do not say: new names, what is given up, and values for what has none.
    /// - Returns: The stage.
    public static func lightweight(
        fromVersion older: any VersionedSchema.Type, toVersion newer: any VersionedSchema.Type,
        _ steps: MigrationStep...
    ) -> MigrationStage {
        lightweight(fromVersion: older, toVersion: newer, steps)
    }

    /// A stage in which every row keeps its values, except for a list of steps.
    public static func lightweight(
        fromVersion older: any VersionedSchema.Type, toVersion newer: any VersionedSchema.Type,
        _ steps: [MigrationStep]
    ) -> MigrationStage {
        MigrationStage(older: older, newer: newer, steps: steps, rewrite: nil)
    }

    /// A stage in which the app's own code writes the rows of some models.
    ///
    /// These are the new models, and those that a `.rewrite` step names. All others keep their rows, as in a
    /// lightweight stage.
    ///
    /// ```swift
    /// .custom(fromVersion: V1.self, toVersion: V2.self, .rewrite(V2.Meal.self)) { old, new in
    ///     try old.forEach(V1.Meal.all) { meal in
    ///         try new.insert(V2.Meal(id: .init(meal.id.uuid), kind: Kind(meal.text)))
    ///     }
    /// }
    /// ```
    ///
    /// A row without an old id gets a derived one (`Identifier.init(derivedFrom:_:)`), so that the stage
    /// makes the same rows on every device, and on every backend in a test. Read tables of millions page by
    /// page, and write them with `insert(contentsOf:)`, which is faster.
    ///
    /// - Parameters:
    ///   - older: The version of the store.
    ///   - newer: The next version.
    ///   - steps: The models to rewrite, and the changes of the others that the two versions leave open.
    ///   - rewrite: Writes the rows, in the one transaction of the stage. It reads every model of the older
    ///     version, and reads and writes the new and rewritten models of the newer one, which have no rows at
    ///     first. Unique constraints and references are checked at its end. In a store with scopes it runs
    ///     once for each. If the transaction runs again, so does this.
    /// - Returns: The stage.
    public static func custom(
        fromVersion older: any VersionedSchema.Type, toVersion newer: any VersionedSchema.Type,
        _ steps: MigrationStep..., rewrite: @escaping Rewrite
    ) -> MigrationStage {
        MigrationStage(older: older, newer: newer, steps: steps, rewrite: rewrite)
    }
}

/// The released versions of an app's schema, and the stages between them.
///
/// ```swift
/// enum ItemPlan: SchemaMigrationPlan {
///     static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
///     static let stages = [MigrationStage.lightweight(fromVersion: V1.self, toVersion: V2.self)]
/// }
/// ```
public protocol SchemaMigrationPlan: SendableMetatype {
    /// The versions, the oldest first.
    static var schemas: [any VersionedSchema.Type] { get }
    /// One stage from each version to the next, in order.
    static var stages: [MigrationStage] { get }
}
