internal import SwitchyardCore

/// A mutation that is too large for one request, and is sent in parts before the request that names them.
///
/// The parts are named by the digest of the whole, so that those of an earlier attempt are of use if nothing has changed.
package struct MutationParts: Sendable, Hashable {
    /// The digest of all bytes, in hexadecimal digits.
    package let digest: String
    package let count: Int

    /// How many bytes a part has.
    package static let bytesPerPart = 1 << 20
    /// How many parts one mutation has at most.
    package static let most = 256

    private static let digits = 64

    /// Divides the bytes of a mutation.
    ///
    /// - Throws: `invalidArgument` if they are more than can be sent.
    package init(of bytes: [UInt8]) throws {
        count = (bytes.count + Self.bytesPerPart - 1) / Self.bytesPerPart
        guard count <= Self.most else {
            throw StoreError(
                .invalidArgument,
                "A write changes more than \(Self.most) MiB, which cannot be sent as one. Import less at a time, or end the mirror and "
                    + "join with an empty store.")
        }
        digest = bytes.sha256.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
    }

    /// Reads a header's text; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: ":")
        guard parts.count == 2, Self.isDigest(parts[0]), let count = Int(parts[1]),
            (1...Self.most).contains(count)
        else { return nil }
        (digest, self.count) = (String(parts[0]), count)
    }

    /// The header's text.
    package var text: String { "\(digest):\(count)" }

    package static func isDigest(_ text: some StringProtocol) -> Bool {
        text.utf8.count == digits && text.allSatisfy(\.isHexDigit)
    }

    /// The bytes of one part.
    package static func part(_ number: Int, of bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes[number * bytesPerPart..<min((number + 1) * bytesPerPart, bytes.count)]
    }
}
