internal import SwitchyardCSV

/// Remembers what the last few different texts of a column meant, since most rows say one of a few things and
/// a look at these is faster than hashing.
struct RecentValues<Value> {
    private var known: [(text: [UInt8], value: Value)] = []

    /// What a text means; nil if it is not remembered.
    @inline(__always)
    func value(of bytes: UnsafeRawBufferPointer) -> Value? {
        for (text, value) in known where Self.areEqual(bytes, text) { return value }
        return nil
    }

    /// Remembers what a text means, in the place of the one that has been there longest.
    mutating func remember(_ text: [UInt8], _ value: Value) {
        if known.count == 4 { known.removeFirst() }
        known.append((text, value))
    }

    /// What a text means; found out by `interpret` and remembered if it was not.
    @inline(__always)
    mutating func value(
        of bytes: UnsafeRawBufferPointer, or interpret: (String) throws(InvalidCell) -> Value
    ) throws(InvalidCell) -> Value {
        if let value = value(of: bytes) { return value }
        let value = try interpret(String(decoding: bytes, as: UTF8.self))
        remember([UInt8](bytes), value)
        return value
    }

    @inline(__always)
    private static func areEqual(_ bytes: UnsafeRawBufferPointer, _ text: [UInt8]) -> Bool {
        guard bytes.count == text.count else { return false }
        for index in text.indices where bytes[index] != text[index] { return false }
        return true
    }
}

/// A cell that does not hold what its column asks for.
struct InvalidCell: Error {
    /// The column's name.
    let column: String
    /// How the cell begins.
    let text: String

    init(_ column: String, _ bytes: UnsafeRawBufferPointer) {
        self.column = column
        text = Excerpt.of(bytes)
    }

    init(_ column: String, _ text: String) {
        self.column = column
        self.text = Excerpt.of(text)
    }

    /// The error as a report lists it.
    func message(line: Int) -> String { "Line \(line): invalid \(column) '\(text)'" }
}
