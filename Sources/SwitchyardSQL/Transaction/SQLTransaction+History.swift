internal import Foundation
package import SwitchyardCore

extension SQLTransaction: HistoryAppendingDriver {
    /// Adds a transaction after the last one of the history.
    ///
    /// A database that can calculate its place does so in the statement that inserts it; of another one, the last place
    /// is asked.
    package func append(_ addition: HistoryAddition) throws -> Bool {
        let entity = HistoryAddition.entity
        let table = try plan.entity(entity.name)
        let start = addition.start
        let end =
            plan.appendHistory == nil ? addition.place(after: try place(after: start)) : nil
        let text = plan.appendHistory ?? table.insert
        var parameters: [SQLParameter] = []
        parameters.reserveCapacity(entity.attributes.count + 1)
        parameters += scopeParameters
        parameters.append(.value((end.map { addition.id(at: $0) } ?? start).value, .int))
        parameters.append(.value(.uuid(addition.transaction), .uuid))
        if let end { parameters.append(.value(.blob(end.digest), .blob)) }
        for (value, type) in zip(addition.values, table.types.suffix(addition.values.count)) {
            parameters.append(.value(value, type))
        }
        try willChange(entity)
        try telling(text).runAhead(SQLStatement(text: text, parameters: parameters))
        if let end { historyEnd?.note(end, after: start, in: scopes.first) }
        _ = noting(1, rowsOf: entity)
        return true
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
