package import SwitchyardCore

/// Finds texts of a UTF-16 database that are not valid UTF-16: SQLite converts them to other characters when
/// it returns UTF-8.
package struct UTF16Check: Sendable {
    private let isBigEndian: Bool

    /// Nil for a database in UTF-8.
    ///
    /// - Throws: As `FileSnapshot.forEachRow`.
    package init?(_ snapshot: FileSnapshot) throws {
        var encoding = ""
        try snapshot.forEachRow("PRAGMA encoding") { cells in
            encoding = String(decoding: cells[0].bytes, as: UTF8.self)
        }
        guard encoding.hasPrefix("UTF-16") else { return nil }
        isBigEndian = encoding == "UTF-16be"
    }

    /// An expression for the bytes of a column's texts, as the file has them; null for other values.
    ///
    /// - Parameter column: The column's name in quotes.
    /// - Returns: The expression.
    package func bytes(of column: String) -> String {
        "CASE typeof(\(column)) WHEN 'text' THEN CAST(\(column) AS BLOB) END"
    }

    /// Whether the bytes of a text are UTF-16; true for null.
    package func isValid(_ text: Cell) -> Bool {
        guard text.kind != .null else { return true }
        let bytes = text.bytes
        guard bytes.count.isMultiple(of: 2) else { return false }
        let units = stride(from: 0, to: bytes.count, by: 2).lazy.map { offset in
            let unit = bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
            return isBigEndian ? UInt16(bigEndian: unit) : UInt16(littleEndian: unit)
        }
        return String(validating: units, as: UTF16.self) != nil
    }
}
