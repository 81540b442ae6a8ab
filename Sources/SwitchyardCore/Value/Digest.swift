internal import Crypto
internal import Foundation

/// SHA-256, as text.
enum Digest {
    /// The digest of a text's UTF-8, in 64 hexadecimal digits.
    static func hexadecimal(of text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
