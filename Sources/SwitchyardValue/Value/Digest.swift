internal import Crypto
package import Foundation

/// SHA-256, as text.
package enum Digest {
    /// The digest of a text's UTF-8, in 64 hexadecimal digits.
    package static func hexadecimal(of text: String) -> String {
        hexadecimal(SHA256.hash(data: Data(text.utf8)))
    }

    /// Bytes in hexadecimal digits, two for each.
    package static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 0xF)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text of hexadecimal digits.
    package static func bytes(_ hexadecimal: String) -> Data {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return Data(
            stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
