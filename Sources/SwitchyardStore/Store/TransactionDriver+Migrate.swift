package import Foundation

/// What a driver does row by row in `StoreMaintenance.change(_:to:filling:)`, in each scope.
extension TransactionDriver {
    /// Writes the folded copies of a table that was changed, for attributes that could not be searched before, or have got
    /// values.
    ///
    /// - Throws: As `insert`.
    public func fold(_ change: TableChange) throws {
        guard case .change(let old, let entity, let sources) = change else { return }
        let attributes = zip(entity.attributes, sources).filter { attribute, source in
            let before = source.attribute.flatMap(old.attribute)
            return attribute.isSearchable && (before?.isSearchable != true || !source.fallback.isNull)
        }.map(\.0.name)
        guard !attributes.isEmpty else { return }
        let check = RowCheck(entity)
        try forEachPage(of: entity) { rows in
            var iterator = rows.makeIterator()
            _ = try insert(into: entity, onConflict: .update(key: ["id"], set: attributes)) { row in
                guard let values = iterator.next() else { return false }
                row.reset()
                for value in values { try row.write(value) }
                try check.complete(&row)
                return true
            }
        }
    }

    /// Checks that the rows of a table that will be changed fit into the indexes that it gets, whose entries have the same
    /// limit on every backend.
    ///
    /// - Throws: `valueNotRepresentable`.
    public func requireFit(_ change: TableChange) throws {
        guard case .change(let old, let entity, let sources) = change else { return }
        let names = Dictionary(
            uniqueKeysWithValues: zip(entity.attributes, sources).map { ($0.name, $1.attribute ?? "") })
        let (has, had) = (entity.sizedIndexes { names[$0] ?? "" }, old.sizedIndexes { $0 })
        guard !has.isSubset(of: had) else { return }
        let check = RowCheck(entity)
        let columns = sources.map { $0.attribute.flatMap(old.column) }
        var row = RowWriter(context: entity.errorContext)
        try forEachPage(of: old) { rows in
            for values in rows {
                row.reset()
                for (place, attribute) in entity.attributes.enumerated() {
                    let value = columns[place].map { values[$0] }
                    try row.write(sources[place].value(of: value, as: attribute.type))
                }
                try check.complete(&row)
            }
        }
    }

    /// Calls the body with the rows of an entity, a few hundred at a time.
    package func forEachPage(of entity: Entity, _ body: ([[StoredValue]]) throws -> Void) throws {
        var last: UUID?
        while true {
            let rows = try rows(of: entity, after: last, limit: 256)
            guard let end = rows.last else { return }
            try body(rows)
            last = try entity.id(of: end)
        }
    }

    /// The next rows of an entity in the order of their ids.
    package func rows(of entity: Entity, after last: UUID?, limit: Int) throws -> [[StoredValue]] {
        let condition: Condition =
            last.map { .compare(.attribute("id"), .greater, .value(.uuid($0))) } ?? .constant(true)
        var rows: [[StoredValue]] = []
        try select(.rows(of: entity, where: condition, limit: limit)) { row in
            rows.append(try entity.attributes.map { try row.read($0.type) })
            return true
        }
        return rows
    }
}

extension Entity {
    /// The attributes of each index whose entries depend on text, JSON or blobs, each attribute by a name; where it is the
    /// folded copy, with a mark.
    fileprivate func sizedIndexes(_ name: (String) -> String) -> Set<[String]> {
        let plain = (indexes.map(\.attributes) + uniqueConstraints.map(\.attributes)).filter {
            IndexEntry($0, of: self) != nil
        }
        let folded = indexes.filter { $0.hasFoldedCopies(in: self) }.map { index in
            index.attributes.map { name($0) + (attribute($0)?.isSearchable == true ? " folded" : "") }
        }
        return Set(plain.map { $0.map(name) } + folded)
    }
}
