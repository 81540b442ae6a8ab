internal import SwitchyardCSV

/// Caches the values of the last few different texts in a column: most rows repeat a few texts, and comparing
/// with these is faster than hashing.
struct RecentValues<Value> {
    private var known: [(text: [UInt8], value: Value)] = []

    /// The value of a text; nil if it is not cached.
    @inline(__always)
    func value(of bytes: UnsafeRawBufferPointer) -> Value? {
        for (text, value) in known where Self.areEqual(bytes, text) { return value }
        return nil
    }

    /// Caches a text's value, in place of the oldest one.
    mutating func remember(_ text: [UInt8], _ value: Value) {
        if known.count == 4 { known.removeFirst() }
        known.append((text, value))
    }

    /// The value of a text, computed by `interpret` if it is not cached.
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

/// A cell whose content is invalid for its column.
struct InvalidCell: Error {
    /// The column's name.
    let column: String
    /// The beginning of the cell's text.
    let text: String
    /// What is wrong, if the column's name does not say it.
    let reason: String?
    /// How to correct the cell.
    let advice: [ImportAdvice]

    init(
        _ column: String, _ bytes: UnsafeRawBufferPointer, _ reason: String? = nil,
        advice: [ImportAdvice] = []
    ) {
        self.column = column
        text = Excerpt.of(bytes)
        (self.reason, self.advice) = (reason, advice)
    }

    init(_ column: String, _ text: String, advice: [ImportAdvice] = []) {
        self.column = column
        self.text = Excerpt.of(text)
        (reason, self.advice) = (nil, advice)
    }

    /// The error as a report lists it.
    func message(line: Int) -> String {
        "Line \(line): invalid \(column) '\(text)'" + (reason.map { " (\($0))" } ?? "")
    }
}
