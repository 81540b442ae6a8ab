internal import Switchyard
internal import SwitchyardCore

/// The names and the text of an operation.
extension RandomOperation {
    /// The operation as one line of text.
    func text(_ schema: Schema) -> String {
        func shown(_ rows: [[StoredValue]], of name: String) -> String {
            let attributes = schema.entity(name)?.attributes.map(\.name) ?? []
            let first = rows.prefix(3).map { row in
                "(" + zip(attributes, row).map { "\($0): \($1.text)" }.joined(separator: ", ") + ")"
            }
            return first.joined(separator: ", ") + (rows.count > 3 ? ", … \(rows.count) in all" : "")
        }
        func sorted(_ order: [SortKey]) -> String {
            order.isEmpty
                ? ""
                : " sorted by "
                    + order.map { "\($0.value) \($0.direction) nils \($0.nils)" }.joined(separator: ", ")
        }
        return switch self {
        case .insert(let entity, let rows, let skips):
            "insert into \(entity) \(shown(rows, of: entity))\(skips ? ", skipping those that are there" : "")"
        case .update(let entity, let set, let condition):
            "update \(entity) set \(set.map { "\($0.attribute) = \($0.value)" }.joined(separator: ", "))"
                + " where \(condition)"
        case .delete(let entity, let condition): "delete from \(entity) where \(condition)"
        case .count(let entity, let condition): "count \(entity) where \(condition)"
        case .fetch(let entity, let condition, let order, let limit, let offset):
            "fetch \(entity) where \(condition)\(sorted(order))"
                + (limit.map { " limit \($0)" } ?? "") + (offset > 0 ? " offset \(offset)" : "")
        case .replace(let entity, let row): "replace in \(entity) \(shown([row], of: entity))"
        case .upsert(let entity, let rows, let key):
            "upsert into \(entity) on (\(key.joined(separator: ", "))) \(shown(rows, of: entity))"
        case .pages(let entity, let condition, let order, let size):
            "pages of \(size) of \(entity) where \(condition)\(sorted(order))"
        case .aggregate(let entity, let condition, let groups, let figures):
            "figures of \(entity) where \(condition): "
                + figures.map { "\($0)" }.joined(separator: ", ")
                + (groups.isEmpty ? "" : " by \(groups.map { "\($0)" }.joined(separator: ", "))")
        case .report(let entity, let condition, let keys, let figures):
            "figures of \(entity) where \(condition): "
                + figures.map { "\($0.function) over \($0.span)" }.joined(separator: ", ")
                + (keys.isEmpty ? "" : " by \(keys.map { "\($0)" }.joined(separator: ", "))")
        case .several(let parts, let isUndone):
            "nested { " + parts.map { $0.text(schema) }.joined(separator: "; ") + " }"
                + (isUndone ? ", undone" : "")
        }
    }

    /// The entities that the operation names.
    var entities: Set<String> {
        switch self {
        case .insert(let entity, _, _), .update(let entity, _, _), .delete(let entity, _),
            .fetch(let entity, _, _, _, _), .count(let entity, _), .replace(let entity, _),
            .upsert(let entity, _, _), .pages(let entity, _, _, _), .aggregate(let entity, _, _, _),
            .report(let entity, _, _, _):
            [entity]
        case .several(let parts, _): parts.reduce(into: []) { $0.formUnion($1.entities) }
        }
    }

    /// Whether the operation can change rows.
    var writes: Bool {
        switch self {
        case .insert, .update, .delete, .replace, .upsert: true
        case .fetch, .count, .pages, .aggregate, .report: false
        case .several(let parts, _): parts.contains(where: \.writes)
        }
    }

    /// Whether the operation may name an attribute or a relationship, of any entity.
    func names(_ name: String) -> Bool {
        switch self {
        case .insert, .replace: false
        case .upsert(_, _, let key): key.contains(name)
        case .several(let parts, _): parts.contains { $0.names(name) }
        case .update, .delete, .fetch, .count, .pages, .aggregate, .report: "\(self)".contains(name)
        }
    }

    /// The operation on rows that lack a column.
    func without(column: Int, of name: String) -> RandomOperation {
        func shorter(_ row: [StoredValue]) -> [StoredValue] {
            var row = row
            row.remove(at: column)
            return row
        }
        switch self {
        case .insert(name, let rows, let skips):
            return .insert(entity: name, rows: rows.map(shorter), skipsExisting: skips)
        case .replace(name, let row): return .replace(entity: name, row: shorter(row))
        case .upsert(name, let rows, let key): return .upsert(entity: name, rows: rows.map(shorter), key: key)
        case .several(let parts, let isUndone):
            return .several(parts.map { $0.without(column: column, of: name) }, isUndone: isUndone)
        default: return self
        }
    }
}

extension StoredValue {
    /// The value as in the description of a condition.
    fileprivate var text: String { Operand.value(self).description }
}
