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
        let (text, first, end) = try beginning(of: addition)
        var parameters = scopeParameters
        parameters.reserveCapacity(parameters.count + first.count + addition.values.count)
        parameters += first
        for (value, type) in zip(addition.values, plan.types.suffix(addition.values.count)) {
            parameters.append(.value(value, type))
        }
        try willChange(entity)
        try telling(text).runAhead(SQLStatement(text: text, parameters: parameters))
        if let end { historyEnd?.note(end, after: addition.start, in: scopes.first) }
        _ = noting(1, rowsOf: entity)
        return true
    }

    /// The statement that adds a transaction, its parameters after the scope and before the values, and the place that it
    /// takes, if that is known.
    private func beginning(
        of addition: HistoryAddition
    ) throws -> (text: String, parameters: [SQLParameter], end: HistoryPosition?) {
        let start = addition.start
        guard let text = plan.appendHistory else {
            let place = addition.place(after: try place(after: start))
            let (id, digest) = addition.key(at: place)
            return (
                try plan.entity(HistoryAddition.entity.name).insert,
                [
                    .value(id.value, .int), .value(.uuid(addition.transaction), .uuid),
                    .value(.blob(digest), .blob),
                ], place
            )
        }
        return (text, [.value(start.value, .int), .value(.uuid(addition.transaction), .uuid)], nil)
    }

    private var scopeParameters: [SQLParameter] {
        scopes.first.map { [.value(.uuid($0.uuid), .uuid)] } ?? []
    }

    /// The last place in the history, as far as there is one after an id.
    private func place(after start: HistoryRowID) throws -> HistoryPosition {
        if let known = historyEnd?.place(after: start, in: scopes.first) { return known }
        var place = HistoryPosition.start
        let statement = SQLStatement(
            text: plan.lastOfHistory, parameters: scopeParameters + [.value(start.value, .int)])
        try telling(statement.text).query(
            statement, types: [.int, .blob], context: plan.lastOfHistoryContext
        ) { row in
            place = try HistoryPosition(from: &row)
            return true
        }
        return place
    }
}
