internal import Foundation
internal import SwitchyardCore

/// Rows whose unique key another row has.
extension Merge {
    /// Merges or renames the rows whose keys are taken, where a policy says so; other taken keys are found when the rows
    /// are written.
    ///
    /// It comes after the delete rules, so that rows that are gone hold no key, and no row refers to one that is missing.
    mutating func resolveKeys() throws {
        var keys = UniqueKeys(schema: schema, includesRejected: mutation.isOffer)
        var (queue, seen) = (order, order.count)
        while let key = queue.popLast() {
            if let (constraint, holder) = try takenKey(key, &keys) {
                switch constraint.merge {
                case .rename: try rename(key, constraint, &keys)
                case .mergeInto: queue += try join(key, into: holder) + [holder]
                case .reject:
                    guard let misfit = [key, holder].first(where: isOffered) else {
                        throw Rejection(.unique, key.entity, constraint.attributes.first)
                    }
                    throw OfferMisfit(key: misfit, reason: .unique)
                }
                // The row that is left can have taken another key.
                if (after[key] ?? nil) != nil { queue.append(key) }
            }
            queue += order[seen...] + keys.again
            (seen, keys.again) = (order.count, [])
        }
    }

    /// A key of a changed row that another row has, if a policy concerns it.
    private mutating func takenKey(
        _ key: RowKey, _ keys: inout UniqueKeys
    ) throws -> (UniqueConstraint, holder: RowKey)? {
        guard let row = after[key] ?? nil else { return nil }
        for rule in try keys.rules(of: try entity(key)) {
            guard let value = try rule.key(of: row) else { continue }
            if try rule.key(of: before[key] ?? nil) == value {
                // Another row can have got the key while this one had left it.
                keys.again += keys.noted(value, rule).filter { $0 != key }
                continue
            }
            if let holder = try holder(of: value, rule, besides: key, keys) {
                return (rule.constraint, holder)
            }
            keys.note(value, rule, key)
        }
        return nil
    }

    /// Another row that has a key.
    private mutating func holder(
        of value: [StoredValue], _ rule: UniqueKeys.Rule, besides key: RowKey, _ keys: UniqueKeys
    ) throws -> RowKey? {
        let stored = try target.keys(of: rule.entity, holding: rule.comparable(value))
        for candidate in stored + keys.noted(value, rule) where candidate != key {
            if let row = try current(candidate), try rule.key(of: row) == value { return candidate }
        }
        return nil
    }

    // MARK: Renaming

    private mutating func rename(_ key: RowKey, _ constraint: UniqueConstraint, _ keys: inout UniqueKeys)
        throws
    {
        let entity = try entity(key)
        guard var row = after[key] ?? nil, let position = constraint.renamed(in: entity),
            case .text(let text) = row[position],
            let rule = try keys.rules(of: entity).first(where: { $0.constraint == constraint })
        else { throw Rejection(.unique, key.entity, constraint.attributes.first) }
        // From the id alone, and so the same whenever the mutation is carried out.
        let digits = key.id.uuidString.lowercased().filter { $0 != "-" }
        for count in [4, 8, 16, 32] {
            let name = StoredValue.text("\(text) (\(digits.suffix(count)))")
            row[position] = name
            guard let value = try rule.key(of: row), try holder(of: value, rule, besides: key, keys) != nil
            else {
                after[key] = row
                lose(key, .unique, [(position, .text(text), name)])
                return
            }
        }
        throw Rejection(.unique, key.entity, constraint.attributes.first)
    }

    // MARK: Merging rows

