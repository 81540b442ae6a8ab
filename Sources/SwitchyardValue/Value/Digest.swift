internal import Crypto
package import Foundation

extension String {
    /// Bytes in hexadecimal digits, two for each.
    package init(hexadecimal bytes: some Sequence<UInt8>) {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 0xF)]] }
        self.init(decoding: text, as: UTF8.self)
    }

    /// The SHA-256 of the text's UTF-8, in 64 hexadecimal digits.
    package var sha256: String { String(hexadecimal: SHA256.hash(data: Data(utf8))) }
}

extension [UInt8] {
    /// The 32 bytes of the SHA-256.
    package var sha256: [UInt8] { Array(SHA256.hash(data: self)) }
}

extension Data {
    /// The bytes of a text of hexadecimal digits.
    package init(hexadecimal: some StringProtocol) {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        self.init(
            stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
