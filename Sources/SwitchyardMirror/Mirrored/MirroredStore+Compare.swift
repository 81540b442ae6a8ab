extension MirroredStore {
    /// Exchanges, and compares all rows with the server's, part by part; writes can go on meanwhile.
    ///
    /// The mirror does so by itself, one part at a time, and repairs what it finds. Rows can differ only if a file or the server's
    /// database was damaged, or changed by something else than Switchyard.
    ///
    /// - Parameter repairing: Whether the device takes the server's rows where they differ. Every value that it replaces is in the
    ///   log of conflicts then (`ConflictReason.damaged`), from which it can be restored.
    /// - Returns: What was found, for each entity.
    /// - Throws: As `exchange()`; `unsupported` for a service that is too old; `busy` if others write all the time.
    public func compare(repairing: Bool = false) async throws -> [MirrorComparison] {
        try await session.compare(repairing: repairing)
    }
}
