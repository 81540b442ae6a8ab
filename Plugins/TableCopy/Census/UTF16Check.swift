internal import SQLiteStore
internal import SwitchyardCore

/// Looks for texts of a UTF-16 database that are not UTF-16: SQLite makes other characters of them when it returns UTF-8.
struct UTF16Check {
    private let snapshot: FileSnapshot
    private let isBigEndian: Bool

    /// Nil for a database in UTF-8.
    init?(_ snapshot: FileSnapshot) throws {
        let encoding = try snapshot.texts("PRAGMA encoding").first?.first ?? nil
        guard let encoding, encoding.hasPrefix("UTF-16") else { return nil }
        self.snapshot = snapshot
        isBigEndian = encoding == "UTF-16be"
    }

    /// The number of such texts in each column of a table.
    func invalidTexts(in table: SourceTable) throws -> [Int] {
        let columns = table.columns.map { column in
            "CASE typeof(\(column.name.quoted)) WHEN 'text' THEN CAST(\(column.name.quoted) AS BLOB) END"
        }.joined(separator: ", ")
        var counts = [Int](repeating: 0, count: table.columns.count)
        try snapshot.forEachRow("SELECT \(columns) FROM \(table.name.quoted) NOT INDEXED") { cells in
            for index in cells.indices where cells[index].kind == .blob && !isValid(cells[index].bytes) {
                counts[index] += 1
            }
        }
        return counts
    }

    private func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count.isMultiple(of: 2) else { return false }
        let units = stride(from: 0, to: bytes.count, by: 2).lazy.map { offset in
            let unit = bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
            return isBigEndian ? UInt16(bigEndian: unit) : UInt16(littleEndian: unit)
        }
        return String(validating: units, as: UTF16.self) != nil
    }
}
