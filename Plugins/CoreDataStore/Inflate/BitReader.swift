/// Bits of bytes, the least significant first (RFC 1951, section 3.1.1).
struct BitReader {
    private let bytes: [UInt8]
    private var position = 0
    private var held: UInt32 = 0
    private var heldCount = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next bit.
    mutating func bit() throws(UnreadableArchive) -> Int {
        if heldCount == 0 {
            held = UInt32(try byte())
            heldCount = 8
        }
        defer {
            held >>= 1
            heldCount -= 1
        }
        return Int(held & 1)
    }

    /// A number of up to 16 bits.
    mutating func bits(_ count: Int) throws(UnreadableArchive) -> Int {
        while heldCount < count {
            held |= UInt32(try byte()) << UInt32(heldCount)
            heldCount += 8
        }
        defer {
            held >>= UInt32(count)
            heldCount -= count
        }
        return Int(held & (1 << UInt32(count) - 1))
    }

    /// Bytes from the next boundary of a byte on.
    mutating func alignedBytes(_ count: Int) throws(UnreadableArchive) -> ArraySlice<UInt8> {
        guard count <= bytes.count - position else { throw Self.end }
        position += count
        return bytes[position - count..<position]
    }

    /// Drops the rest of a byte.
    mutating func align() {
        // Whole bytes are never held here: `bits` fetches no more than it needs.
        (held, heldCount) = (0, 0)
    }

    private mutating func byte() throws(UnreadableArchive) -> UInt8 {
        guard position < bytes.count else { throw Self.end }
        position += 1
        return bytes[position - 1]
    }

    private static var end: UnreadableArchive { UnreadableArchive("the compressed bytes end too early") }
}
