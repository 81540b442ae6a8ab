extension MigrationPlan {
    /// The part of the plan that ends at a version, which is then the newest one.
    ///
    /// - Throws: `invalidArgument` for a version that is not in the plan.
    public func upTo(_ version: SchemaVersion) throws -> MigrationPlan {
        guard let last = schemas.firstIndex(where: { $0.version == version }) else {
            let versions = schemas.map(\.version.description).joined(separator: ", ")
            throw StoreError(
                .invalidArgument,
                "The migration plan has no version \(version); it has \(versions). Name one of these.")
        }
        return MigrationPlan(first: last + 1, of: self)
    }

    private init(first count: Int, of plan: MigrationPlan) {
        schemas = Array(plan.schemas.prefix(count))
        stages = Array(plan.stages.prefix(count - 1))
    }
}
