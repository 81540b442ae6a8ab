public import SwitchyardCore

extension SQLTransaction {
    /// How many scopes are looked up at once.
    private static var scopesAtOnce: Int { 1_000 }

    /// Copies the store to a place beside it.
    ///
    /// - Throws: As `StoreMaintenance` says.
    public func backUp(as name: String) throws -> String? { try connection.backUp(as: name) }

    /// Makes the tables those of another schema.
    ///
    /// - Throws: As `StoreMaintenance` says.
    public func change(_ changes: [TableChange], to schema: Schema, filling fill: TableFilling?) throws {
        let newer = try SQLPlan(plan.sql.printing(schema))
        let scopes = try everyScope()
        for scope in scopes {
            let rows = confined(to: scope, plan)
            for change in changes { try rows.requireFit(change) }
        }
        let statements = try newer.sql.change(changes, from: plan.sql)
        let unknown = try SQLPlan.unknownParts(beside: [plan], in: try connection.catalog())
        try run(statements.drafts)
        if let fill {
            let drafts = try SQLPlan(plan.sql.printing(schema.whileFilling(changes)))
            for scope in scopes { try fill(confined(to: scope, plan), confined(to: scope, drafts)) }
            try run(newer.sql.dialect.checksOfReferences)
        }
        try remake(statements.others)
        let filled = Set(changes.filter(\.isFilled).compactMap(\.new?.name))
        for scope in scopes {
            let rows = confined(to: scope, newer)
            for change in changes { try rows.fold(change) }
            // No statement has checked the references of a table that was made anew, nor those to it.
            for entity in schema.entities {
                let isChanged = changes.contains { $0.new?.name == entity.name }
                for attribute in entity.attributes
                where attribute.reference.map({ isChanged || filled.contains($0) }) == true {
                    guard try rows.danglingReferences(attribute, of: entity, limit: 1) == 0 else {
                        throw StoreError.danglingReference(attribute, of: entity)
                    }
                }
            }
        }
        try keep(unknown, after: changes, newer)
    }

    /// Runs statements; some of them replace tables.
    func remake(_ texts: [String]) throws {
        let remaking = plan.sql.dialect.remaking
        try run(remaking.before + texts + remaking.after)
    }

    func run(_ texts: [String]) throws {
        for text in texts { _ = try telling(text).run(SQLStatement(text: text)) }
    }

    /// Each scope that the store has, as a transaction is given it; one without a scope in a store that has none.
    func everyScope() throws -> [[StoreScope]] {
        guard sql.isScoped else { return [[]] }
        var all: [[StoreScope]] = []
        while true {
            let next = try scopes(after: all.last?.first, limit: Self.scopesAtOnce)
            if next.isEmpty { return all }
            all += next.map { [$0.scope] }
        }
    }
}
