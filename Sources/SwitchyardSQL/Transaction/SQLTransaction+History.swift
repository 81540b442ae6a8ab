internal import Foundation
package import SwitchyardCore

extension SQLTransaction: HistoryAppendingDriver {
    /// Adds a transaction after the last one of the history, if the database can calculate its place.
    package func append(_ addition: HistoryAddition) throws -> Bool {
        guard let text = plan.appendHistory else { return false }
        let place = withUnsafeBytes(of: addition.start.uuid) {
            Int64(bigEndian: $0.loadUnaligned(as: Int64.self))
        }
        let scope = scopes.first.map { [SQLParameter.value(.uuid($0.uuid), .uuid)] } ?? []
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
}
