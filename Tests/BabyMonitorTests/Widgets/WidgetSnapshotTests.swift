import BabyMonitor
import Foundation
import Testing

@Suite("A widget snapshot")
struct WidgetSnapshotTests {
    private let id = UUID(uuidString: "01234567-89ab-cdef-0123-456789abcdef") ?? UUID()

    @Test("is written with its keys in one order, the id in upper case, the time in seconds since 2001")
    func bytes() throws {
        let snapshot = WidgetSnapshot(
            id: id, name: "Mia \"M\" / 하나", totalProgress: 0.5, feedingProgress: 0.125,
            updatedAt: time("2025-11-06T18:34:39.500Z"), feedTerm: 10_800, isFeeding: true)
        let json = String(decoding: try snapshot.json(), as: UTF8.self)
        #expect(
            json
                == #"{"id":"01234567-89AB-CDEF-0123-456789ABCDEF","name":"Mia \"M\" / 하나","totalProgress":0.5,"#
                + #""feedingProgress":0.125,"updatedAt":784146879.5,"feedTerm":10800,"isFeeding":true}"#)
        #expect(try WidgetSnapshot(json: snapshot.json()) == snapshot)
    }

    @Test("of an older release has three hours and is not feeding")
    func older() throws {
        let json =
            #"{"id":"01234567-89AB-CDEF-0123-456789ABCDEF","name":"Mia","totalProgress":1,"feedingProgress":0,"#
            + #""updatedAt":784146879}"#
        let snapshot = try WidgetSnapshot(json: Data(json.utf8))
        #expect(snapshot.feedTerm == 10_800)
        #expect(!snapshot.isFeeding)
        #expect(snapshot.updatedAt == time("2025-11-06T18:34:39Z"))
    }

    @Test("has a feeding interval of at least a second", arguments: ["0", "-5", "0.25"])
    func leastTerm(text: String) throws {
        let json =
            #"{"id":"01234567-89AB-CDEF-0123-456789ABCDEF","name":"","totalProgress":1,"feedingProgress":0,"#
            + #""updatedAt":0,"feedTerm":\#(text),"isFeeding":false}"#
        #expect(try WidgetSnapshot(json: Data(json.utf8)).feedTerm == 1)
    }

    @Test("of a baby whose feeding interval has no end has the standard one")
    func endlessTerm() throws {
        let snapshot = WidgetSnapshot(
            id: id, name: "Mia", feedTerm: .infinity, isFeeding: true,
            lastStart: time("2025-11-06T18:00:00Z"),
            lastFinished: nil, now: time("2025-11-06T19:30:00Z"))
        #expect(snapshot.feedTerm == 10_800)
        #expect(snapshot.totalProgress == 0.5)
        #expect(try WidgetSnapshot(json: snapshot.json()) == snapshot)
    }

    @Test("takes null for what may be missing, and keys that it does not know")
    func lenient() throws {
        let json =
            #"{"id":"01234567-89AB-CDEF-0123-456789ABCDEF","name":"","totalProgress":1,"feedingProgress":0,"#
            + #""updatedAt":0,"feedTerm":null,"isFeeding":null,"mood":"good"}"#
        let snapshot = try WidgetSnapshot(json: Data(json.utf8))
        #expect(snapshot.feedTerm == 10_800)
        #expect(!snapshot.isFeeding)
    }

    @Test("is an error where it is damaged", arguments: ["", "{}", "[]", #"{"id":"x"}"#, "\u{FFFD}"])
    func damaged(json: String) {
        #expect(throws: DecodingError.self) { try WidgetSnapshot(json: Data(json.utf8)) }
    }

    @Test("shows the time since the last start, and while feeding the same for the feed")
    func feeding() {
        let snapshot = WidgetSnapshot(
            id: id, name: "Mia", feedTerm: 10_800, isFeeding: true, lastStart: time("2025-11-06T18:00:00Z"),
            lastFinished: (time("2025-11-06T14:00:00Z"), time("2025-11-06T14:30:00Z")),
            now: time("2025-11-06T18:45:00Z"))
        #expect(snapshot.totalProgress == 0.25)
        #expect(snapshot.feedingProgress == 0.25)
        #expect(snapshot.isFeeding)
    }

    @Test("shows how long the last finished feed took once the baby is fed")
    func fed() {
        let snapshot = WidgetSnapshot(
            id: id, name: "Mia", feedTerm: 7200, isFeeding: false, lastStart: time("2025-11-06T18:00:00Z"),
            lastFinished: (time("2025-11-06T18:00:00Z"), time("2025-11-06T18:30:00Z")),
            now: time("2025-11-06T21:00:00Z"))
        #expect(snapshot.totalProgress == 1.5)
        #expect(snapshot.feedingProgress == 0.25)
    }

    @Test("shows no time as past where the clock was set back since the start")
    func clockSetBack() {
        let snapshot = WidgetSnapshot(
            id: id, name: "Mia", feedTerm: 10_800, isFeeding: true, lastStart: time("2025-11-08T18:00:00Z"),
            lastFinished: (time("2025-11-06T14:30:00Z"), time("2025-11-06T14:00:00Z")),
            now: time("2025-11-06T18:00:00Z"))
        #expect(snapshot.totalProgress == 0)
        #expect(snapshot.feedingProgress == 0)
    }

    @Test("shows nothing of a baby that was never fed")
    func never() {
        let snapshot = WidgetSnapshot(
            id: id, name: "Mia", feedTerm: 0, isFeeding: false, lastStart: nil, lastFinished: nil,
            now: time("2025-11-06T21:00:00Z"))
        #expect(snapshot.totalProgress == 0)
        #expect(snapshot.feedingProgress == 0)
        #expect(snapshot.feedTerm == 1)
    }
}
