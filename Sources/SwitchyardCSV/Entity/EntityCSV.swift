public import SwitchyardCore

/// Exports and imports any entity of any store as CSV in the full format: one column per attribute.
///
/// Each row has as many fields as the header, and an empty line ends the file: a file that was cut off, at
/// whatever byte, is refused.
///
/// A file that is imported into an empty store is exported again byte for byte, on any backend.
public enum EntityCSV {
    /// Writes the rows of an entity.
    ///
    /// - Parameters:
    ///   - entity: The entity's name.
    ///   - transaction: The snapshot to read from.
    ///   - sink: Where the file goes.
    ///   - order: The order of the rows; by id if empty.
    /// - Returns: The number of rows, without the header.
    /// - Throws: `CSVError` if the sink cannot be written, or a `StoreError`.
    /// - Complexity: Constant memory.
    @discardableResult
    public static func export(
        _ entity: String, of transaction: ReadTransaction, to sink: any ByteSink,
        sortedBy order: [SortKey] = []
    ) throws -> Int {
        var writer = CSVWriter(sink, options: options)
        for attribute in try transaction.schema.require(entity).attributes {
            try writer.write(attribute.name)
        }
        try writer.endRow()
        var count = 0
        try transaction.forEachRow(of: entity, sortedBy: order) { values in
            for value in values { try writer.write(value) }
            try writer.endRow()
            count += 1
        }
        try writer.finish()
        return count
    }

    /// Inserts the rows of a file.
    ///
    /// - Parameters:
    ///   - input: The file.
    ///   - entity: The entity's name.
    ///   - transaction: The transaction to write in.
    ///   - skippingExisting: Whether rows whose ids already exist are skipped. Otherwise they are refused.
    /// - Returns: The number of rows read, and of those inserted.
    /// - Throws: `CSVError` for the file, with code `truncated` if its ending is missing, or everything, or a `StoreError`. Let
    ///   the error leave the transaction's body.
    /// - Complexity: Constant memory.
    @discardableResult
    public static func `import`(
        _ input: CSVInput, into entity: String, in transaction: WriteTransaction,
        skippingExisting: Bool = false
    ) throws -> (read: Int, inserted: Int) {
        var reader = CSVReader(try input.open())
        // What an export that failed at once leaves in a pipe is no file without rows, which has a header.
        guard let header = try reader.nextWithText() else {
            throw CSVError(.truncated, "The file is empty, and lacks even the header that an export has.")
        }
        let columns = try EntityColumns(header, of: try transaction.schema.require(entity))
        let rows = EntityRows(reader, columns: columns)
        let inserted = try transaction.insertRows(into: entity, rows, skippingExisting: skippingExisting)
        try rows.requireSound()
        return (rows.count, inserted)
    }

    /// The writer's options for the full format: empty text is quoted, so that it differs from null, and an
    /// empty line ends the file.
    public static var options: CSVWriter.Options {
        var options = CSVWriter.Options()
        options.quotesEmptyText = true
        options.ending = .emptyLine
        return options
    }
}
