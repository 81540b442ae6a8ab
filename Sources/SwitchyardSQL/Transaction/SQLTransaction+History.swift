internal import Foundation
package import SwitchyardCore

extension SQLTransaction: HistoryAppendingDriver {
    /// Adds a transaction after the last one of the history.
    ///
    /// A database that can calculate its place does so in the statement that inserts it; of another one, the last place
    /// is asked.
    package func append(_ addition: HistoryAddition) throws -> Bool {
        let entity = HistoryAddition.entity
        try willChange(entity)
        let statement = try statement(adding: addition, by: plan.entity(entity.name))
        try telling(statement.text).runAhead(statement)
        _ = noting(1, rowsOf: entity)
        return true
    }

    private func statement(adding addition: HistoryAddition, by plan: SQLEntityPlan) throws -> SQLStatement {
        let scope = scopes.first.map { [SQLParameter.value(.uuid($0.uuid), .uuid)] } ?? []
        guard let text = self.plan.appendHistory else {
            let row = addition.row(after: try place(after: addition.start, scope))
            return SQLStatement(
                text: plan.insert, parameters: scope + zip(row, plan.types).map { .value($0, $1) })
        }
        let place = withUnsafeBytes(of: addition.start.uuid) {
            Int64(bigEndian: $0.loadUnaligned(as: Int64.self))
        }
        let values = zip(addition.values, plan.types.suffix(addition.values.count))
        return SQLStatement(
            text: text,
            parameters: scope + [
                .value(.uuid(addition.start), .uuid), .value(.int(place), .int),
                .value(.uuid(addition.transaction), .uuid),
            ] + values.map { .value($0, $1) })
    }

    /// The last place in the history, as far as there is one after an id.
    private func place(after start: UUID, _ scope: [SQLParameter]) throws -> HistoryPosition {
        var place = HistoryPosition.start
        let statement = SQLStatement(
            text: plan.lastOfHistory, parameters: scope + [.value(.uuid(start), .uuid)])
        try telling(statement.text).query(
            statement, types: [.uuid, .blob], context: plan.lastOfHistoryContext
        ) { row in
            place = try HistoryPosition(from: &row)
            return true
        }
        return place
    }
}
