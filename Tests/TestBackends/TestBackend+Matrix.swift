public import SwitchyardConformance

extension TestBackend {
    /// The backend as one of those on which a matrix tries a migration plan.
    public var ofMatrix: MigrationMatrix.Backend {
        MigrationMatrix.Backend(rawValue, hasScopes: self != .memory) { try await withPlace($0) }
    }
}
