internal import SwitchyardCore

/// The values that a column really holds; SQLite does not enforce the declared type.
public struct ColumnCensus: Sendable, Hashable {
    /// The number of values of each type.
    public internal(set) var nulls = 0, integers = 0, reals = 0, texts = 0, blobs = 0
    /// The smallest and the largest integer; nil without any.
    public internal(set) var integerRange: ClosedRange<Int64>?
    /// The smallest and the largest real; nil without any.
    public internal(set) var realRange: ClosedRange<Double>?
    /// The bytes of the longest text and of the longest blob.
    public internal(set) var longestText = 0, longestBlob = 0
    /// The number of texts with U+0000, which PostgreSQL's cannot hold, and of those that are not UTF-8.
    public internal(set) var textsWithNUL = 0, invalidTexts = 0

    /// Integers that no double holds exactly.
    var inexactIntegers = 0
    /// Reals that are infinite, or cannot be written as a decimal of at most 38 digits.
    var infiniteReals = 0, otherReals = 0
    /// The most digits before and after the point that a real needs.
    var realDigits = Digits()
    /// The form of all texts; nil after two forms, or a text that is not a time.
    var form: TextForm?

    struct Digits: Sendable, Hashable {
        var whole = 0, fraction = 0
    }

    /// The most digits before and after the point that a number needs.
    var digits: Digits {
        let integers = integerRange.map { max($0.lowerBound.magnitude, $0.upperBound.magnitude) } ?? 0
        let whole = integers == 0 ? 0 : String(integers).utf8.count
        return Digits(whole: max(whole, realDigits.whole), fraction: realDigits.fraction)
    }

    var numbers: Int { integers + reals }
    var values: Int { numbers + texts + blobs }

    mutating func add(_ cell: Cell) {
        switch cell.kind {
        case .null: nulls += 1
        case .integer: add(integer: cell.word)
        case .double: add(real: cell.double)
        case .text: add(text: cell.bytes)
        case .blob:
            blobs += 1
            longestBlob = max(longestBlob, cell.count)
        }
    }

    private mutating func add(integer: Int64) {
        integers += 1
        if integer.magnitude > 1 << 53, Int64(exactly: Double(integer)) != integer { inexactIntegers += 1 }
        guard let range = integerRange else { return integerRange = integer...integer }
        if !range.contains(integer) {
            integerRange = min(range.lowerBound, integer)...max(range.upperBound, integer)
        }
    }

    private mutating func add(real: Double) {
        reals += 1
        realRange = realRange.map { min($0.lowerBound, real)...max($0.upperBound, real) } ?? real...real
        if real.isInfinite {
            infiniteReals += 1
        } else if let decimal = PlainDecimal(real) {
            realDigits.whole = max(realDigits.whole, decimal.whole)
            realDigits.fraction = max(realDigits.fraction, decimal.fraction)
        } else {
            otherReals += 1
        }
    }

    private mutating func add(text: UnsafeRawBufferPointer) {
        if texts == 0 {
            form = TextForm(of: text)
        } else if let known = form, known.microseconds(of: text) == nil {
            form = nil
        }
        texts += 1
        longestText = max(longestText, text.count)
        if text.contains(0) { textsWithNUL += 1 }
        if !text.isASCII, String(validating: text, as: UTF8.self) == nil { invalidTexts += 1 }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var isASCII: Bool { allSatisfy { $0 < 0x80 } }
}
