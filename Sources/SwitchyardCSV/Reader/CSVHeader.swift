/// The column names of a file: its first row.
public struct CSVHeader: Sendable {
    /// The names in order, without the white space around them.
    public let names: [String]
    private let positions: [String: Int]

    /// Takes the names from a row.
    ///
    /// - Throws: `CSVError` with code `duplicateColumn` if a name occurs twice. Columns without a name, as
    ///   spreadsheets leave them at the end of a row, may be many.
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

    /// The position of a column, counted from 0, without regard to the case of ASCII letters; nil if there is
    /// none of that name.
    public func index(of name: String) -> Int? { positions[Self.key(name)] }

    /// What sets the columns apart from those that are wanted, in whatever order.
    ///
    /// - Returns: The names that are missing, and those that are not wanted.
    public func differences(from wanted: [String]) -> (missing: [String], unknown: [String]) {
        let known = Self.keys(of: wanted)
        return (wanted.filter { index(of: $0) == nil }, names.filter { !known.contains(Self.key($0)) })
    }

    /// Names as they are compared.
    public static func keys(of names: some Sequence<String>) -> Set<String> { Set(names.map(key)) }

    private static func key(_ name: String) -> String {
        String(decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
