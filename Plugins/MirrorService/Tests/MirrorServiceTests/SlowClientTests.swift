import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import MirrorServiceCommands

/// The clock is the channel's own, which a test puts forward.
@Suite("Clients that take their time")
struct SlowClientTests {
    private struct Bench {
        let channel = EmbeddedChannel(handler: SlowClientHandler())

        init() throws { try channel.connect(to: SocketAddress(unixDomainSocketPath: "/client")).wait() }

        func receive(_ part: HTTPRequestPart) throws { try channel.writeInbound(part) }

        func advance(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

        var isOpen: Bool { channel.isActive }
    }

    private static func head(_ length: Int?) -> HTTPRequestPart {
        var head = HTTPRequest(method: .post, scheme: "https", authority: "x", path: "/v1/exchange")
        head.headerFields[.contentLength] = length.map { "\($0)" }
        return .head(head)
    }

    private static let piece = HTTPRequestPart.body(ByteBuffer(string: "x"))

    @Test("a body that comes byte by byte ends its connection, whatever its length is said to be")
    func trickle() throws {
        // A minute, and a second for each 8 KiB; what is more than a request may have does not count.
        for (length, seconds) in [(0, 60), (81_920, 70), (nil, 316), (1 << 40, 316), (-1, 60)]
            as [(Int?, Int)]
        {
            let bench = try Bench()
            try bench.receive(Self.head(length))
            for _ in 0..<seconds - 1 {
                bench.advance(1)
                try bench.receive(Self.piece)
            }
            #expect(bench.isOpen, "\(length ?? -2)")
            bench.advance(1)
            #expect(!bench.isOpen, "\(length ?? -2)")
        }
    }

    @Test("a request that has come as a whole may be answered as late as may be")
    func longPoll() throws {
        let bench = try Bench()
        for _ in 0..<3 {
            try bench.receive(Self.head(1))
            bench.advance(59)
            try bench.receive(Self.piece)
            try bench.receive(.end(nil))
            bench.advance(1_000)
            #expect(bench.isOpen)
        }
        _ = try bench.channel.finish()
    }

    @Test("a client that does not take an answer is let go, and one that has taken it is not")
    func unreadAnswer() throws {
        var head = HTTPResponse(status: .ok)
        head.headerFields[.contentLength] = "81920"
        for takes in [false, true] {
            let bench = try Bench()
            // Nothing is written before it is flushed, as by a client that does not read.
            bench.channel.write(HTTPResponsePart.head(head), promise: nil)
            bench.channel.write(HTTPResponsePart.body(ByteBuffer(repeating: 0, count: 81_920)), promise: nil)
            bench.channel.write(HTTPResponsePart.end(nil), promise: nil)
            bench.advance(69)
            #expect(bench.isOpen)
            if takes { bench.channel.flush() }
            bench.advance(1)
            #expect(bench.isOpen == takes)
            bench.advance(1_000)
            #expect(bench.isOpen == takes)
        }
    }
}
