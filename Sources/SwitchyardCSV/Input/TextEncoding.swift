/// The encodings that the reader supports.
enum TextEncoding: Equatable {
    case utf8
    case utf16LittleEndian
    case utf16BigEndian

    /// How many bytes of a file are examined.
    static let windowBytes = 1024

    /// Detects the encoding of a file from its beginning.
    ///
    /// A byte order mark decides. Without one the text is UTF-8, unless more than half of its 16-bit units have
    /// a zero byte on the same side, as Latin letters, digits and commas do in UTF-16. A stray U+0000 in UTF-8
    /// is thus still reported as such.
    ///
    /// - Parameters:
    ///   - window: The first `windowBytes` bytes, or the whole file if it is shorter.
    ///   - isWhole: Whether the window is the whole file.
    /// - Returns: The encoding, and how many bytes its byte order mark has.
    /// - Throws: `CSVError` with code `binary` or `unsupportedEncoding`.
    static func detect(_ window: UnsafeRawBufferPointer, isWhole: Bool) throws -> (TextEncoding, mark: Int) {
        if window.starts(with: [0xFF, 0xFE, 0, 0]) || window.starts(with: [0, 0, 0xFE, 0xFF]) {
            throw CSVError(
                .unsupportedEncoding, "The file is in UTF-32. Save it as UTF-8.", line: 1, column: 1)
        }
        if window.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if window.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        if window.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }

        var zeros = (even: 0, odd: 0)
        var controls = 0
        for (offset, byte) in window.enumerated() where byte < 0x20 {
            if byte == 0 {
                if offset & 1 == 0 { zeros.even += 1 } else { zeros.odd += 1 }
            }
            // Tab, line feed, form feed and carriage return occur in text.
            if ![0x09, 0x0A, 0x0C, 0x0D].contains(byte) { controls += 1 }
        }
        let units = window.count / 2
        if zeros.odd * 2 > units, zeros.even * 10 < zeros.odd { return (.utf16LittleEndian, 0) }
        if zeros.even * 2 > units, zeros.odd * 10 < zeros.even { return (.utf16BigEndian, 0) }

        // Text with only control characters, or only invalid UTF-8, is left to the reader, which knows line and
        // column. A file full of zeros, or with both, was never text.
        let nuls = zeros.even + zeros.odd
        var isUTF8 = true
        if let fault = UTF8Validation.firstFault(in: window) {
            isUTF8 = !isWhole && fault > window.count - 4
        }
        if nuls >= 4 && nuls * 10 >= window.count || controls > 0 && !isUTF8 {
            throw CSVError(
                .binary, "The file is not text but binary data. Give a CSV file in UTF-8 or UTF-16.", line: 1,
                column: 1)
        }
        return (.utf8, 0)
    }
}
