internal import Foundation
internal import SwitchyardCore

extension TableConversion {
    /// The entities whose rows' ids the ids of these rows come from.
    var referredIdentities: [String] {
        identity?.parts.compactMap { part in
            if case .reference(_, let target) = part { target } else { nil }
        } ?? []
    }
}

extension AdoptionSurvey {
    /// Where the id of a row comes from.
    enum Origin {
        /// The key, or a column, that is a UUID.
        case uuid
        /// The key, or columns, of another type.
        case derived
        /// The key, because the columns have no usable value.
        case key
    }

    /// The id of a row; the reason why it has none.
    func id(of values: [ForeignValue], _ conversion: TableConversion) -> Result<UUID, Unconvertible> {
        let key = conversion.key.map { values[$0] }
        guard let identity = conversion.identity else {
            return
                (numberedID(of: key, in: conversion.entity.name)
                ?? ids.id(of: key, in: conversion.foldedName)).map { .success($0) }
                ?? .failure(Unconvertible("the key has no value, or a text in no valid encoding"))
        }
        if let id = keyedIDs[conversion.entity.name]?.id(of: key) { return .success(id) }
        let reason =
            self.id(ofColumns: values, identity, conversion) == nil
            ? "the id has no value" : "another row has the same id"
        return .failure(
            Unconvertible("\(reason): correct it, or let the plan take the key then", .unusableID))
    }

    /// The id of the row that a reference leads to; nil if there is none.
    func id(of key: [ForeignValue], referredToIn target: String) -> UUID? {
        if let keyed = keyedIDs[target] { return keyed.id(of: key) }
        return knownID(of: key, in: target)
    }

    /// Where the id of a row comes from.
    func origin(of values: [ForeignValue], _ conversion: TableConversion) -> Origin {
        let key = conversion.key.map { values[$0] }
        guard let identity = conversion.identity else {
            return key.count == 1 && key[0].uuid != nil ? .uuid : .derived
        }
        let id = id(ofColumns: values, identity, conversion)
        guard id != nil, id == keyedIDs[conversion.entity.name]?.id(of: key) else { return .key }
        guard identity.parts.count == 1, case .value(let position) = identity.parts[0] else {
            return .derived
        }
        return values[position].uuid == nil ? .derived : .uuid
    }

    /// The ids of all rows of a table whose ids come from columns; a row whose id is refused is left out.
    func keyedIDs(
        of conversion: TableConversion, _ snapshot: any ForeignSnapshot, _ check: () throws -> Void
    ) throws -> KeyedIDs {
        guard let identity = conversion.identity else { return KeyedIDs() }
        var (found, seen) = (KeyedIDs(), Set<UUID>())
        let names = conversion.columns
        let positions = Set(conversion.key + identity.positions).sorted()
        var values = [ForeignValue](repeating: .null, count: names.count)
        try snapshot.forEachRow(of: conversion.table, positions.map { names[$0] }) { row in
            try check()
            for (position, value) in zip(positions, row) { values[position] = value }
            let key = conversion.key.map { values[$0] }
            if let id = id(ofColumns: values, identity, conversion), seen.insert(id).inserted {
                found.insert(id, for: key)
            } else if identity.unusable == .fromKey, let id = ids.id(of: key, in: conversion.foldedName) {
                seen.insert(id)
                found.insert(id, for: key)
            }
        }
        return found
    }

    private func id(
        ofColumns values: [ForeignValue], _ identity: TableConversion.Identity, _ conversion: TableConversion
    ) -> UUID? {
        var hasReference = false
        let parts = identity.parts.map { part -> ForeignValue in
            switch part {
            case .value(let position): return values[position]
            case .reference(let position, let target):
                hasReference = true
                // One of several that lead to rows of different entities.
                if values[position] == .null, identity.parts.count > 1 { return .text("") }
                return id(of: [values[position]], referredToIn: target).map { .uuid($0) } ?? .null
            }
        }
        guard hasReference else { return ids.id(ofColumns: parts, in: conversion.foldedName) }
        guard parts.contains(where: { $0 != .text("") }) else { return nil }
        // The id is one of its own, and not that of the row that a single reference leads to.
        return ids.id(ofColumns: parts + [.text("")], in: conversion.foldedName)
    }

    /// The ids that rows of several tables have, by table.
    ///
    /// - Returns: For each table whose plan refuses shared ids, how many of its ids another table has as well.
    func sharedIDs() -> [(table: String, count: Int)] {
        let identified = conversions.filter { $0.identity != nil }
        guard identified.count > 1 else { return [] }
        var all: [(id: UUID, table: Int)] = []
        all.reserveCapacity(identified.reduce(0) { $0 + (keyedIDs[$1.entity.name]?.count ?? 0) })
        for (index, conversion) in identified.enumerated() {
            keyedIDs[conversion.entity.name]?.forEachID { all.append(($0, index)) }
        }
        all.sort { ($0.id, $0.table) < ($1.id, $1.table) }
        var counts = [Int](repeating: 0, count: identified.count)
        var start = 0
        while start < all.count {
            var end = start + 1
            while end < all.count, all[end].id == all[start].id { end += 1 }
            if all[start].table != all[end - 1].table {
                for row in all[start..<end] { counts[row.table] += 1 }
            }
            start = end
        }
        return zip(identified, counts).compactMap { conversion, count in
            count > 0 && conversion.identity?.shared == .refused ? (conversion.table.name, count) : nil
        }
    }
}
