import BabyMonitorKit
import Testing

@Suite("The feeding interval")
struct FeedTermTests {
    @Test("the feeding interval is three hours at first")
    func standard() {
        #expect(FeedTerm.standard == 10_800)
        #expect(BabyProfile(name: "Mia").feedTerm == 10_800)
    }

    @Test("the feeding interval is between 30 and 480 minutes in steps of 15")
    func choices() throws {
        #expect(FeedTerm.choices.count == 31)
        #expect(FeedTerm.choices.prefix(4) == [30, 45, 60, 75])
        #expect(FeedTerm.choices.last == 480)
        #expect(try FeedTerm.seconds(minutes: 30) == 1800)
        #expect(try FeedTerm.seconds(minutes: 195) == 11_700)
        #expect(try FeedTerm.seconds(minutes: 480) == 28_800)
    }

    @Test(
        "the feeding interval accepts no other value", arguments: [-15, 0, 15, 29, 31, 44, 481, 495, Int.max])
    func refused(minutes: Int) {
        #expect { try FeedTerm.seconds(minutes: minutes) } throws: { error in
            (error as? BabyMonitorError)?.code == .invalidFeedTerm
        }
    }
}
