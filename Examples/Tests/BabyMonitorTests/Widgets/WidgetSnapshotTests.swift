import BabyMonitorKit
import Foundation
import Testing

@Suite("A widget snapshot")
struct WidgetSnapshotTests {
    private let id = UUID(uuidString: "01234567-89ab-cdef-0123-456789abcdef") ?? UUID()

    @Test("a widget snapshot has its keys in one order, the id in upper case, the time in seconds since 2001")
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

    @Test("a widget snapshot of an older release has three hours and no feed")
    func older() throws {
        let json =
            #"{"id":"01234567-89AB-CDEF-0123-456789ABCDEF","name":"Mia","totalProgress":1,"feedingProgress":0,"#
            + #""updatedAt":784146879}"#
        let snapshot = try WidgetSnapshot(json: Data(json.utf8))
        #expect(snapshot.feedTerm == 10_800)
        #expect(!snapshot.isFeeding)
        #expect(snapshot.updatedAt == time("2025-11-06T18:34:39Z"))
    }

    @Test("a widget snapshot has a feeding interval of at least a second", arguments: ["0", "-5", "0.25"])
    func leastTerm(text: String) throws {
        let json =
            #"{"id":"01234567-89AB-CDEF-0123-456789ABCDEF","name":"","totalProgress":1,"feedingProgress":0,"#
            + #""updatedAt":0,"feedTerm":\#(text),"isFeeding":false}"#
        #expect(try WidgetSnapshot(json: Data(json.utf8)).feedTerm == 1)
    }

    @Test("a widget snapshot of a baby with an infinite feeding interval has the standard one")
    func endlessTerm() throws {
        let snapshot = WidgetSnapshot(
            id: id, name: "Mia", feedTerm: .infinity, isFeeding: true,
            lastStart: time("2025-11-06T18:00:00Z"),
            lastFinished: nil, now: time("2025-11-06T19:30:00Z"))
        #expect(snapshot.feedTerm == 10_800)
        #expect(snapshot.totalProgress == 0.5)
        #expect(try WidgetSnapshot(json: snapshot.json()) == snapshot)
    }

    @Test("a widget snapshot accepts null for optional values, and unknown keys")
    func lenient() throws {
        let json =
            #"{"id":"01234567-89AB-CDEF-0123-456789ABCDEF","name":"","totalProgress":1,"feedingProgress":0,"#
            + #""updatedAt":0,"feedTerm":null,"isFeeding":null,"mood":"good"}"#
        let snapshot = try WidgetSnapshot(json: Data(json.utf8))
        #expect(snapshot.feedTerm == 10_800)
        #expect(!snapshot.isFeeding)
    }

    @Test("a damaged widget snapshot is an error", arguments: ["", "{}", "[]", #"{"id":"x"}"#, "\u{FFFD}"])
    func damaged(json: String) {
        #expect(throws: DecodingError.self) { try WidgetSnapshot(json: Data(json.utf8)) }
    }

    @Test("a widget snapshot shows the time since the last start, or since the start of the current feed")
    func feeding() {
        let snapshot = WidgetSnapshot(
            id: id, name: "Mia", feedTerm: 10_800, isFeeding: true, lastStart: time("2025-11-06T18:00:00Z"),
            lastFinished: (time("2025-11-06T14:00:00Z"), time("2025-11-06T14:30:00Z")),
            now: time("2025-11-06T18:45:00Z"))
        #expect(snapshot.totalProgress == 0.25)
        #expect(snapshot.feedingProgress == 0.25)
        #expect(snapshot.isFeeding)
    }

    @Test("a widget snapshot shows the length of the last feed once the baby is fed")
    func fed() {
        let snapshot = WidgetSnapshot(
            id: id, name: "Mia", feedTerm: 7200, isFeeding: false, lastStart: time("2025-11-06T18:00:00Z"),
            lastFinished: (time("2025-11-06T18:00:00Z"), time("2025-11-06T18:30:00Z")),
            now: time("2025-11-06T21:00:00Z"))
        #expect(snapshot.totalProgress == 1.5)
        #expect(snapshot.feedingProgress == 0.25)
    }

    @Test("a widget snapshot shows no elapsed time if the clock was set back since the start")
    func clockSetBack() {
        let snapshot = WidgetSnapshot(
            id: id, name: "Mia", feedTerm: 10_800, isFeeding: true, lastStart: time("2025-11-08T18:00:00Z"),
            lastFinished: (time("2025-11-06T14:30:00Z"), time("2025-11-06T14:00:00Z")),
            now: time("2025-11-06T18:00:00Z"))
        #expect(snapshot.totalProgress == 0)
        #expect(snapshot.feedingProgress == 0)
    }

    @Test("a widget snapshot of a baby that was never fed is empty")
    func never() {
        let snapshot = WidgetSnapshot(
            id: id, name: "Mia", feedTerm: 0, isFeeding: false, lastStart: nil, lastFinished: nil,
            now: time("2025-11-06T21:00:00Z"))
        #expect(snapshot.totalProgress == 0)
        #expect(snapshot.feedingProgress == 0)
        #expect(snapshot.feedTerm == 1)
    }
}
