internal import Foundation
internal import SwitchyardCore

extension DocumentReader {
    /// Finds the first row of the document that would have a dangling reference.
    ///
    /// A store checks references at the end of a transaction, and then reports only the attribute.
    ///
    /// - Parameters:
    ///   - tx: The store without the document.
    ///   - keepsOthers: Whether rows that are not in the document stay, in entities whose array it has.
    /// - Returns: The error of that row, with its place; nil if all references are valid.
    /// - Throws: As `forEachEntity`; as any read.
    func danglingReference(beside tx: ReadTransaction, keepsOthers: Bool) throws -> JSONError? {
        var ids: [String: Set<StoredValue>] = [:]
        try forEachEntity { entity, rows in ids[entity.name] = Set(rows.lazy.map { $0[0] }) }
        var found: JSONError?
        try forEachEntity { entity, rows in
            let references = entity.attributes.enumerated().compactMap { column, attribute in
                attribute.reference.map { (column, attribute, $0) }
            }
            for row in rows where found == nil {
                for (column, attribute, target) in references where !row[column].isNull {
                    if ids[target]?.contains(row[column]) == true { continue }
                    if keepsOthers || ids[target] == nil,
                        try tx.countRows(
                            of: target, where: .compare(.attribute("id"), .equal, .value(row[column]))) > 0
                    {
                        continue
                    }
                    found = rows.error(
                        .danglingReference,
                        "The row refers to a \(target) that neither the document nor the store has.",
                        key: attribute.name)
                }
            }
        }
        return found
    }
}
