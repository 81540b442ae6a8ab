internal import SwitchyardCore

/// The rows of a file in the full format, one at a time, for `WriteTransaction.insertRows`.
///
/// A sequence cannot throw, so an error ends it, and `requireSound` throws that error afterwards.
final class EntityRows: Sequence, IteratorProtocol {
    private var reader: CSVReader
    private let columns: EntityColumns
    private var fault: (any Error)?
    private var ending = FullFileEnding()
    /// The number of rows so far, without the header.
    private(set) var count = 0

    /// Continues after the header.
    ///
    /// - Parameters:
    ///   - reader: A reader that has already returned the header.
    ///   - columns: The columns that the header names.
    init(_ reader: consuming CSVReader, columns: EntityColumns) {
        self.reader = reader
        self.columns = columns
    }

    /// The values of the next row; nil at the end or after an error.
    func next() -> [StoredValue]? {
        guard fault == nil else { return nil }
        do {
            var next = try reader.next()
            while let row = next, ending.isReached(by: row) { next = try reader.next() }
            guard let row = next else {
                try ending.requireReached()
                return nil
            }
            let values = try columns.values(of: row)
            count += 1
            return values
        } catch {
            fault = error
            return nil
        }
    }

    /// Throws the error that ended the rows early, if there was one.
    ///
    /// - Throws: `CSVError`.
    func requireSound() throws {
        if let fault { throw fault }
    }
}
