internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes
internal import SwitchyardMirrorService

/// Closes the connection of a client that takes too long to send a request, or to take the answer to it.
///
/// The server's own timer begins anew with each piece of a request, and stands still while an answer is written.
final class SlowClientHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The ends of the time for the request that is being received, and for the answer that is being written.
    private var request: Scheduled<Void>?
    private var answer: Scheduled<Void>?

    /// How long a body may take: a minute, and a second for each 8 KiB.
    static func patience(for bytes: Int) -> TimeAmount { .seconds(60 + Int64(bytes) / 8_192) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            // Without a length, a body may have as many bytes as any.
            let length = head.headerFields[.contentLength].flatMap { Int($0) } ?? .max
            request = close(context, after: min(max(length, 0), MirrorService.largestRequest))
        case .body: break
        case .end:
            request?.cancel()
            request = nil
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            answer?.cancel()
            answer = close(context, after: head.headerFields[.contentLength].flatMap { Int($0) } ?? 0)
            context.write(data, promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            // The last piece is written when the client's side has taken all before it.
            let written = promise ?? context.eventLoop.makePromise()
            let own = answer
            written.futureResult.whenComplete { _ in own?.cancel() }
            context.write(data, promise: written)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        request?.cancel()
        answer?.cancel()
    }

    private func close(_ context: ChannelHandlerContext, after bytes: Int) -> Scheduled<Void> {
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience(for: bytes)) {
            context.close(promise: nil)
        }
    }
}
