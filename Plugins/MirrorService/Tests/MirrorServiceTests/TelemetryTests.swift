import Foundation
import InMemoryTracing
import Logging
import Metrics
import MetricsTestKit
import Switchyard
import SwitchyardCore
import Synchronization
import Testing
import Tracing

@testable import MirrorServiceCommands
@testable import SwitchyardMirror

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Keeps every line that is logged, whatever its level.
final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock(\.self) }

    func logger() -> Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let error = event.error.map { "\($0)" } ?? ""
            let text = "\(event.message) \(metadata) \(event.metadata ?? [:]) \(error)"
            lines.lines.withLock { $0.append(text) }
        }
    }
}

@Suite("What a service tells of itself")
struct TelemetryTests {
    @Test("requests are timed by route and outcome, and those under way are counted")
    func metrics() async throws {
        let metrics = TestMetrics()
        try await withMetricsFactory(metrics) {
            try await ServiceBench.with(requestsPerMinute: 3) { bench in
                let device = try await RawDevice(joining: bench, by: try await bench.invite())
                for status in [200, 200, 200, 429] {
                    #expect(try await device.get("household", accepting: "identity").1.statusCode == status)
                }
                for (method, path, status) in [
                    ("DELETE", "v1/members/\(UUID())", 401), ("PATCH", "v1/coffee", 404),
                    ("GET", "wp-admin", 404),
                ] {
                    let (_, response) = try await RawDevice.send(method, bench.url.appending(path: path))
                    #expect(response.statusCode == status)
                }
            }
        }
        func times(_ method: String, _ route: String, _ status: Int, _ code: String?) throws -> Int {
            try metrics.expectTimer(
                "http.server.request.duration",
                [
                    ("http.request.method", method), ("http.route", route),
                    ("http.response.status_code", "\(status)"),
                ] + (code.map { [("error.type", $0)] } ?? [])
            ).values.count
        }
        #expect(try times("POST", "/v1/join", 200, nil) == 1)
        #expect(try times("GET", "/v1/household", 200, nil) == 3)
        #expect(try times("GET", "/v1/household", 429, "busy") == 1)
        #expect(try times("DELETE", "/v1/members/{id}", 401, "authentication") == 1)
        // What a client makes up has no label of its own.
        #expect(try times("_OTHER", "unknown", 404, "notFound") == 2)
        let active = try metrics.expectMeter(
            "http.server.active_requests",
            [("http.request.method", "GET"), ("http.route", "/v1/household")])
        #expect(active.lastValue == 0)
        #expect(active.values.contains(1))
    }

    @Test("each request is a span with its route and outcome")
    func traces() async throws {
        let tracer = InMemoryTracer()
        try await withTracer(tracer) {
            try await ServiceBench.with { bench in
                let device = try await RawDevice(joining: bench, by: try await bench.invite())
                _ = try await device.get("household", accepting: "identity")
                _ = try await RawDevice.send("POST", bench.url.appending(path: "v1/exchange"))
            }
        }
        let spans = tracer.finishedSpans.filter { $0.kind == .server }
        #expect(spans.map(\.operationName) == ["POST /v1/join", "GET /v1/household", "POST /v1/exchange"])
        let statuses = spans.map { $0.attributes["http.response.status_code"]?.toSpanAttribute() }
        #expect(statuses == [200, 200, 401])
        #expect(spans.last?.attributes["error.type"]?.toSpanAttribute() == "authentication")
    }

    @Test("no token and no value is in the log, at any level")
    func logs() async throws {
        let lines = Lines()
        var secrets: [String] = ["Brüderchen"]
        try await ServiceBench.with(logger: lines.logger()) { bench in
            let link = try await bench.invite()
            let mia = try await bench.join("Mia", by: link)
            let second = try await mia.invite(.member)
            let device = try await RawDevice(joining: bench, by: second)
            try await mia.write { try $0.insert(Dairy.Feed(amount: 90, note: "Brüderchen")) }
            try await mia.exchange()
            _ = try await device.get("household", accepting: "identity")
            let guess = MirrorToken(.device, scope: link.token.scope, id: UUID())
            _ = try await RawDevice.send("GET", bench.url.appending(path: "v1/household"), nil, guess.text)
            _ = try await RawDevice.send("GET", bench.url.appending(path: "v1/household"), nil, "hunter2")
            for token in [link.token, second.token, device.token, guess] {
                secrets += [token.text, token.secret.base64EncodedString(), String(token.text.suffix(20))]
            }
            secrets.append("hunter2")
            try await mia.close()
        }
        #expect(lines.all.contains { $0.contains("answered") && $0.contains("/v1/exchange") })
        for line in lines.all {
            for secret in secrets { #expect(!line.contains(secret), "\(line)") }
        }
    }
}
