public import Foundation

extension String: AttributeValue {
    /// The type of the column.
    public static var attributeType: AttributeType { .text }

    /// Reads a text column, which must be valid UTF-8.
    public init(from row: inout RowReader) throws {
        self = try row.text(expected: "text in UTF-8")
    }

    /// Writes a text column; U+0000 and text over `Limits.valueBytes` are refused.
    public func write(into row: inout RowWriter) throws { try row.write(.text, utf8: self) }

    /// The value as a `StoredValue`.
    public func storedValue() throws -> StoredValue {
        guard !utf8.contains(0) else {
            throw StoreError(.valueNotRepresentable, "Text that contains U+0000 cannot be stored.")
        }
        guard utf8.count <= Limits.valueBytes else {
            throw StoreError(
                .valueNotRepresentable, "Text of more than \(Limits.valueBytes) bytes cannot be stored.")
        }
        return .text(self)
    }

    /// Creates a value from a stored one; nil if it does not fit.
    public init?(_ value: StoredValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
}

extension Data: AttributeValue {
    /// The type of the column.
    public static var attributeType: AttributeType { .blob }

    /// Reads a blob column.
    public init(from row: inout RowReader) throws {
        let cell = try row.next()
        guard cell.kind == .blob else { throw row.mismatch(expected: "a blob", found: cell) }
        self.init(cell.bytes)
    }

    /// Writes a blob column; more than `Limits.valueBytes` bytes are refused.
    public func write(into row: inout RowWriter) throws {
        guard count <= Limits.valueBytes else {
            throw row.notRepresentable("A blob of more than \(Limits.valueBytes) bytes cannot be stored.")
        }
        withUnsafeBytes { row.write(.blob, bytes: $0) }
    }

    /// The value as a `StoredValue`.
    public func storedValue() throws -> StoredValue {
        guard count <= Limits.valueBytes else {
            throw StoreError(
                .valueNotRepresentable, "A blob of more than \(Limits.valueBytes) bytes cannot be stored.")
        }
        return .blob(self)
    }

    /// Creates a value from a stored one; nil if it does not fit.
    public init?(_ value: StoredValue) {
        guard case .blob(let data) = value else { return nil }
        self = data
    }
}

extension RowWriter {
    /// Writes text; U+0000 and text over `Limits.valueBytes` are refused.
    public mutating func write(_ kind: Cell.Kind, utf8 text: String) throws {
        var text = text
        let fault: String? = text.withUTF8 { utf8 in
            if utf8.count > Limits.valueBytes {
                return "Text of more than \(Limits.valueBytes) bytes cannot be stored."
            }
            if let start = utf8.baseAddress, memchr(start, 0, utf8.count) != nil {
                return "Text that contains U+0000 cannot be stored."
            }
            write(kind, bytes: UnsafeRawBufferPointer(utf8))
            return nil
        }
        if let fault { throw notRepresentable(fault) }
    }
}

extension RowReader {
    /// Reads a text column, validating its UTF-8.
    mutating func text(expected: String) throws -> String {
        let cell = try next()
        guard cell.kind == .text, let text = cell.validatedText else {
            throw mismatch(expected: expected, found: cell)
        }
        return text
    }
}

extension Cell {
    /// The text of a text cell; nil if it is not UTF-8.
    var validatedText: String? {
        String(
            validatingUTF8: UnsafeBufferPointer(
                start: start?.assumingMemoryBound(to: UInt8.self), count: count))
    }
}

extension String {
    /// Copies text; nil if it is not UTF-8.
    ///
    /// Most text is ASCII, for which general validation takes several times as long as copying.
    package init?(validatingUTF8 bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.isASCII else {
            self.init(validating: bytes, as: UTF8.self)
            return
        }
        self.init(unsafeUninitializedCapacity: bytes.count) { buffer in
            _ = buffer.initialize(from: bytes)
            return bytes.count
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether no byte has its highest bit set; looks at eight at a time.
    fileprivate var isASCII: Bool {
        let bytes = UnsafeRawBufferPointer(self)
        var start = 0
        // Loops and not `stride` or `allSatisfy`, which take ten times as long where nothing is optimised.
        while start + 8 <= bytes.count {
            if bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 {
                return false
            }
            start += 8
        }
        while start < bytes.count {
            if bytes[start] >= 0x80 { return false }
            start += 1
        }
        return true
    }
}
