import Foundation
import SwitchyardCore
import Testing

@testable import SwitchyardStore

@Suite("The digest of a history")
struct HistoryDigestTests {
    /// A UUID of 16 ascending bytes.
    private static func id(from first: UInt8) -> UUID {
        let high = (0..<8).reduce(0 as UInt64) { $0 << 8 | UInt64(first + $1) }
        return UUID(high: high, low: (8..<16).reduce(0 as UInt64) { $0 << 8 | UInt64(first + $1) })
    }

    private static func hexadecimal(_ data: Data) -> String {
        data.map { String(format: "%02x", $0) }.joined()
    }

    @Test("a history's digest is half the SHA-256 of the last digest and the transaction's id")
    func value() {
        let first = HistoryDigest.start.adding(Self.id(from: 0))
        #expect(Self.hexadecimal(first.data) == "1d586c9adb38fbf91095434631cb0dfb")
        #expect(Self.hexadecimal(first.adding(Self.id(from: 16)).data) == "ba7ccc9f10504ba2b02b1b35089fcf57")
    }

    @Test("a history's digest has 16 bytes", arguments: [0, 15, 17])
    func length(_ count: Int) {
        #expect(HistoryDigest(Data(count: count)) == nil)
        #expect(HistoryDigest(Data(count: 16)) == .start)
    }
}
