internal import Foundation
internal import SwitchyardCore

/// The steps of a switch in which both stores are compared: before the fence, behind it, and after the commit.
extension SwitchWork {
    /// The result of a comparison of both stores, which are equal.
    struct Verified: Sendable {
        var report: VerificationReport
        var old: StoreDigest, new: StoreDigest
        /// The old store's commit count before it was read; nil if it does not count its commits.
        var commits: Int?

        /// The digests of the old store's rows, by the name of the entity.
        func compared(in schema: Schema) -> [String: String] { old.words(in: schema) }
    }

    /// Copies the last changes, and compares both stores: as of one snapshot of the old one, or of each of
    /// its scopes.
    ///
    /// - Parameter passes: What was read while the rows were copied, and before anything else was written to
    ///   the new store; nil to read all rows.
    /// - Returns: The result.
    /// - Throws: `verification` if they differ.
    func verify(_ passes: Passes?) async throws -> Verified {
        let copied = try await copied()
        tell(.verifying, rows: copied.rows, total: copied.rows)
        if let passes, let verified = try await verify(passes) { return verified }
        let commits = await commitCount()
        var verified: Verified
        if isScoped {
            verified = try await verifyScopes(after: copied)
        } else {
            let last = try await read(after: copied, noting: copied, limit: .max)
            try await write(last)
            verified = try await verify(after: last.copied, noting: last.copied).verified
        }
        verified.commits = commits
        return verified
    }

    /// Compares what was read of both stores, which is still complete if nothing was committed to the old one
    /// since.
    ///
    /// - Returns: The result; nil if something was committed.
    /// - Throws: `verification` if they differ.
    private func verify(_ passes: Passes) async throws -> Verified? {
        guard await commitCount() == passes.commits else { return nil }
        do {
            var verified = try await compare(passes.old, passes.new)
            guard await commitCount() == passes.commits else { return nil }
            verified.commits = passes.commits
            return verified
        } catch let error as StoreError where error.code == .verification {
            // The rows drawn at random were read last, and may have been changed a moment before.
            guard await commitCount() == passes.commits else { return nil }
            throw error
        }
    }

    /// Compares the rows of both stores, or of one of their scopes, as of one snapshot of the old store.
    ///
    /// - Parameters:
    ///   - copied: The rows that the new store has.
    ///   - base: The new store's record.
    ///   - scope: The scope; nil for a store without scopes.
    /// - Returns: The result, and the record afterwards.
    /// - Throws: `verification` if they differ.
    func verify(
        after copied: SwitchRecord.Copied, noting base: SwitchRecord.Copied, in scope: StoreScope? = nil
    ) async throws -> (verified: Verified, copied: SwitchRecord.Copied) {
        // Both are read at the same time. What was changed in between is then copied, and taken into account.
        async let first = survey(after: copied, noting: base, in: scope)
        async let second = digest(in: scope)
        var (mine, theirs) = (try await first, try await second)
        let replaced = try await replacing(mine.0, in: scope)
        theirs.replace(replaced.before, by: replaced.after)
        return (try await compare(mine.1, theirs, in: scope), replaced.copied)
    }

    /// Compares what was found of both stores, or of one of their scopes.
    ///
    /// - Throws: `verification` if they differ.
    private func compare(
        _ first: StoreSurvey, _ second: StoreDigest, in scope: StoreScope? = nil
    ) async throws -> Verified {
        let report = try await StoreComparison(
            first: first, second: second, old, new, ReadOptions(of: scope)
        ).report()
        guard report.isEqual else {
            throw Self.different(report.entities.filter { !$0.isEqual }.map(\.entity), in: scope)
        }
        return Verified(report: report, old: first.digest, new: second)
    }

    /// The rows that the new store lacks, and what the old one holds, as of one snapshot; for the store or
    /// one of its scopes.
    func survey(
        after copied: SwitchRecord.Copied, noting base: SwitchRecord.Copied, in scope: StoreScope?
    ) async throws -> (RowDelta, StoreSurvey) {
        if scope == nil {
            let (lower, upper) = try await old.readHalves { tx, half in
                (
                    token: try tx.historyToken(),
                    delta: half.isLower ? try RowDelta(tx, after: copied, noting: base, limit: .max) : nil,
                    survey: try StoreSurvey(of: tx, half: half)
                )
            }
            // Two snapshots are one unless something was written between them, which is seldom.
            if lower.token == upper.token, let delta = lower.delta {
                return (delta, StoreSurvey(lower: lower.survey, upper: upper.survey))
            }
        }
        return try await old.read(ReadOptions(of: scope)) { tx in
            (
                try RowDelta(tx, after: copied, noting: base, limit: .max),
                try StoreSurvey(of: tx, in: scope)
            )
        }
    }

    /// The digest of the new store, or of one of its scopes.
    func digest(in scope: StoreScope?) async throws -> StoreDigest {
        guard let scope else { return try await StoreDigest(of: new) }
        return try await new.read(ReadOptions(of: scope)) { try StoreDigest(of: $0, in: scope) }
    }

