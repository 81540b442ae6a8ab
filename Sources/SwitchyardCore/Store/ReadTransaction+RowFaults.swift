internal import Foundation

extension ReadTransaction {
    /// The rows that no store would take if they were inserted: because of a value that cannot be stored everywhere, such
    /// as a text with NUL, or because of their size.
    ///
    /// A store refuses such rows, so that they were written past it.
    ///
    /// - Parameter limit: The maximum number of rows that are named.
    /// - Returns: A sentence for each, without values.
    /// - Throws: As any read.
    /// - Complexity: Reads every row.
    package func rowFaults(limit: Int) throws -> [String] {
        var faults: [String] = []
        for entity in schema.entities where faults.count < limit {
            let (check, values) = (RowCheck(entity), ValueCheck(entity))
            let types = entity.attributes.map(\.type)
            var writer = RowWriter(context: entity.errorContext)
            try driver.select(.rows(of: entity)) { row in
                var id: StoredValue?
                do {
                    let read = try types.map { type in
                        let value = try row.read(type)
                        id = id ?? value
                        return value
                    }
                    writer.reset()
                    for value in try values.fitting(read) { try writer.write(value) }
                    try check.complete(&writer)
                } catch let error as StoreError {
                    faults.append("\(Self.name(ofRowWithID: id)): \(error)")
                }
                return faults.count < limit
            }
        }
        return faults
    }

    private static func name(ofRowWithID id: StoredValue?) -> String {
        if case .uuid(let id) = id { "Row \(id.uuidString.lowercased())" } else { "A row" }
    }
}
