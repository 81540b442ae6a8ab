import BabyMonitorKit
import Foundation
import MemoryStore
import Switchyard
import SwitchyardCSV
import SwitchyardCore
import Synchronization
import Testing

/// A pipe, as far as a sink is concerned: what is written is out.
private final class Pipe: ByteSink, Sendable {
    let written: Mutex<[UInt8]> = Mutex([])

    func write(_ bytes: UnsafeRawBufferPointer) { written.withLock { $0.append(contentsOf: bytes) } }
    func finish() {}
    func abandon() {}
}

@Suite("An export to a stream")
struct StreamExportTests {
    @Test(
        "an export to a stream holds each row once, although the read ran twice",
        arguments: HistoryCSVFormat.allCases)
    func once(format: HistoryCSVFormat) async throws {
        let store = MemoryStore(schema: try BabyMonitorSchema.schema)
        try await store.seed(SampleData(babies: 2, days: 3, endingAt: time("2025-11-06T12:00:00Z"), seed: 7))
        let service = HistoryCSVService(store: RerunStore(base: store))
        let pipe = Pipe()
        let rows = try await service.exportStream(.feeds, format: format) { pipe }
        #expect(rows == 36)
        let text = String(decoding: pipe.written.withLock { $0 }, as: UTF8.self)
        #expect(text.split(separator: "\n").count == 37)
        #expect(try await text == service.exportText(.feeds, format: format))
    }
}
