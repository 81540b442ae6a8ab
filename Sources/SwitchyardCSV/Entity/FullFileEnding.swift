/// Looks for the end of a file in the full format: an empty line, behind which no row comes.
///
/// A line end would not do: a file that was cut off between two rows has one too.
public struct FullFileEnding: Sendable {
    private var isReached = false
    private var lastLine = 1

    /// Begins behind the header.
    public init() {}

    /// Takes the next row behind the header.
    ///
    /// - Returns: Whether it is an empty line, which may be the end.
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
