internal import SwitchyardCore

/// The scan of a store before it is switched.
enum Preflight {
    /// The maximum number of faults that the error names.
    private static let mostFaults = 10

    /// Reads every row, and refuses a store that has one which no other backend would take: a value that its attribute
    /// cannot hold, a text with NUL, a reference that leads nowhere, a key that exists twice.
    ///
    /// All backends take the same names, types and lengths, so that what is left is what was written past the store.
    ///
    /// - Throws: `corrupted`, naming what was found.
    static func check(_ store: any Store) async throws {
        var faults = try await store.check()
        if faults.isEmpty { faults = try await store.read { try $0.rowFaults(limit: mostFaults + 1) } }
        guard !faults.isEmpty else { return }
        let named = faults.prefix(mostFaults).joined(separator: "; ")
        let others = faults.count > mostFaults ? "; and \(faults.count - mostFaults) more" : ""
        throw StoreError(
            .corrupted,
            "The store has faults that no other store would take: \(named)\(others). Put them right first; nothing was "
                + "created or changed.")
    }
}
