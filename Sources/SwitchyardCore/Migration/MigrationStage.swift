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
    let older: any VersionedSchema.Type
    let newer: any VersionedSchema.Type
    let steps: [MigrationStep]

    /// A stage in which every row keeps its values, but for what the steps say.
    ///
    /// It is refused when the plan is made if that does not tell what becomes of every value.
    ///
    /// - Parameters:
    ///   - older: The version that the store has.
    ///   - newer: The next version.
    ///   - steps: What the two versions do not say: new names, what is given up, and values for what has none.
    /// - Returns: The stage.
    public static func lightweight(
        fromVersion older: any VersionedSchema.Type, toVersion newer: any VersionedSchema.Type,
        _ steps: MigrationStep...
    ) -> MigrationStage {
        MigrationStage(older: older, newer: newer, steps: steps)
    }
}

/// The versions of an app's schema that were released, and the stages between them.
///
/// ```swift
/// enum ItemPlan: SchemaMigrationPlan {
///     static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
///     static let stages = [MigrationStage.lightweight(fromVersion: V1.self, toVersion: V2.self)]
/// }
/// ```
public protocol SchemaMigrationPlan {
    /// The versions, the oldest first.
    static var schemas: [any VersionedSchema.Type] { get }
    /// One stage from each version to the next, in order.
    static var stages: [MigrationStage] { get }
}
