import Crypto
import Foundation
import SwitchyardCore
import Testing

@testable import CoreDataStore

@Suite("Raw DEFLATE")
struct InflateTests {
    /// By zlib, with codes of its own: forty lines with a number, its square, and its cube modulo 1009.
    private static let dynamic =
        ""
        + "HZDbDQQxCMT+qWJKCI8A6b+x855WkSKW2AxHR8dcfBYqraWeYqzkrS67iiuPa61shbeN6ikrbfmv62FP65p45kd+/gcmyHBl"
        + "hHnIqzROR8J98uGK4jXv2hwLmqw1rHExAxjFgp4xXzgAlivudu25FkeF7eUYoiqEeyyIscx11yJ14+k+4/EdXIfWq+bUoxUP"
        + "1Yq0mC/AP00sImRNFf2HnbREhGy6LV2PEW4eS5Id4IU4iXYYuEmcZHNivOb+7e9vHGOFHoSOoj7yZBdxoO+3oVIueNZzCTRv"
        + "fg=="
    /// By zlib, with fixed codes.
    private static let fixed = "S0xKTkRCChmpOTn5KOThJQA="
    /// By zlib: 100,000 zeros.
    private static let zeros =
        ""
        + "7cExAQAAAMKg9U9tDQ+gAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgFcD"

    /// A block with codes of its own.
    static var compressed: [UInt8] { bytes(dynamic) }

    private static func bytes(_ base64: String) -> [UInt8] { [UInt8](Data(base64Encoded: base64) ?? Data()) }

    @Test("blocks with codes of their own, with fixed codes and without any are decompressed")
    func kinds() throws {
        let dynamic = try Inflate.bytes(Self.bytes(Self.dynamic), limit: 10_000)
        #expect(
            String(hexadecimal: Data(SHA256.hash(data: dynamic)))
                == "55f4d2a397b0bb2975c15d06c1013ded8bc0ee3035c6ac38262c0e5ffd83ea9d")
        let fixed = try Inflate.bytes(Self.bytes(Self.fixed), limit: 100)
        #expect(String(decoding: fixed, as: UTF8.self) == "abcabcabcabcabc hello hello hello ä")
        #expect(try Inflate.bytes([0x03, 0x00], limit: 0) == [])
        let plain = "010e00f1ff6e6f20636f6d7072657373696f6e"
        let bytes = stride(from: 0, to: plain.count, by: 2).compactMap {
            UInt8(plain.dropFirst($0).prefix(2), radix: 16)
        }
        #expect(String(decoding: try Inflate.bytes(bytes, limit: 14), as: UTF8.self) == "no compression")
    }

    @Test("more bytes than the limit are refused, and no fewer")
    func limit() throws {
        #expect(try Inflate.bytes(Self.bytes(Self.zeros), limit: 100_000).count == 100_000)
        #expect(throws: UnreadableArchive("the compressed bytes are larger than 99999 bytes")) {
            try Inflate.bytes(Self.bytes(Self.zeros), limit: 99_999)
        }
        #expect(throws: UnreadableArchive.self) { try Inflate.bytes(deflated([1, 2, 3]), limit: 2) }
    }

    @Test("bytes that are cut short anywhere are refused")
    func truncated() {
        for text in [Self.dynamic, Self.fixed] {
            let bytes = Self.bytes(text)
            for count in bytes.indices {
                #expect(throws: UnreadableArchive.self) {
                    try Inflate.bytes(Array(bytes[..<count]), limit: 1 << 20)
                }
            }
        }
    }

    @Test(
        "damaged blocks are refused",
        arguments: [
            // An unknown kind of block; a length that its complement contradicts; a distance beyond the beginning.
            ([0x07], "a block of an unknown kind"), ([0x01, 1, 0, 1, 0, 9], "a damaged block"),
            ([0x63, 0x00, 0x11, 0x00, 0x00], "repeat what is not there"),
        ])
    func damaged(bytes: [UInt8], words: String) {
        let error = #expect(throws: UnreadableArchive.self) { try Inflate.bytes(bytes, limit: 1 << 20) }
        #expect(error?.reason.contains(words) == true, "\(String(describing: error))")
    }
}
