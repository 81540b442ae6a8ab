/// The column names of a file: its first row.
public struct CSVHeader: Sendable {
    /// The names in order, with the white space around them trimmed.
    public let names: [String]
    private let positions: [String: Int]

    /// Reads the names from a row.
    ///
    /// - Throws: `CSVError` with code `duplicateColumn` if a name occurs twice. Unnamed columns, such as
    ///   spreadsheets leave at the end of a row, may repeat.
    public init(_ row: CSVRow) throws {
        names = (0..<row.count).map { String(decoding: row.trimmedBytes(at: $0), as: UTF8.self) }
        var positions: [String: Int] = [:]
        for (position, name) in names.enumerated() where !name.isEmpty {
            if let first = positions.updateValue(position, forKey: Self.key(name)) {
                throw CSVError(
                    .duplicateColumn,
                    "The column has the same name as column \(first + 1). Rename one of them.",
                    line: row.line, column: position + 1, detail: name)
            }
        }
        self.positions = positions
    }

    /// The position of a column, counted from 0, ignoring ASCII case; nil if no column has the name.
    public func index(of name: String) -> Int? { positions[Self.key(name)] }

    /// Compares the columns with the expected ones, in any order.
    ///
    /// - Returns: The names that are missing, and those that are not expected.
    public func differences(from wanted: [String]) -> (missing: [String], unknown: [String]) {
        let known = Self.keys(of: wanted)
        return (wanted.filter { index(of: $0) == nil }, names.filter { !known.contains(Self.key($0)) })
    }

    /// The names in the form in which they are compared.
    public static func keys(of names: some Sequence<String>) -> Set<String> { Set(names.map(key)) }

    private static func key(_ name: String) -> String {
        String(decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