    /// Merges a row into another, and moves the references to it.
    ///
    /// - Returns: The rows that refer to the other one now.
    private mutating func join(_ key: RowKey, into holder: RowKey) throws -> [RowKey] {
        guard let arriving = after[key] ?? nil else { return [] }
        let entity = try entity(key)
        let old = before[key] ?? nil
        if !mutation.isOffer {
            for (position, attribute) in entity.attributes.enumerated().dropFirst() {
                guard var row = try current(holder) else { return [] }
                let current = row[position]
                let value = arriving[position]
                // A nil says nothing, and neither row is to refer to itself.
                if value.isNull || value == .uuid(key.id) || value == .uuid(holder.id) { continue }
                if current.isNull {
                    row[position] = value
                    after[holder] = row
                } else if attribute.merge == .counter {
                    let start = old == nil ? attribute.defaultValue ?? .null : .null
                    try set(
                        holder, AttributeEdit(position, before: start, after: value), isInsert: true)
                } else if old.map({ $0[position] != value }) ?? true || attribute.merge.goesByValues {
                    try set(holder, AttributeEdit(position, before: nil, after: value), isInsert: true)
                }
            }
        }
        let kept = try current(holder) ?? []
        lose(key, .unique, arriving.indices.dropFirst().map { ($0, arriving[$0], kept[$0]) })
        after[key] = .some(nil)
        aliases[key] = holder
        return try moveReferences(from: key, to: holder)
    }

    private mutating func moveReferences(from key: RowKey, to holder: RowKey) throws -> [RowKey] {
        var moved: [RowKey] = []
        for (source, attribute, _) in schema.referrers(of: try entity(key)) {
            let position = try position(attribute.name, of: source)
            let stored = try target.keys(of: source, holding: [position: .uuid(key.id)])
            for child in Set(stored + order.filter { $0.entity == source.name }).sorted() {
                guard var row = try current(child), row[position] == .uuid(key.id) else { continue }
                row[position] = .uuid(holder.id)
                after[child] = row
                isExact = false
                moved.append(child)
            }
        }
        return moved
    }
}

/// The unique constraints with a policy, and the keys that a mutation's rows have.
private struct UniqueKeys {
    struct Rule {
        let entity: Entity
        let constraint: UniqueConstraint
        private let rule: UniqueRule
        private let searchable: [Int]

        init(_ entity: Entity, _ rule: UniqueRule) {
            (self.entity, self.rule, constraint) = (entity, rule, rule.constraint)
            searchable = entity.attributes.indices.filter { entity.attributes[$0].isSearchable }
        }

        /// The key of a row; nil if the row has none, or there is no row.
        func key(of row: [StoredValue]?) throws -> [StoredValue]? {
            guard let row else { return nil }
            return try rule.key(of: row + searchable.map { row[$0].folded })
        }

        /// The values of a key that a condition can compare.
        func comparable(_ key: [StoredValue]) -> [Int: StoredValue] {
            var values: [Int: StoredValue] = [:]
            for (name, value) in zip(constraint.attributes, key) where ![.json, .blob].contains(value.type) {
                if let position = entity.column(name) { values[position] = value }
            }
            return values
        }
    }

    private struct Place: Hashable {
        let constraint: String
        let key: [StoredValue]
    }

    let schema: Schema
    /// Whether constraints without a policy count as well.
    let includesRejected: Bool
    /// The rows that are to be looked at once more.
    var again: [RowKey] = []
    private var rules: [String: [Rule]] = [:]
    private var rows: [Place: [RowKey]] = [:]

    init(schema: Schema, includesRejected: Bool) {
        (self.schema, self.includesRejected) = (schema, includesRejected)
    }

    mutating func rules(of entity: Entity) throws -> [Rule] {
        if let known = rules[entity.name] { return known }
        var found: [Rule] = []
        if entity.uniqueConstraints.contains(where: concerns) {
            found = try EntityRules(entity, schema: schema).unique.filter { concerns($0.constraint) }
                .map { Rule(entity, $0) }
        }
        rules[entity.name] = found
        return found
    }

    private func concerns(_ constraint: UniqueConstraint) -> Bool {
        includesRejected || constraint.merge != .reject
    }

    /// Notes that a row has a key.
    mutating func note(_ key: [StoredValue], _ rule: Rule, _ row: RowKey) {
        rows[place(key, rule), default: []].append(row)
    }

    /// The rows that had a key when it was noted.
    func noted(_ key: [StoredValue], _ rule: Rule) -> [RowKey] { rows[place(key, rule)] ?? [] }

    private func place(_ key: [StoredValue], _ rule: Rule) -> Place {
        Place(constraint: rule.constraint.name(in: rule.entity), key: key)
    }
}