    /// Copies and compares what was changed since a comparison: the old store is fenced.
    ///
    /// - Throws: `verification` if a changed row, or the number of rows, differs.
    func settle(_ verified: Verified) async throws -> Verified {
        let copied = try await copied()
        tell(.fenced, rows: copied.rows, total: copied.rows)
        var verified = verified
        if isScoped {
            _ = try await followScopes(&verified, after: copied)
        } else {
            _ = try await follow(&verified, after: copied, noting: copied)
            try await adoptOperations()
        }
        let (mine, theirs) = (verified.old.totals, verified.new.totals)
        verified.report = verified.report.updated(first: mine, second: theirs)
        async let found = old.counts()
        let (theirCounts, counts) = (try await new.counts(), try await found)
        let names = old.schema.entities.indices.filter { index in
            mine[index] != theirs[index] || counts[index] != theirCounts[index]
                || counts[index] != mine[index].count
        }.map { old.schema.entities[$0].name }
        guard names.isEmpty else { throw Self.different(names) }
        return verified
    }

    /// Copies the ids of writes that the new store lacks: the history omits writes that changed nothing.
    private func adoptOperations() async throws {
        var last: OperationID?
        while true {
            let mine = try await old.read { [last] in
                try $0.driver.maintenance.operations(after: last, limit: 10_000)
            }
            guard let end = mine.last?.id else { return }
            let theirs = try await new.read { [last] in
                try $0.driver.maintenance.operations(after: last, limit: 10_000)
            }
            let known = Set(theirs.map(\.id))
            let missing = mine.filter { !known.contains($0.id) }
            if !missing.isEmpty { try await new.write { try $0.driver.maintenance.adopt(missing) } }
            last = end
        }
    }

    /// Copies what was changed since a comparison, and updates the result.
    ///
    /// - Parameters:
    ///   - verified: The result of the comparison.
    ///   - copied: The rows that the new store has of the store, or of the scope.
    ///   - base: The new store's record.
    ///   - scope: The scope; nil for a store without scopes.
    /// - Returns: The record afterwards.
    /// - Throws: As `copy`.
    func follow(
        _ verified: inout Verified, after copied: SwitchRecord.Copied, noting base: SwitchRecord.Copied,
        in scope: StoreScope? = nil
    ) async throws -> SwitchRecord.Copied {
        let (delta, digests) = try await old.read(ReadOptions(of: scope)) { tx in
            let delta = try RowDelta(tx, after: copied, noting: base, limit: .max)
            return (delta, try tx.digests(ofEach: delta.changed, in: scope))
        }
        let replaced = try await replacing(delta, in: scope)
        verified.old.replace(replaced.before, by: digests)
        verified.new.replace(replaced.before, by: replaced.after)
        return replaced.copied
    }

    /// The old store's count of commits to its database; nil if it does not count.
    func commitCount() async -> Int? { await (old as? any CommitCounting)?.commitCount() }

    /// Whether the fence is all that was committed to the old store since a comparison.
    func hasOnlyFence(since verified: Verified) async -> Bool {
        guard let commits = verified.commits else { return false }
        return await commitCount() == commits + 1
    }

    /// Reads the fenced old store once more, and compares it with what was copied.
    ///
    /// This finds writes that bypassed it after the comparison, and before all processes had moved to the new
    /// store.
    ///
    /// - Parameter compared: The digests of the copied rows, by the name of the entity.
    /// - Throws: `verification` if there is such a row.
    func audit(_ compared: [String: String]) async throws {
        let names = try await entities(changedSince: compared)
        guard names.isEmpty else {
            throw StoreError(
                .verification,
                "The switch is committed, but writes have bypassed the old store in the meantime, in "
                    + "\(names.joined(separator: ", ")). Those rows are in the old store and not in the new "
                    + "one: compare them with `verify`, and transfer them.")
        }
    }

    /// Reads all rows of the old store.
    ///
    /// - Parameter compared: The digests of its rows at some time, by the name of the entity.
    /// - Returns: The names of the entities whose rows are others.
    /// - Throws: What reading throws.
    func entities(changedSince compared: [String: String]) async throws -> [String] {
        let digest = isScoped ? try await digestOfScopes() : try await StoreDigest(of: old)
        let found = digest.words(in: old.schema)
        return old.schema.entities.map(\.name).filter { found[$0] != compared[$0] }
    }

    /// Writes a delta to the new store.
    ///
    /// - Returns: For each entity, the digests of the rows that it replaces in the new store, and of those
    ///   that exist afterwards; and the record then.
    private func replacing(_ delta: RowDelta, in scope: StoreScope?) async throws -> Replaced {
        // Of many scopes, few have changed, and the others need no write.
        if scope != nil, delta.isNothing {
            let none = delta.changed.map { _ in [UUID: UInt128]() }
            return Replaced(before: none, after: none, copied: delta.base)
        }
        let options = ReadOptions(of: scope)
        let before = try await new.read(options) { try $0.digests(ofEach: delta.changed, in: scope) }
        try await write(delta)
        let after = try await new.read(options) { try $0.digests(ofEach: delta.changed, in: scope) }
        return Replaced(before: before, after: after, copied: delta.copied)
    }

    private struct Replaced {
        let before: [[UUID: UInt128]], after: [[UUID: UInt128]]
        let copied: SwitchRecord.Copied
    }

    private static func different(_ entities: [String], in scope: StoreScope? = nil) -> StoreError {
        let place = scope.map { " of the scope \($0)" } ?? ""
        return StoreError(
            .verification,
            "The copy differs from the store, in \(entities.joined(separator: ", "))\(place): writes have "
                + "bypassed it. Abort the switch, and start over; nothing was changed in the old store.")
    }
}

extension ReadTransaction {
    /// The digests of the rows with some ids, for each entity.
    fileprivate func digests(ofEach ids: [[UUID]], in scope: StoreScope?) throws -> [[UUID: UInt128]] {
        try zip(schema.entities, ids).map { try digests(of: $0, in: scope, $1) }
    }
}
