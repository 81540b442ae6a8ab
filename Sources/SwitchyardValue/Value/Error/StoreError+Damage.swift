extension StoreError {
    /// The error of a store that cannot be opened because its tables are damaged.
    package static func damaged(at location: String, _ faults: [String]) -> StoreError {
        StoreError(
            .corrupted,
            "The store at \(location) is damaged: \(faults.prefix(3).joined(separator: ", "))"
                + "\(faults.count > 3 ? ", …" : ""). Restore it from a backup; nothing was changed.")
    }
}
