import Foundation
import Switchyard
import SwitchyardCore
import Testing

@Suite("Timestamps")
struct TimestampTests {
    @Test("the last microseconds of the year 9999 stay in it, although Date cannot tell them apart")
    func lastMoments() throws {
        let last: Int64 = 253_402_300_799_999_999
        for microseconds in [last, last - 1, last - 14, last - 15] {
            let date = Timestamp.date(microseconds: microseconds)
            let back = try #require(Timestamp.microseconds(date))
            #expect(abs(back - microseconds) <= 31)
        }
        #expect(Timestamp.microseconds(Date(timeIntervalSince1970: 253_402_300_800)) == nil)
    }

    @Test("the first moment of the year 1 is stored, and none before it")
    func firstMoment() {
        let first: Int64 = -62_135_596_800_000_000
        #expect(Timestamp.microseconds(Timestamp.date(microseconds: first)) == first)
        #expect(Timestamp.microseconds(Date(timeIntervalSince1970: -62_135_596_800.5)) == nil)
    }
}
