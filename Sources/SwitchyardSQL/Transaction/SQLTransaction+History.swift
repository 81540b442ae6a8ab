internal import Foundation
public import SwitchyardCore

extension SQLTransaction {
    /// Adds a transaction after the last one of the history.
    ///
    /// A database that can calculate its place does so in the statement that inserts it; of another one, the last place
    /// is asked.
    ///
    /// - Throws: As `HistoryAppending` says.
    public func append(_ addition: HistoryAddition) throws -> Bool {
        let start = addition.start
        guard let text = plan.appendHistory else {
            let end = addition.end(after: try last(after: start))
            try addition.insert(at: end, by: self)
            historyEnd?.note(end, after: start, in: scopes.first)
            return true
        }
        let entity = HistoryAddition.entity
        let types = try plan.entity(entity.name).types
        let values = addition.values
        var parameters: [SQLParameter] = []
        parameters.reserveCapacity(values.count + 3)
        parameters += scopeParameters
        parameters.append(.value(start.value, .int))
        parameters.append(.value(.uuid(addition.transaction), .uuid))
        for (value, type) in zip(values, types.suffix(values.count)) {
            parameters.append(.value(value, type))
        }
        try willChange(entity)
        try telling(text).runAhead(SQLStatement(text: text, parameters: parameters))
        _ = noting(1, rowsOf: entity)
        return true
    }

    private var scopeParameters: [SQLParameter] {
        scopes.first.map { [.value(.uuid($0.uuid), .uuid)] } ?? []
    }

    /// The last transaction of the history, as far as there is one after an id.
    private func last(after start: HistoryRowID) throws -> HistoryEndpoint {
        if let known = historyEnd?.endpoint(after: start, in: scopes.first) { return known }
        var last = HistoryEndpoint.start
        let statement = SQLStatement(
            text: plan.lastOfHistory, parameters: scopeParameters + [.value(start.value, .int)])
        try telling(statement.text).query(
            statement, types: [.int, .blob, .timestamp], context: plan.lastOfHistoryContext
        ) { row in
            last = try HistoryEndpoint(from: &row)
            return true
        }
        return last
    }
}
