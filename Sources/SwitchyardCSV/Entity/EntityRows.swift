internal import SwitchyardCore

/// The rows of a file in the full format, one at a time, for `WriteTransaction.insertRows`.
///
/// A sequence cannot throw, so a fault ends it; `requireSound` throws the fault afterwards.
final class EntityRows: Sequence, IteratorProtocol {
    private var reader: CSVReader
    private let columns: EntityColumns
    private var fault: (any Error)?
    private var ending = FullFileEnding()
    /// The rows so far, without the header.
    private(set) var count = 0

    /// Reads on behind a header.
    ///
    /// - Parameters:
    ///   - reader: A reader that has given the header.
    ///   - columns: What the header says.
    init(_ reader: consuming CSVReader, columns: EntityColumns) {
        self.reader = reader
        self.columns = columns
    }

    /// The values of the next row; nil at the end, or at a fault.
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

    /// Throws the fault that ended the rows early, if one did.
    ///
    /// - Throws: `CSVError`.
    func requireSound() throws {
        if let fault { throw fault }
    }
}
