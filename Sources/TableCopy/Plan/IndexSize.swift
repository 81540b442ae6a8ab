/// Whether PostgreSQL takes an index or a key, by the number of its columns and the length of their values.
struct IndexSize {
    private let types: [TargetType]
    private let census: [ColumnCensus]
    private let table: String
    private let limits: ServerLimits

    init(_ source: SourceTable, _ types: [TargetType], _ census: [ColumnCensus], _ limits: ServerLimits) {
        (self.types, self.census, self.limits) = (types, census, limits)
        table = source.name
    }

    /// Checks an index or a key against the limits, and reports what they exclude.
    ///
    /// - Parameters:
    ///   - columns: The columns whose values it holds; nil for an expression without long values.
    ///   - name: Its name, as at the beginning of a sentence.
    ///   - findings: Receives the findings.
    /// - Returns: Whether it can be created. Long values leave that open: PostgreSQL compresses them first.
    func isTaken(_ columns: [Int?], _ name: String, _ findings: inout [TableCopyFinding]) -> Bool {
        guard columns.count <= limits.indexColumns else {
            findings.append(
                .omitted(
                    "\(name) is not copied: it has \(columns.count) columns; PostgreSQL takes "
                        + "\(limits.indexColumns).",
                    table: table))
            return false
        }
        let bytes = columns.map { $0.map(longest) ?? 8 }.reduce(0, +)
        if bytes > limits.indexRowBytes {
            findings.append(
                .uncertain(
                    "\(name) holds up to \(bytes) bytes for a row; PostgreSQL takes about \(limits.indexRowBytes), after "
                        + "compression. If it refuses them, nothing is created.",
                    table: table, count: bytes))
        }
        return true
    }

    private func longest(_ column: Int) -> Int {
        guard [.text, .bytea].contains(types[column]) else { return 24 }
        return max(24, census[column].longestText, census[column].longestBlob)
    }
}
