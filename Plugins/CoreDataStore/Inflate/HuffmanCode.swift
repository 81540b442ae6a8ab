/// A canonical Huffman code (RFC 1951, section 3.2.2), decoded one bit at a time.
///
/// Tables of all codes would decode faster, and would make a bomb of many small blocks.
struct HuffmanCode {
    private static let longest = 15

    /// The number of codes of each length.
    private var counts = [Int](repeating: 0, count: longest + 1)
    /// The symbols in the order of their codes.
    private var symbols: [Int] = []

    /// The code that some lengths describe; a symbol of length 0 has no code.
    ///
    /// - Throws: If the lengths are of no prefix code, or leave codes unused. A single code may be alone.
    init(_ lengths: some Collection<UInt8>) throws(UnreadableArchive) {
        for length in lengths { counts[Int(length)] += 1 }
        let used = lengths.count - counts[0]
        counts[0] = 0
        var free = 1
        for length in 1...Self.longest {
            free = free << 1 - counts[length]
            guard free >= 0 else { throw UnreadableArchive("the compressed bytes have a code twice") }
        }
        guard free == 0 || used == 0 || used == 1 && counts[1] == 1 else {
            throw UnreadableArchive("the compressed bytes have an incomplete code")
        }
        var next = [Int](repeating: 0, count: Self.longest + 1)
        for length in 1..<Self.longest { next[length + 1] = next[length] + counts[length] }
        symbols = [Int](repeating: 0, count: used)
        for (symbol, length) in lengths.enumerated() where length > 0 {
            symbols[next[Int(length)]] = symbol
            next[Int(length)] += 1
        }
    }

    /// The next symbol.
    func symbol(_ reader: inout BitReader) throws(UnreadableArchive) -> Int {
        var (code, first, index) = (0, 0, 0)
        for length in 1...Self.longest {
            code |= try reader.bit()
            let count = counts[length]
            if code - first < count { return symbols[index + code - first] }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        throw UnreadableArchive("the compressed bytes have an unknown code")
    }
}
