/// A text as a QR code, so that a phone takes a link off a terminal: its bytes, with error correction of level M, in the versions
/// 1 to 10.
///
/// Source: ISO/IEC 18004.
struct QRCode: Sendable {
    /// The number of modules in a row.
    private(set) var size: Int
    /// Whether each module is dark, row by row.
    private(set) var modules: [Bool]
    /// Whether each module has a meaning of its own, so that it is no place for data and is not masked.
    private var isReserved: [Bool]
    private var version: Int

    /// What each version has at level M: the codewords of data, in how many blocks, and those of error correction in each block.
    private static let forms: [(data: Int, blocks: Int, correction: Int)] = [
        (16, 1, 10), (28, 1, 16), (44, 1, 26), (64, 2, 18), (86, 2, 24),
        (108, 4, 16), (124, 4, 18), (154, 4, 22), (182, 5, 22), (216, 5, 26),
    ]

    /// Draws a text.
    ///
    /// - Parameters:
    ///   - text: The text; nil is returned for one of more than 213 bytes.
    ///   - mask: The mask's number; by default the one that disturbs scanners least.
    init?(_ text: String, mask: Int? = nil) {
        let bytes = Array(text.utf8)
        guard
            let version = Self.forms.indices.map({ $0 + 1 }).first(where: { version in
                // Before the bytes are the mode, of half a byte, and their number; the last half ends them.
                bytes.count + (version < 10 ? 2 : 3) <= Self.forms[version - 1].data
            })
        else { return nil }
        self.version = version
        size = 4 * version + 17
        modules = Array(repeating: false, count: size * size)
        isReserved = modules
        drawPatterns()
        draw(Self.codewords(bytes, version))
        let masks = mask.map { [$0] } ?? Array(0..<8)
        let drawn = masks.map { masked($0) }
        self = drawn.min { $0.penalty < $1.penalty } ?? self
    }

    /// Whether a module is dark; light outside the code.
    func isDark(_ column: Int, _ row: Int) -> Bool {
        (0..<size).contains(column) && (0..<size).contains(row) && modules[row * size + column]
    }

    // MARK: Data

    private static func codewords(_ bytes: [UInt8], _ version: Int) -> [UInt8] {
        let form = forms[version - 1]
        let count = (version < 10 ? [] : [UInt8(bytes.count >> 8)]) + [UInt8(bytes.count & 0xFF)]
        // The mode is 0100; all that follows is shifted by it, and four zeros end it.
        var (data, carry): ([UInt8], UInt8) = ([], 0x4)
        for byte in count + bytes + [0] {
            data.append(carry << 4 | byte >> 4)
            carry = byte & 0xF
        }
        for padding in 0..<form.data - data.count { data.append(padding % 2 == 0 ? 0xEC : 0x11) }
        // The last blocks have one more, if the data is not a multiple of them.
        let short = form.data / form.blocks
        let firstLong = form.blocks - form.data % form.blocks
        var (blocks, start): ([[UInt8]], Int) = ([], 0)
        for block in 0..<form.blocks {
            let end = start + short + (block < firstLong ? 0 : 1)
            blocks.append(Array(data[start..<end]))
            start = end
        }
        let corrections = blocks.map { correction(of: $0, form.correction) }
        return interleaved(blocks) + interleaved(corrections)
    }

    private static func interleaved(_ blocks: [[UInt8]]) -> [UInt8] {
        let longest = blocks.map(\.count).max() ?? 0
        return (0..<longest).flatMap { place in blocks.compactMap { $0.count > place ? $0[place] : nil } }
    }

    /// The remainder of the data by Reed and Solomon's polynomial of a degree.
    private static func correction(of data: [UInt8], _ degree: Int) -> [UInt8] {
        var divisor: [UInt8] = Array(repeating: 0, count: degree - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<degree {
            for place in 0..<degree {
                divisor[place] = product(divisor[place], root) ^ (place + 1 < degree ? divisor[place + 1] : 0)
            }
            root = product(root, 2)
        }
        var remainder = [UInt8](repeating: 0, count: degree)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for place in 0..<degree { remainder[place] ^= product(divisor[place], factor) }
        }
        return remainder
    }

