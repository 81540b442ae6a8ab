internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// The rows of one entity, and for each unique constraint which row has which key.
///
/// A row has the layout in which drivers get it: the attributes in order, then the folded copy of each
/// searchable one.
struct Table: Sendable {
    private(set) var rows: [UUID: [StoredValue]] = [:]
    /// One for each unique constraint of the entity, in order.
    private var keys: [[[StoredValue]: UUID]]

    init(_ entity: Entity) { keys = entity.uniqueConstraints.map { _ in [:] } }

    /// Takes rows out and puts others in, so that only what is left at the end can be a duplicate.
    ///
    /// An insert takes none out, and a delete puts none in.
    ///
    /// - Throws: `unique`; the table is then half changed.
    mutating func replace(
        _ old: [[StoredValue]], with new: [[StoredValue]], _ rules: RowRules
    ) throws {
        for row in old {
            rows[try rules.id(of: row)] = nil
            for (index, rule) in rules.unique.enumerated() {
                if let key = try rule.key(of: row) { keys[index][key] = nil }
            }
        }
        for row in new {
            let id = try rules.id(of: row)
            guard rows.updateValue(row, forKey: id) == nil else {
                throw StoreError.duplicateID(in: rules.entity)
            }
            for (index, rule) in rules.unique.enumerated() {
                guard let key = try rule.key(of: row) else { continue }
                guard keys[index].updateValue(id, forKey: key) == nil else {
                    throw StoreError.duplicate(rule.constraint, in: rules.entity)
                }
            }
        }
    }

    /// The row that agrees with another one in the attributes of a key.
    ///
    /// - Throws: `unsupported` if the attributes are no unique key.
    func row(sharing key: [String], with row: [StoredValue], _ rules: RowRules) throws -> [StoredValue]? {
        if key == ["id"] { return rows[try rules.id(of: row)] }
        guard
            let index = rules.unique.firstIndex(where: {
                $0.constraint.filter == nil && Set($0.constraint.attributes) == Set(key)
            })
        else {
            throw StoreError(
                .unsupported, "(\(key.joined(separator: ", "))) is no unique key.", entity: rules.entity.name)
        }
        return try rules.unique[index].key(of: row).flatMap { keys[index][$0] }.flatMap { rows[$0] }
    }

    /// Hands over each row, ascending by id, until the body returns false.
    func forEach(_ body: ([StoredValue]) throws -> Bool) rethrows {
        for id in rows.keys.sorted() {
            if let row = rows[id], try !body(row) { return }
        }
    }
}
