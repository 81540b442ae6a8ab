internal import Foundation
package import SwitchyardCore

extension SQLTransaction: HistoryAppendingDriver {
    /// Adds a transaction after the last one of the history.
    ///
    /// A database that can calculate its place does so in the statement that inserts it; of another one, the last place
    /// is asked.
    package func append(_ addition: HistoryAddition) throws -> Bool {
        let scope = scopes.first.map { [SQLParameter.value(.uuid($0.uuid), .uuid)] } ?? []
        guard let text = plan.appendHistory else {
            let last = try place(after: addition.start, scope)
            try insert(into: HistoryAddition.entity, [addition.row(after: last)])
            return true
        }
        let place = withUnsafeBytes(of: addition.start.uuid) {
            Int64(bigEndian: $0.loadUnaligned(as: Int64.self))
        }
        let types = HistoryAddition.entity.attributes.suffix(addition.values.count).map(\.type)
        let statement = SQLStatement(
            text: text,
            parameters: scope + [
                .value(.uuid(addition.start), .uuid), .value(.int(place), .int),
                .value(.uuid(addition.transaction), .uuid),
            ] + zip(addition.values, types).map { .value($0, $1) })
        try willChange(HistoryAddition.entity)
        try telling(text).runAhead(statement)
        _ = noting(1, rowsOf: HistoryAddition.entity)
        return true
    }

    /// The last place in the history, as far as there is one after an id.
    private func place(after start: UUID, _ scope: [SQLParameter]) throws -> HistoryPosition {
        var place = HistoryPosition.start
        let statement = SQLStatement(
            text: plan.lastOfHistory, parameters: scope + [.value(.uuid(start), .uuid)])
        let context = ErrorContext(entity: HistoryAddition.entity.name, attributes: ["id", "digest"])
        try telling(statement.text).query(statement, types: [.uuid, .blob], context: context) { row in
            place = try HistoryPosition(from: &row)
            return false
        }
        return place
    }
}
