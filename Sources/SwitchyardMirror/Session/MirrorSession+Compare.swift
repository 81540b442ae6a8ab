internal import Foundation
internal import SwitchyardCore

/// Finding rows that differ from the server's although nothing has changed them, and repairing them.
extension MirrorSession {
    /// Does what is due while there is nothing to exchange: once in a while, a part of the rows is compared with the server's.
    package func keepUp() async {
        guard let interval, lastComparison.duration(to: .now) >= interval else { return }
        lastComparison = .now
        await compareNextPart()
        await refreshHousehold(after: .seconds(3_600))
    }

    /// Asks who belongs to the household, if that was told a while ago.
    ///
    /// What fails is tried again later.
    func refreshHousehold(after age: Duration) async {
        guard let remote = remote as? any HouseholdRemote, isConnected,
            lastGreeting.duration(to: .now) >= age
        else { return }
        lastGreeting = .now
        guard let household = try? await remote.household() else { return }
        try? await store.note(household, at: Date())
    }

    /// How often a comparison begins again because others write meanwhile.
    private static let mostAttempts = 100

    /// Compares the part of the rows that is next with the server's, and repairs it; unless there is something to exchange.
    ///
    /// What fails is tried again when the part is next once more.
    ///
    /// - Returns: The number of rows that were repaired.
    @discardableResult
    package func compareNextPart() async -> Int {
        let repaired = try? await turn.withPermit { () -> Int in
            guard case .idle = engine.phase, isConnected,
                let request = try await onStore({ try $0.nextPart() })
            else { return 0 }
            return try await compare(request, repairing: true)?.different.count ?? 0
        }
        return repaired ?? 0
    }

    /// Exchanges, and compares all rows with the server's, part by part.
    ///
    /// - Parameter repairing: Whether the device takes the server's rows where they differ.
    /// - Returns: What was found, for each entity.
    /// - Throws: As `exchange()`; `unsupported` for a server that compares nothing; `busy` if others write all the time.
    package func compare(repairing: Bool) async throws -> [MirrorComparison] {
        try await exchange()
        var comparisons: [MirrorComparison] = []
        for entity in store.schema.sharedEntities.map(\.name) {
            var comparison = MirrorComparison(entity)
            var (after, attempts, isAtEnd): (UUID?, Int, Bool) = (nil, 0, false)
            while !isAtEnd {
                let part = try await turn.withPermit { [after] () -> ComparedPart? in
                    guard let request = try await onStore({ try $0.part(of: entity, after: after) }) else {
                        return nil
                    }
                    return try await compare(request, repairing: repairing)
                }
                if let part {
                    comparison.add(part, isRepaired: repairing)
                    (after, isAtEnd) = (part.end, part.end == nil)
                } else {
                    attempts += 1
                    guard attempts < Self.mostAttempts else { throw StoreError.comparisonDisturbed }
                    try await exchange()
                }
            }
            comparisons.append(comparison)
        }
        return comparisons
    }

    private func compare(_ request: PartRequest, repairing: Bool) async throws -> ComparedPart? {
        let answer = try await remote.part(request, try await connect().device)
        try answer.requireFit(request, store.schema)
        return try await onStore { try $0.compare(request, answer, repairing: repairing) }
    }
}

extension StoreError {
    fileprivate static var comparisonDisturbed: StoreError {
        StoreError(
            .busy,
            "Rows were written all the time while they were compared with the server's, or some do not fit beside each other. "
                + "Compare again later.")
    }
}
