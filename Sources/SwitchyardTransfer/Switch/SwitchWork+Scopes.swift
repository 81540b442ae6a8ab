internal import SwitchyardCore

/// The steps of a switch in a store with scopes.
///
/// Each scope has a history of its own, and rows of different scopes are independent. So scopes are copied,
/// followed and compared one after the other, in the order of their ids, each up to a position in its own
/// history, which the new store keeps in that scope. A transaction concerns one scope, and the stores'
/// markers stay small in any number of scopes. A later round finds the changed scopes by comparing these
/// positions with the ends of the histories.
extension SwitchWork {
    /// The number of scopes that are few enough for the old store to wait while their changes are copied.
    private static let fewScopes = 20

    /// Whether changes need not be followed once more before the old store has to wait: few scopes have changed, or not
    /// many fewer than in the round before, so that there would never be few.
    private static func isEnough(_ changed: Int, after before: Int) -> Bool {
        changed < fewScopes || changed > before / 2
    }

    /// Removes the copy of another switch from the new store.
    ///
    /// - Parameter found: The new store's record of that switch.
    /// - Returns: The content of the new store then: no scope.
    /// - Throws: `carriedOutElsewhere` if another process has begun a switch to it.
    func prepareScopes(instead found: SwitchRecord?) async throws -> SwitchRecord.Copied {
        // The token is of the scope in which the store is open, which has no rows.
        let copied = try await old.read { [id] tx in
            try tx.requireSwitch(id)
            let token = try tx.historyToken()
            var copied = SwitchRecord.Copied(token: token).beginning(token, with: tx.schema)
            copied.hasAllScopes = false
            return copied
        }
        try await new.forEachScope { scope in
            try await new.write(WriteOptions(scope: scope)) { tx in
                guard try tx.driver.maintenance.marker().switching == found else {
                    throw StoreError.carriedOutElsewhere
                }
                try tx.deleteAllRows()
            }
        }
        return copied
    }

    /// A scope of the old store.
    private struct Position {
        let scope: StoreScope
        /// Up to where the new store has followed its history; nil if it was not copied yet.
        let token: HistoryToken?
        /// The number of transactions since; nil if it was not copied yet.
        let lag: Int64?
    }

    /// The next of the old store's scopes, and how far the new one has followed each.
    private func positions(after last: StoreScope?) async throws -> [Position] {
        let held = try await old.heldScopes(after: last)
        if held.isEmpty { return [] }
        let storeID = try await old.marker().storeID
        let tokens = try await new.read(ReadOptions(scopes: held.map(\.scope))) { [id] tx in
            try tx.followedTokens(id, of: storeID)
        }
        return held.map { held in
            let token = tokens[held.scope]
            return Position(scope: held.scope, token: token, lag: token.map(held.transactions))
        }
    }

    /// Copies all scopes, and follows changes until few scopes change.
    func catchUpScopes(_ pace: inout Pace) async throws {
        var base = try await copied()
        // A partially copied scope is completed before anything else is recorded.
        if !base.isComplete(for: old.schema) {
            base = try await copy(after: base, noting: base, in: base.token.scope, &pace).copied
        }
        var before = Int.max
        while true {
            var (last, changed): (StoreScope?, Int) = (nil, 0)
            while true {
                let positions = try await positions(after: last)
                guard let end = positions.last?.scope else { break }
                for position in positions where position.lag != 0 {
                    changed += 1
                    base = try await copy(
                        after: position.token.map { base.beginning($0, with: old.schema) }, noting: base,
                        in: position.scope, &pace
                    ).copied
                }
                last = end
            }
            if base.hasAllScopes == false {
                var complete = base
                complete.hasAllScopes = true
                try await new.write { [id, base, complete] tx in try tx.note(complete, after: base, of: id) }
                base = complete
            }
            if Self.isEnough(changed, after: before) { return }
            before = changed
        }
    }

