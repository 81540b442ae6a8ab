internal import SwitchyardCore

extension Fault {
    /// Faults in carrying rows over to the next version of a schema.
    static let migration: [Fault] = [
        migration("migration-empties", "A table that changes loses its rows.") { change in
            guard case .change(let old, let new, _) = change else { return [change] }
            return [.drop(old), .create(new)]
        },
        migration("migration-keeps", "A table that goes stays, and no new one is made.") { change in
            if case .change = change { [change] } else { [] }
        },
        sources("migration-references", "References are lost when a table changes.") { source, attribute in
            attribute.reference == nil ? source : ValueSource(nil)
        },
        sources("migration-default", "A new truth value is false, whatever its default.") {
            source, attribute in
            attribute.type == .bool && source.attribute == nil
                ? ValueSource(nil, fallback: .bool(false)) : source
        },
        sources("migration-fill", "A missing number becomes 0, whatever was said.") { source, attribute in
            attribute.type == .int && !source.fallback.isNull
                ? ValueSource(source.attribute, fallback: .int(0)) : source
        },
        migration("migration-index-limit", "A new index is not made, so that any row fits it.") { change in
            guard case .change(let old, let new, let sources) = change else { return [change] }
            let bare = Entity(
                new.name, attributes: new.attributes, relationships: new.relationships,
                uniqueConstraints: new.uniqueConstraints, table: new.table)
            return [.change(old, to: bare, sources)]
        },
        Fault(
            "migration-own-parts", "A migration takes a column of the store's own for somebody else's.",
            needs: .durability,
            FaultHooks(unknownParts: { steps, parts in
                let own = steps.first?.older.entities.first.map {
                    UnknownPart(table: $0.table, kind: .column, name: $0.attributes[0].column)
                }
                return parts + [own].compactMap(\.self)
            })),
        Fault(
            "migration-unfilled", "The rows that a stage's code writes are lost.", needs: .durability,
            FaultHooks(fillsTables: false)),
    ]

    private static func migration(
        _ name: String, _ summary: String, _ change: @escaping @Sendable (TableChange) -> [TableChange]
    ) -> Fault {
        Fault(name, summary, needs: .durability, FaultHooks(changes: { $0.flatMap(change) }))
    }

    private static func sources(
        _ name: String, _ summary: String,
        _ source: @escaping @Sendable (ValueSource, Attribute) -> ValueSource
    ) -> Fault {
        migration(name, summary) { change in
            guard case .change(let old, let new, let sources) = change else { return [change] }
            return [.change(old, to: new, zip(sources, new.attributes).map(source))]
        }
    }
}
