internal import Crypto
internal import Foundation

/// SHA-256, as text.
enum Digest {
    /// The digest of a text's UTF-8, in 64 hexadecimal digits.
    static func hexadecimal(of text: String) -> String { hexadecimal(SHA256.hash(data: Data(text.utf8))) }

    /// Bytes in hexadecimal digits, two for each.
    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// The bytes of a text of hexadecimal digits.
    static func bytes(_ hexadecimal: String) -> Data {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return Data(
            stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
