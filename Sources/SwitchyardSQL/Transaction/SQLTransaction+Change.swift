public import SwitchyardCore

extension SQLTransaction {
    /// Copies the store to a place beside it.
    ///
    /// - Throws: As `TransactionDriver` says.
    public func backUp(as name: String) throws -> String? { try connection.backUp(as: name) }

    /// Makes the tables those of another schema.
    ///
    /// - Throws: As `TransactionDriver` says.
    public func change(_ changes: [TableChange], to schema: Schema) throws {
        let new = SQLTransaction(self, plan: try SQLPlan(plan.sql.printing(schema)))
        for text in try new.plan.sql.change(changes, from: plan.sql) {
            _ = try telling(text).run(SQLStatement(text: text))
        }
        // No statement has checked the references of a table that was made anew.
        for entity in changes.compactMap(\.new) {
            for attribute in entity.attributes where attribute.reference != nil {
                guard try new.danglingReferences(attribute, of: entity, limit: 1) == 0 else {
                    throw StoreError.danglingReference(attribute, of: entity)
                }
            }
        }
    }
}
