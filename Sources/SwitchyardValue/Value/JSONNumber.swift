/// The digits of a number in JSON text: 0.d₁d₂… times ten to the power of `exponent`.
package struct JSONNumber {
    /// The number as it was written.
    package let text: ArraySlice<UInt8>
    private var isNegative = false
    /// The digits without zeros at either end; empty for 0.
    private var digits: ArraySlice<UInt8> = []
    private var exponent = 0

    /// Parses the number at the beginning of a text; nil if the text does not begin with one.
    init?(_ text: ArraySlice<UInt8>) {
        var index = text.startIndex
        func peek() -> UInt8? { index < text.endIndex ? text[index] : nil }
        func takeDigits() -> ArraySlice<UInt8> {
            let start = index
            while let byte = peek(), UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { index += 1 }
            return text[start..<index]
        }
        if peek() == UInt8(ascii: "-") {
            isNegative = true
            index += 1
        }
        let whole = takeDigits()
        guard !whole.isEmpty, whole.count == 1 || whole.first != UInt8(ascii: "0") else { return nil }
        digits = whole
        exponent = whole.count
        if peek() == UInt8(ascii: ".") {
            index += 1
            let fraction = takeDigits()
            guard !fraction.isEmpty else { return nil }
            digits += fraction
        }
        if let byte = peek(), byte | 0x20 == UInt8(ascii: "e") {
            index += 1
            let sign = peek()
            if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { index += 1 }
            let power = takeDigits()
            // Nine digits exceed every limit by far and cannot overflow.
            guard !power.isEmpty, let value = Int(String(decoding: power, as: UTF8.self).suffix(9)) else {
                return nil
            }
            let isLong = power.drop { $0 == UInt8(ascii: "0") }.count > 9
            exponent += (sign == UInt8(ascii: "-") ? -1 : 1) * (isLong ? 1_000_000_000 : value)
        }
        self.text = text[..<index]
        let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits = digits.dropFirst(zeros)
        exponent -= zeros
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        if digits.isEmpty { (isNegative, exponent) = (false, 0) }
    }

    /// Whether some Swift type can hold a number of this size.
    var isInRange: Bool { abs(exponent) <= 400 }

    /// Writes the number in its canonical form.
    func write(into output: inout [UInt8]) {
        if isNegative { output.append(UInt8(ascii: "-")) }
        let zero = UInt8(ascii: "0")
        switch exponent {
        case _ where digits.isEmpty: output.append(zero)
        case -3...0:
            output += [zero, UInt8(ascii: ".")] + repeatElement(zero, count: -exponent)
            output += digits
        case 1...39:
            output += digits.prefix(exponent)
            if digits.count > exponent {
                output.append(UInt8(ascii: "."))
                output += digits.dropFirst(exponent)
            } else {
                output += repeatElement(zero, count: exponent - digits.count)
            }
        default:
            output += digits.prefix(1)
            if digits.count > 1 {
                output.append(UInt8(ascii: "."))
                output += digits.dropFirst()
            }
            let power = abs(exponent - 1)
            output += "e\(exponent > 0 ? "+" : "-")\(power < 10 ? "0" : "")\(power)".utf8
        }
    }
}
