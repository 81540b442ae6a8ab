public import SwitchyardCore

/// The rows of a file in the full format, one at a time, for `WriteTransaction.insertRows`.
///
/// A sequence cannot throw, so a fault ends it; `requireSound` throws the fault afterwards.
public final class EntityRows: Sequence, IteratorProtocol {
    private var reader: CSVReader
    private let columns: EntityColumns
    private let onRow: (CSVRow, [StoredValue]) throws -> Void
    private var fault: (any Error)?
    /// The rows so far, without the header.
    public private(set) var count = 0

    /// Reads on behind a header.
    ///
    /// - Parameters:
    ///   - reader: A reader that has given the header.
    ///   - columns: What the header says.
    ///   - onRow: Sees each row before it is handed over.
    public init(
        _ reader: consuming CSVReader, columns: EntityColumns,
        onRow: @escaping (CSVRow, [StoredValue]) throws -> Void = { _, _ in }
    ) {
        self.reader = reader
        self.columns = columns
        self.onRow = onRow
    }

    /// The bytes read so far.
    public var bytesRead: Int { reader.bytesRead }

    /// The values of the next row; nil at the end, or at a fault.
    public func next() -> [StoredValue]? {
        guard fault == nil else { return nil }
        do {
            guard let row = try reader.next() else { return nil }
            let values = try columns.values(of: row)
            try onRow(row, values)
            count += 1
            return values
        } catch {
            fault = error
            return nil
        }
    }

    /// Throws the fault that ended the rows early, if one did.
    ///
    /// - Throws: `CSVError`, or what `onRow` threw.
    public func requireSound() throws {
        if let fault { throw fault }
    }
}
