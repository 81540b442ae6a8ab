/// How far the migration of a store has come, for an app to show.
public enum MigrationStatus: Sendable {
    /// The store is new, or has the newest version.
    case notNeeded
    /// A stage is being carried out: the one from a version to the next, of so many that the store lacked in all.
    case inProgress(from: SchemaVersion, to: SchemaVersion, stage: Int, of: Int)
    /// The store has gone through the stages that it lacked, and has the newest version.
    case completed(MigrationReport)
    /// A stage has failed; the store is as it was before that stage.
    case failed(StoreError)
}

/// What a migration has done.
public struct MigrationReport: Sendable, Hashable {
    /// The stages that this process has carried out, in order: none if another one was faster.
    public internal(set) var stages: [AppliedStage] = []
    /// Where the store is kept as it was before the first of them; nil if the backend makes no copy.
    public internal(set) var backup: String?
    /// How many rows were deleted because others had the same values of a new unique constraint, by their entity.
    public internal(set) var removedDuplicates: [String: Int] = [:]
}
