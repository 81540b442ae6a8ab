internal import Foundation
package import SwitchyardCore

extension SQLTransaction: HistoryAppendingDriver {
    /// Adds a transaction after the last one of the history.
    ///
    /// A database that can calculate its place does so in the statement that inserts it; of another one, the last place
    /// is asked.
    package func append(_ addition: HistoryAddition) throws -> Bool {
        let entity = HistoryAddition.entity
        let plan = try plan.entity(entity.name)
        var parameters = scopes.first.map { [SQLParameter.value(.uuid($0.uuid), .uuid)] } ?? []
        parameters.reserveCapacity(plan.insertTypes.count + 1)
        if let text = self.plan.appendHistory {
            try willChange(entity)
            let start = addition.start
            let place = withUnsafeBytes(of: start.uuid) {
                Int64(bigEndian: $0.loadUnaligned(as: Int64.self))
            }
            parameters.append(.value(.uuid(start), .uuid))
            parameters.append(.value(.int(place), .int))
            parameters.append(.value(.uuid(addition.transaction), .uuid))
            for (value, type) in zip(addition.values, plan.types.suffix(addition.values.count)) {
                parameters.append(.value(value, type))
            }
            try telling(text).runAhead(SQLStatement(text: text, parameters: parameters))
        } else {
            let place = addition.place(after: try place(after: addition.start, parameters))
            try willChange(entity)
            for (value, type) in zip(addition.row(at: place), plan.types) {
                parameters.append(.value(value, type))
            }
            _ = try telling(plan.insert).run(SQLStatement(text: plan.insert, parameters: parameters))
            historyEnd?.note(place, after: addition.start, in: scopes.first)
        }
        _ = noting(1, rowsOf: entity)
        return true
    }

    /// The last place in the history, as far as there is one after an id.
    private func place(after start: UUID, _ scope: [SQLParameter]) throws -> HistoryPosition {
        if let known = historyEnd?.place(after: start, in: scopes.first) { return known }
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
