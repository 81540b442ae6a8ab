import BabyMonitorKit
import Foundation
import Switchyard
import Testing

@Suite("A message between devices")
struct SyncPingTests {
    @Test("a ping between devices is read whatever its spacing and the type of its time")
    func reads() {
        #expect(SyncPing(Data(#"{"type":"syncPing","ts":1762454079}"#.utf8))?.sentAt == 1_762_454_079)
        #expect(
            SyncPing(Data(#" { "ts" : 1762454079.946, "type" : "syncPing", "x": [] } "#.utf8))?.sentAt
                == 1_762_454_079.946)
        #expect(SyncPing(Data(#"{"type":"syncPing"}"#.utf8)) != nil)
        #expect(SyncPing(Data(#"{"type":"syncPing","ts":"now"}"#.utf8))?.sentAt == nil)
    }

    @Test(
        "an unknown or missing ping is ignored",
        arguments: [
            "", "{}", "[]", "syncPing", #"{"type":"syncPong","ts":1}"#, #"{"type":1}"#, #"{"ts":1}"#, "\u{0}",
        ])
    func ignores(text: String) {
        #expect(SyncPing(Data(text.utf8)) == nil)
    }

    private struct Receiver: NearbyReceiver {
        let log: Log
        var flushFails = false

        func flushPendingWork() async throws {
            log.add("flush")
            if flushFails { throw CocoaError(.fileWriteUnknown) }
        }

        func refresh() async throws { log.add("refresh") }
    }

    @Test("a ping makes the receiver flush, then refresh")
    func receive() async throws {
        let log = Log()
        let sync = NearbySync(receiver: Receiver(log: log))
        #expect(try await sync.receive(SyncPing(sentAt: Date()).data))
        #expect(try await !sync.receive(Data(#"{"type":"hello"}"#.utf8)))
        #expect(log.all == ["flush", "refresh"])
    }

    @Test("a ping makes the receiver refresh even if it could not flush")
    func flushFails() async throws {
        let log = Log()
        let sync = NearbySync(receiver: Receiver(log: log, flushFails: true))
        await #expect(throws: CocoaError.self) { try await sync.receive(SyncPing(sentAt: Date()).data) }
        #expect(log.all == ["flush", "refresh"])
    }
}
