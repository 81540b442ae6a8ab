extension StoreError {
    /// The error of a store that cannot be opened because its tables are damaged.
    package static func damaged(at location: String, _ faults: [String]) -> StoreError {
        StoreError(
            .corrupted,
            "The store at \(location) is damaged: \(faults.prefix(3).joined(separator: ", "))"
                + "\(faults.count > 3 ? ", …" : ""). Restore it from a backup; nothing was changed.")
    }

    /// The error of a store that an earlier release has made, and that is opened read-only.
    package static func incompleteForReading(at location: String) -> StoreError {
        StoreError(
            .schemaMismatch,
            "The store at \(location) was made by an earlier release, and is opened read-only, so its history cannot be "
                + "completed. Open it for writing once; nothing was changed.")
    }
}
