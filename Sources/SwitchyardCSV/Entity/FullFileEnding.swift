/// Detects the end of a file in the full format: an empty line with no row after it.
///
/// A line end alone would not do, because a file that was cut off between two rows has one too.
public struct FullFileEnding: Sendable {
    private var isReached = false
    private var lastLine = 1

    /// Starts after the header.
    public init() {}

    /// Looks at the next row after the header.
    ///
    /// - Returns: Whether the row is an empty line, and so possibly the end.
    public mutating func isReached(by row: CSVRow) -> Bool {
        isReached = row.isBlank
        lastLine = row.line
        return isReached
    }

    /// Checks that the last row was the end.
    ///
    /// - Throws: `CSVError` with code `truncated`.
    public func requireReached() throws {
        guard isReached else {
            throw CSVError(
                .truncated,
                "The file does not end with an empty line, as a full one does: it was cut off. Export it again; "
                    + "if it was edited and holds all its rows, put an empty line at its end.", line: lastLine
            )
        }
    }
}
