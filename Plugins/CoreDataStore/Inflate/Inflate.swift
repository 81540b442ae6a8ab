/// Decompresses raw DEFLATE (RFC 1951), in which Core Data keeps the model of a store.
struct Inflate {
    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163,
        195,
        227, 258,
    ]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073,
        4097, 6145, 8193, 12_289, 16_385, 24_577,
    ]
    private static let distanceBits = [
        0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
    ]
    /// The order in which a block gives the lengths of the codes for lengths.
    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private var reader: BitReader
    private var output: [UInt8] = []
    private let limit: Int

    /// Decompresses bytes.
    ///
    /// - Parameters:
    ///   - bytes: The compressed bytes; anything after their end is left unread.
    ///   - limit: The maximum number of decompressed bytes.
    /// - Returns: The decompressed bytes.
    /// - Throws: If the bytes are damaged or cut short, or decompress to more than the limit.
    static func bytes(_ bytes: [UInt8], limit: Int) throws(UnreadableArchive) -> [UInt8] {
        var inflate = Inflate(reader: BitReader(bytes), limit: limit)
        try inflate.run()
        return inflate.output
    }

    private init(reader: BitReader, limit: Int) { (self.reader, self.limit) = (reader, limit) }

    private mutating func run() throws(UnreadableArchive) {
        var isLast = false
        while !isLast {
            isLast = try reader.bit() == 1
            switch try reader.bits(2) {
            case 0: try stored()
            case 1: try block(Self.fixedLiterals(), Self.fixedDistances())
            case 2:
                let codes = try dynamicCodes()
                try block(codes.literals, codes.distances)
            default: throw UnreadableArchive("the compressed bytes have a block of an unknown kind")
            }
        }
    }

    private mutating func stored() throws(UnreadableArchive) {
        reader.align()
        let count = try reader.bits(16)
        let check = try reader.bits(16)
        guard count == ~check & 0xFFFF else {
            throw UnreadableArchive("the compressed bytes have a damaged block")
        }
        try requireRoom(for: count)
        output += try reader.alignedBytes(count)
    }

    private mutating func block(_ literals: HuffmanCode, _ distances: HuffmanCode) throws(UnreadableArchive) {
        while true {
            let symbol = try literals.symbol(&reader)
            switch symbol {
            case ..<256:
                try requireRoom(for: 1)
                output.append(UInt8(symbol))
            case 256: return
            case ..<286: try copy(symbol - 257, distances)
            default: throw UnreadableArchive("the compressed bytes have an unknown length")
            }
        }
    }

    /// Repeats bytes of the output.
    private mutating func copy(_ symbol: Int, _ distances: HuffmanCode) throws(UnreadableArchive) {
        let length = try Self.lengthBases[symbol] + reader.bits(Self.lengthBits[symbol])
        let symbol = try distances.symbol(&reader)
        guard symbol < Self.distanceBases.count else {
            throw UnreadableArchive("the compressed bytes have an unknown distance")
        }
        let distance = try Self.distanceBases[symbol] + reader.bits(Self.distanceBits[symbol])
        guard distance <= output.count else {
            throw UnreadableArchive("the compressed bytes repeat what is not there")
        }
        try requireRoom(for: length)
        for _ in 0..<length { output.append(output[output.count - distance]) }
    }

    private func requireRoom(for count: Int) throws(UnreadableArchive) {
        guard count <= limit - output.count else {
            throw UnreadableArchive("the compressed bytes are larger than \(limit) bytes")
        }
    }

    private mutating func dynamicCodes() throws(UnreadableArchive) -> (
        literals: HuffmanCode, distances: HuffmanCode
    ) {
        let literalCount = try 257 + reader.bits(5)
        let distanceCount = try 1 + reader.bits(5)
        let lengthCount = try 4 + reader.bits(4)
        guard literalCount <= 286, distanceCount <= 30 else {
            throw UnreadableArchive("the compressed bytes have too many codes")
        }
        var codeLengths = [UInt8](repeating: 0, count: Self.order.count)
        for position in Self.order.prefix(lengthCount) { codeLengths[position] = UInt8(try reader.bits(3)) }
        let lengthCode = try HuffmanCode(codeLengths)
        var lengths: [UInt8] = []
        while lengths.count < literalCount + distanceCount {
            let symbol = try lengthCode.symbol(&reader)
            let (value, count): (UInt8, Int)
            switch symbol {
            case ..<16: (value, count) = (UInt8(symbol), 1)
            case 16:
                guard let last = lengths.last else {
                    throw UnreadableArchive("the compressed bytes repeat what is not there")
                }
                (value, count) = (last, try 3 + reader.bits(2))
            case 17: (value, count) = (0, try 3 + reader.bits(3))
            default: (value, count) = (0, try 11 + reader.bits(7))
            }
            lengths += repeatElement(value, count: count)
        }
        guard lengths.count == literalCount + distanceCount, lengths[256] > 0 else {
            throw UnreadableArchive("the compressed bytes have damaged codes")
        }
        return (try HuffmanCode(lengths[..<literalCount]), try HuffmanCode(lengths[literalCount...]))
    }

    private static func fixedLiterals() throws(UnreadableArchive) -> HuffmanCode {
        var lengths = [UInt8](repeating: 8, count: 288)
        for symbol in 144..<256 { lengths[symbol] = 9 }
        for symbol in 256..<280 { lengths[symbol] = 7 }
        return try HuffmanCode(lengths)
    }

    private static func fixedDistances() throws(UnreadableArchive) -> HuffmanCode {
        try HuffmanCode([UInt8](repeating: 5, count: 32))
    }
}
