/// The status of a store's migration, for an app to show.
public enum MigrationStatus: Sendable {
    /// The store is new, or has the newest version.
    case notNeeded
    /// The store was found to have an older version, and its migration begins.
    case pending(from: SchemaVersion, to: SchemaVersion)
    /// A stage is being carried out.
    case inProgress(MigrationProgress)
    /// The store has gone through the stages that it lacked, and has the newest version.
    case completed(MigrationReport)
    /// A stage has failed: the store is as it was before that stage, or before the current batch of filled
    /// rows.
    case failed(any Error)
}

/// The progress of a migration.
public struct MigrationProgress: Sendable, Hashable {
    /// The version before the stage that is being carried out.
    public let from: SchemaVersion
    /// The version after it.
    public let to: SchemaVersion
    /// The number of the stage among those that the store lacked, from 1.
    public let stage: Int
    /// The number of stages that the store lacked.
    public let count: Int
    /// How much of the stage is done, from 0 to 1: the share of the rows that a `.backfill` has filled; 0 while the tables
    /// change.
    public internal(set) var fraction = 0.0
}

/// The result of a migration.
public struct MigrationReport: Sendable, Hashable {
    /// The stages that this process has carried out, in order: none if another one was faster.
    public internal(set) var stages: [AppliedStage] = []
    /// The place of the copy of the store from before the first stage; nil if the backend makes no copy.
    public internal(set) var backup: String?
    /// The number of rows that were deleted as duplicates under a new unique constraint, by entity.
    public internal(set) var removedDuplicates: [String: Int] = [:]
    /// The number of rows that this process has filled, by attribute, such as `Entry.day`.
    public internal(set) var filled: [String: Int] = [:]
}
