/// One column of one row as it passes between a backend and a model, in the driver's own memory.
///
/// A plugin fills cells from its statement or message, and reads them to bind parameters. Five storage classes suffice
/// for all attribute types:
///
/// | attribute type | cell |
/// |---|---|
/// | bool | integer 0 or 1 |
/// | int | integer |
/// | double | double |
/// | decimal, text, json | text, UTF-8 |
/// | blob | blob |
/// | uuid | blob of 16 bytes |
/// | timestamp | integer, microseconds since 1970 UTC |
/// | day | integer, days since 1970-01-01 |
///
/// A text or blob cell borrows its bytes: it is valid until the row's buffer or statement moves on.
@frozen
public struct Cell {
    /// The storage class of a cell.
    @frozen
    public enum Kind: UInt8, Sendable {
        /// No value.
        case null
        /// An integer of 64 bits in `word`.
        case integer
        /// The bit pattern of a double in `word`.
        case double
        /// UTF-8 bytes, not yet validated.
        case text
        /// Bytes.
        case blob
    }

    /// The storage class.
    public var kind: Kind
    /// The integer, or the bit pattern of the double.
    public var word: Int64
    /// The bytes of a text or blob; nil for every other kind, and possibly nil for an empty one.
    public var start: UnsafeRawPointer?
    /// The number of bytes.
    public var count: Int

    /// A cell without a value.
    @inlinable
    public init() {
        kind = .null
        word = 0
        start = nil
        count = 0
    }

    /// An integer cell.
    @inlinable
    public init(integer: Int64) {
        kind = .integer
        word = integer
        start = nil
        count = 0
    }

    /// A double cell.
    @inlinable
    public init(double: Double) {
        kind = .double
        word = Int64(bitPattern: double.bitPattern)
        start = nil
        count = 0
    }

    /// A text or blob cell over borrowed bytes.
    @inlinable
    public init(_ kind: Kind, start: UnsafeRawPointer?, count: Int) {
        self.kind = kind
        word = 0
        self.start = start
        self.count = count
    }

    /// The double of a cell of kind `double`.
    @inlinable
    public var double: Double { Double(bitPattern: UInt64(bitPattern: word)) }

    /// The bytes of a text or blob cell.
    @inlinable
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
}

extension Cell {
    /// The number of an integer or a double as text; nil for every other kind.
    var number: String? {
        switch kind {
        case .integer: String(word)
        case .double: double.description
        case .null, .text, .blob: nil
        }
    }
}

@available(*, unavailable)
extension Cell: Sendable {}