    /// The product in the field of 256 elements modulo x⁸ + x⁴ + x³ + x² + 1.
    private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
        (0..<8).reversed().reduce(UInt8(0)) { product, bit in
            (product << 1) ^ (product >> 7 == 1 ? 0x1D : 0) ^ (b >> bit & 1 == 1 ? a : 0)
        }
    }

    // MARK: Drawing

    private mutating func reserve(_ column: Int, _ row: Int, _ isDark: Bool) {
        guard (0..<size).contains(column), (0..<size).contains(row) else { return }
        modules[row * size + column] = isDark
        isReserved[row * size + column] = true
    }

    private mutating func drawPatterns() {
        for place in 0..<size {
            reserve(6, place, place % 2 == 0)
            reserve(place, 6, place % 2 == 0)
        }
        let far = size - 7
        // Those in three corners, with the light border around them.
        for (column, row) in [(3, 3), (far + 3, 3), (3, far + 3)] {
            drawRings(around: column, row, 4) { $0 != 2 && $0 != 4 }
        }
        if version > 1 {
            let centres = version < 7 ? [6, far] : [6, far / 2 + 3, far]
            for column in centres {
                for row in centres where !isCorner(column, row) {
                    drawRings(around: column, row, 2) { $0 != 1 }
                }
            }
        }
        drawFormat(mask: 0)
        guard version >= 7 else { return }
        let bits = version << 12 | Self.remainder(version, bits: 12, by: 0x1F25)
        for bit in 0..<18 {
            reserve(bit / 3, size - 11 + bit % 3, bits >> bit & 1 == 1)
            reserve(size - 11 + bit % 3, bit / 3, bits >> bit & 1 == 1)
        }
    }

    /// Whether there is a pattern of a corner.
    private func isCorner(_ column: Int, _ row: Int) -> Bool {
        column == 6 && row == 6 || column == 6 && row == size - 7 || column == size - 7 && row == 6
    }

    private mutating func drawRings(
        around column: Int, _ row: Int, _ radius: Int, _ isDark: (Int) -> Bool
    ) {
        for down in -radius...radius {
            for right in -radius...radius {
                reserve(column + right, row + down, isDark(max(abs(down), abs(right))))
            }
        }
    }

    /// Draws the level, which is 00, and the mask.
    private mutating func drawFormat(mask: Int) {
        let bits = (mask << 10 | Self.remainder(mask, bits: 10, by: 0x537)) ^ 0x5412
        for bit in 0..<15 {
            let isDark = bits >> bit & 1 == 1
            // Once beside the first pattern, around the lines of alternating modules, and once beside both others.
            switch bit {
            case 0..<6: reserve(8, bit, isDark)
            case 6, 7: reserve(8, bit + 1, isDark)
            case 8: reserve(7, 8, isDark)
            default: reserve(14 - bit, 8, isDark)
            }
            if bit < 8 { reserve(size - 1 - bit, 8, isDark) } else { reserve(8, size - 15 + bit, isDark) }
        }
        reserve(8, size - 8, true)
    }

    /// The remainder of a code of Bose, Chaudhuri and Hocquenghem.
    private static func remainder(_ value: Int, bits: Int, by generator: Int) -> Int {
        (0..<bits).reduce(value) { rest, _ in rest << 1 ^ (rest >> (bits - 1)) * generator }
    }

    /// Draws the codewords in columns of two modules, from the right, up and down by turns.
    private mutating func draw(_ codewords: [UInt8]) {
        var (bit, isUpward) = (0, true)
        for right in stride(from: size - 1, to: 0, by: -2).map({ $0 <= 6 ? $0 - 1 : $0 }) {
            for place in 0..<size {
                let row = isUpward ? size - 1 - place : place
                for column in [right, right - 1] where !isReserved[row * size + column] {
                    guard bit < codewords.count * 8 else { continue }
                    modules[row * size + column] = codewords[bit / 8] >> (7 - bit % 8) & 1 == 1
                    bit += 1
                }
            }
            isUpward.toggle()
        }
    }

    // MARK: Masks

    private func masked(_ mask: Int) -> QRCode {
        var code = self
        for row in 0..<size {
            for column in 0..<size where !isReserved[row * size + column] {
                let product = row * column
                let isInverted =
                    switch mask {
                    case 0: (row + column) % 2 == 0
                    case 1: row % 2 == 0
                    case 2: column % 3 == 0
                    case 3: (row + column) % 3 == 0
                    case 4: (row / 2 + column / 3) % 2 == 0
                    case 5: product % 2 + product % 3 == 0
                    case 6: (product % 2 + product % 3) % 2 == 0
                    default: ((row + column) % 2 + product % 3) % 2 == 0
                    }
                if isInverted { code.modules[row * size + column].toggle() }
            }
        }
        code.drawFormat(mask: mask)
        return code
    }

    /// How much the code has of what disturbs scanners: runs, blocks, patterns like those in the corners, and much of one colour.
    private var penalty: Int {
        let finder: [Bool] = [true, false, true, true, true, false, true]
        let light = [false, false, false, false]
        var penalty = 0
        for line in 0..<size {
            let row = (0..<size).map { isDark($0, line) }
            let column = (0..<size).map { isDark(line, $0) }
            for modules in [row, column] {
                var run = 0
                for place in modules.indices {
                    run = place > 0 && modules[place] == modules[place - 1] ? run + 1 : 1
                    penalty += run == 5 ? 3 : run > 5 ? 1 : 0
                    guard place + 11 <= size else { continue }
                    let window = modules[place..<place + 11]
                    if window.elementsEqual(finder + light) || window.elementsEqual(light + finder) {
                        penalty += 40
                    }
                }
            }
            guard line > 0 else { continue }
            for place in 1..<size {
                let corner = isDark(place, line)
                let others = [(place - 1, line), (place, line - 1), (place - 1, line - 1)]
                if others.allSatisfy({ isDark($0, $1) == corner }) { penalty += 3 }
            }
        }
        let dark = modules.count { $0 }
        return penalty + 10 * (abs(20 * dark - 10 * size * size) / (size * size))
    }
}

extension QRCode {
    /// The code in lines of characters, each of which shows two modules, one above the other, with the light border around them.
    ///
    /// - Parameter isColoured: Whether escape sequences choose the colours; else the terminal's background is taken for dark.
    /// - Returns: The lines.
    func lines(isColoured: Bool) -> [String] {
        stride(from: -4, to: size + 4, by: 2).map { row in
            let blocks = (-4..<size + 4).map { column in
                switch (isDark(column, row), isDark(column, row + 1)) {
                case (true, true): " "
                case (true, false): "▄"
                case (false, true): "▀"
                case (false, false): "█"
                }
            }.joined()
            // White on black in the palette that no theme changes.
            return isColoured ? "\u{1B}[38;5;231;48;5;16m\(blocks)\u{1B}[0m" : blocks
        }
    }
}
