internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Instrumentation
internal import Logging
internal import NIOCore
internal import SwitchyardMirrorService
internal import Tracing

/// What becomes of a request.
extension HTTPService {
    func respond(to request: Request, from peer: SocketAddress?) async -> Response {
        switch (request.method, request.uri.path) {
        // The process is there; and it reaches its store.
        case (.get, "/health"): return Response(status: .ok)
        case (.get, "/ready"): return Response(status: await service.isReady() ? .ok : .serviceUnavailable)
        default: break
        }
        let address = (settings.isForwarded ? Self.forwarded(request.headers) : nil) ?? peer
        let method = request.method.rawValue
        let head = Self.received(request, from: address)
        let route = head.route
        let measured = metrics.begin(method, route)
        var context = InstrumentationContext.topLevel
        // What any device might say of traces is not taken over.
        if settings.isForwarded {
            InstrumentationSystem.instrument.extract(
                request.headers, into: &context, using: FieldExtractor())
        }
        let start = ContinuousClock.now
        // The name has as few values as there are routes.
        let name = route.map { "\(method) \($0)" } ?? "unknown"
        let response = await withSpan(name, context: context, ofKind: .server) { span in
            // Whoever sends a body that never ends is not read to the end of it.
            let response = await service.respond(to: head) { most in
                (try? await request.body.collect(upTo: most)).map { Array($0.readableBytesView) }
            }
            span.updateAttributes { attributes in
                attributes["http.response.status_code"] = response.status
                if let route { attributes["http.route"] = route }
                if let code = response.errorCode { attributes["error.type"] = code }
            }
            if response.status >= 500 { span.setStatus(SpanStatus(code: .error)) }
            return response
        }
        log(response, name)
        metrics.end(measured, status: response.status, errorCode: response.errorCode)
        // Neither a token nor a value is logged.
        logger.debug(
            "answered",
            metadata: [
                "method": "\(method)", "path": "\(request.uri.path)",
                "status": "\(response.status)", "duration": "\(ContinuousClock.now - start)",
            ])
        return Self.answer(response, to: request)
    }

    /// Logs what has failed: each error that nobody expects, and an outage of the store once.
    private func log(_ response: ServiceResponse, _ route: String) {
        if let failure = response.failure {
            let isKnown = response.status == 503 && !outages.fail()
            logger.log(
                level: isKnown ? .debug : .error, "failed",
                metadata: ["route": "\(route)", "error": "\(failure)"])
        } else if response.status == 200, let ending = outages.succeed() {
            logger.notice(
                "the store answers again",
                metadata: ["outage": "\(ending.duration)", "failures": "\(ending.failures)"])
        }
    }

    /// The request without its body.
    private static func received(_ request: Request, from address: SocketAddress?) -> ServiceRequest {
        ServiceRequest(
            method: request.method.rawValue, path: request.uri.path,
            query: Dictionary(
                request.uri.queryParameters.map { (String($0.key), String($0.value)) },
                uniquingKeysWith: { $1 }),
            headers: Dictionary(
                request.headers.map { ($0.name.canonicalName, $0.value) }, uniquingKeysWith: { $1 }),
            peer: address?.network)
    }

    private static func answer(_ response: ServiceResponse, to request: Request) -> Response {
        var headers = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        var body = response.body
        // Rows alone: a body with a secret stays as it is, so that its size tells nothing of it.
        if response.isOfRows, body.count >= Gzip.least, Gzip.isAccepted(request.headers[.acceptEncoding]),
            let compressed = Gzip.compressed(body)
        {
            body = compressed
            headers[.contentEncoding] = "gzip"
        }
        return Response(
            status: .init(code: response.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }

    /// The client that the last proxy before the service has seen.
    private static func forwarded(_ headers: HTTPFields) -> SocketAddress? {
        guard let name = HTTPField.Name("x-forwarded-for"),
            let last = headers[name]?.split(separator: ",").last
        else { return nil }
        return try? SocketAddress(ipAddress: last.filter { $0 != " " }, port: 0)
    }
}

/// The context of a request, with the address that it came from.
struct PeerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let peer: SocketAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress
    }
}

extension SocketAddress {
    /// The IPv4 address, or the /64 network of an IPv6 address, all of which belongs to one customer.
    fileprivate var network: String? {
        guard case .v6 = self else { return ipAddress }
        // The address itself, after the family, the port and the flow.
        let bytes = withSockAddr {
            [UInt8](UnsafeRawBufferPointer(start: $0, count: $1).dropFirst(8).prefix(16))
        }
        // An address of IPv4, as a socket for both shows it.
        if bytes.starts(with: Array(repeating: 0, count: 10) + [0xFF, 0xFF]) {
            return bytes.suffix(4).map(String.init).joined(separator: ".")
        }
        return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
    }
}

/// Reads a trace's headers.
private struct FieldExtractor: Extractor {
    func extract(key: String, from fields: HTTPFields) -> String? {
        HTTPField.Name(key).flatMap { fields[$0] }
    }
}
