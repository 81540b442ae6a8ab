package import SwitchyardCore

extension VersionProjection {
    /// A server's answer in the words of the older version: without what that lacks.
    ///
    /// A value that the older version does not allow, such as a new case of an enum, is replaced by the attribute's default,
    /// or nil. A device that is updated takes all rows again, and so gets the value itself.
    ///
    /// - Throws: `schemaTooNew` for such a value of an attribute that has no default and must not be nil.
    package func lowered(_ answer: ExchangeAnswer) throws -> ExchangeAnswer {
        switch answer {
        case .page(var page):
            page.rows = try page.rows.compactMap { try lowered($0) }
            page.conflicts = page.conflicts.compactMap { lowered($0) }
            page.verdicts = page.verdicts.map {
                Verdict(id: $0.id, kind: $0.kind, reason: $0.reason.map { lowered($0) })
            }
            return .page(page)
        case .rows(var page):
            page.rows = try page.rows.compactMap { try lowered($0) }
            page.next = page.next.flatMap { next in
                entity(newer: next.entity).map { RowKey($0.older.name, next.id) }
            }
            return .rows(page)
        case .restart, .ahead, .beginAgain: return answer
        }
    }

    private func lowered(_ patch: RowPatch) throws -> RowPatch? {
        guard let entity = entity(newer: patch.key.entity) else { return nil }
        let key = RowKey(entity.older.name, patch.key.id)
        guard let values = patch.values else { return RowPatch(key, nil) }
        let isWhole = values.allSatisfy { $0 != nil }
        let lowered = try entity.older.attributes.enumerated().map { position, attribute -> StoredValue? in
            let place = entity.position(ofOlder: position)
            if place == nil, !isWhole { return nil }
            if let place {
                guard let value = values[place] else { return nil }
                if attribute.holds(value) { return value }
            }
            guard let standIn = attribute.standIn else {
                throw StoreError(
                    .schemaTooNew,
                    "The server has a row whose \(entity.older.name).\(attribute.name) version \(older.version) of the schema "
                        + "does not allow. Update the app; until then it works offline, and what it writes is kept.",
                    entity: entity.older.name, attribute: attribute.name)
            }
            return standIn
        }
        // Only attributes have changed that the older version lacks.
        if !isWhole, lowered.dropFirst().allSatisfy({ $0 == nil }) { return nil }
        return RowPatch(key, lowered, inserter: patch.inserter)
    }

    private func lowered(_ entry: LoggedConflict) -> LoggedConflict? {
        guard let entity = entity(newer: entry.conflict.key.entity) else { return nil }
        let values = entry.conflict.values.compactMap { value in
            entity.sources[value.attribute].position.map {
                Conflict.Value($0, losing: value.losing, winning: value.winning)
            }
        }
        return entry.said(of: entity.older, values)
    }

    private func lowered(_ reason: Rejection) -> Rejection {
        guard let entity = entity(newer: reason.entity) else { return reason }
        let position = entity.newer.attributes.firstIndex { $0.name == reason.attribute }
        let name = position.flatMap { entity.sources[$0].position }.map { entity.older.attributes[$0].name }
        return Rejection(reason.code, entity.older.name, name)
    }
}