    /// Compares all scopes, each as of a snapshot of its own, and follows changes until few scopes change.
    ///
    /// - Parameter copied: The new store's record.
    /// - Returns: The result for all of them together.
    /// - Throws: `verification` if a scope differs.
    func verifyScopes(after copied: SwitchRecord.Copied) async throws -> Verified {
        let none = StoreDigest(of: old.schema)
        let report = VerificationReport(
            entities: old.schema.entities.map {
                EntityComparison(
                    entity: $0.name, first: RowsDigest(), second: RowsDigest(), differences: [],
                    danglingReferences: [])
            }, sampledRows: 0)
        var (verified, base) = (Verified(report: report, old: none, new: none), copied)
        var last: StoreScope?
        while true {
            let positions = try await positions(after: last)
            guard let end = positions.last?.scope else { break }
            for position in positions {
                base = try await verify(position, &verified, after: base)
            }
            last = end
        }
        var before = Int.max
        while true {
            let (changed, copied) = try await followScopes(&verified, after: base)
            if Self.isEnough(changed, after: before) { return verified }
            (base, before) = (copied, changed)
        }
    }

    /// Compares one scope, which is copied first unless it was, and adds what it has found.
    private func verify(
        _ position: Position, _ verified: inout Verified, after base: SwitchRecord.Copied
    ) async throws -> SwitchRecord.Copied {
        var (pace, base, copied) = (Pace(total: nil), base, base)
        if let token = position.token {
            copied = base.beginning(token, with: old.schema)
        } else {
            base = try await copy(after: nil, noting: base, in: position.scope, &pace).copied
            copied = base
        }
        let found = try await verify(after: copied, noting: base, in: position.scope)
        verified.old.add(found.verified.old)
        verified.new.add(found.verified.new)
        verified.report = verified.report.adding(found.verified.report)
        return found.copied
    }

    /// Copies what was changed in any scope since the comparison, and updates the result.
    ///
    /// - Returns: The number of scopes that had changed, and the new store's record afterwards.
    /// - Throws: `verification` if a new scope differs.
    func followScopes(
        _ verified: inout Verified, after copied: SwitchRecord.Copied
    ) async throws -> (changed: Int, copied: SwitchRecord.Copied) {
        var (base, changed) = (copied, 0)
        var last: StoreScope?
        while true {
            let positions = try await positions(after: last)
            guard let end = positions.last?.scope else { return (changed, base) }
            for position in positions where position.lag != 0 {
                changed += 1
                guard let token = position.token else {
                    base = try await verify(position, &verified, after: base)
                    continue
                }
                base = try await follow(
                    &verified, after: base.beginning(token, with: old.schema), noting: base,
                    in: position.scope)
            }
            last = end
        }
    }

    /// Reads all scopes of the old store once more.
    func digestOfScopes() async throws -> StoreDigest {
        var digest = StoreDigest(of: old.schema)
        try await old.forEachScope { scope in
            digest.add(try await old.read(ReadOptions(of: scope)) { try StoreDigest(of: $0, in: scope) })
        }
        return digest
    }

    /// The number of transactions that the new store does not have yet, of all scopes that it has.
    func lag() async throws -> Int64 {
        var (lag, last): (Int64, StoreScope?) = (0, nil)
        while true {
            let positions = try await positions(after: last)
            guard let end = positions.last?.scope else { return lag }
            lag += positions.reduce(0) { $0 + ($1.lag ?? 0) }
            last = end
        }
    }

    /// Removes what a committed switch has noted in the scopes of the new store.
    static func tidyUp(_ new: any Store) async throws {
        try await new.forEachScope { scope in
            let token = try await new.read(ReadOptions(of: scope)) {
                try $0.historyToken(ofConsumer: consumer)
            }
            guard token != nil else { return }
            try await new.write(WriteOptions(scope: scope)) { try $0.removeHistoryConsumer(consumer) }
        }
    }
}
