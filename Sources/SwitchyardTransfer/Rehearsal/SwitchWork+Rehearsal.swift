internal import SwitchyardCore

/// The steps of a switch that is rehearsed.
extension SwitchWork {
    /// The pause between checks whether a rehearsal has ended.
    private static let pause = Duration.seconds(1)
    /// The maximum number of writes in the history, during following, that the new store already has.
    private static let mostKept: Int64 = 1_000

    /// Records in the old store that the new one is complete and equal, and follows it.
    func becomeRehearsal() async throws {
        try await old.write(.ofMarker) { [id] tx in
            try tx.updateMarker { marker in
                guard let record = marker.switching, record.id == id, record.isRehearsal,
                    record.state == .copying
                else { throw StoreError.carriedOutElsewhere }
                marker.switching?.state = .rehearsing
            }
        }
        let copied = try await copied()
        tell(.rehearsing, rows: copied.rows, total: copied.rows)
    }

    /// Keeps the new store up to date until the rehearsal ends or the task is cancelled.
    ///
    /// - Throws: `carriedOutElsewhere` if another process takes over.
    func follow() async throws {
        let (occasions, occasion) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        occasion.yield()
        try await withThrowingTaskGroup { group in
            group.addTask {
                for try await _ in old.changes() { occasion.yield() }
            }
            group.addTask {
                // The end of the rehearsal does not change rows.
                while true {
                    try await Task.sleep(for: Self.pause)
                    occasion.yield()
                }
            }
            group.addTask {
                var copied = try await copied()
                var noted = copied.token
                for await _ in occasions {
                    guard try await isRehearsed() else { return }
                    copied = try await catchUp(after: copied)
                    // The histories of scopes are kept as long as their store is switched.
                    guard !isScoped, copied.token.sequence - noted.sequence >= Self.mostKept else { continue }
                    noted = copied.token
                    try await old.write { [id, noted] tx in
                        try tx.requireSwitch(id)
                        try tx.setHistoryToken(noted, ofConsumer: Self.consumer)
                    }
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func isRehearsed() async throws -> Bool {
        let record = try await old.marker().switching
        return record?.id == id && record?.state == .rehearsing
    }

    /// Copies what was changed since.
    ///
    /// - Returns: What the new store has then.
    private func catchUp(after copied: SwitchRecord.Copied) async throws -> SwitchRecord.Copied {
        if isScoped {
            var pace = Pace(total: nil)
            try await catchUpScopes(&pace)
            return try await self.copied()
        }
        let delta = try await read(after: copied, noting: copied, limit: .max)
        if delta.copied != copied { try await write(delta) }
        return delta.copied
    }
}
