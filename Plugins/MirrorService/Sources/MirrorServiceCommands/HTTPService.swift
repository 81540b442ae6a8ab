internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import ServiceLifecycle
internal import SwitchyardCommands
internal import SwitchyardMirrorService

/// A mirror's service behind an HTTP server.
struct HTTPService {
    /// Where the server listens, and how.
    struct Settings {
        var host: String
        var port: Int
        /// The files of the certificate's chain and its key; nil where a proxy ends TLS.
        var tls: (certificate: String, key: String)?
        /// How many requests are under way at most; others wait to be accepted.
        var connections: Int
    }

    let service: MirrorService
    let settings: Settings
    let logger: Logger

    /// Serves until the process is told to end: requests under way are answered first.
    ///
    /// - Parameter isListening: Is called with the port, once requests are accepted.
    /// - Throws: What keeps the server from listening; what is wrong with the certificate.
    func run(_ isListening: @escaping @Sendable (Int) async -> Void) async throws {
        let http = HTTPServerBuilder.http1(
            configuration: HTTP1Channel.Configuration(
                // Longer than a device waits for news.
                idleTimeout: .seconds(120),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100)))
        let server =
            if let tls = settings.tls {
                try HTTPServerBuilder.tls(http, tlsConfiguration: try Self.configuration(tls))
            } else {
                http
            }
        let application = Application(
            responder: CallbackResponder { request, _ in await respond(to: request) } as Responder,
            server: server,
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port), serverName: nil,
                availableConnectionsDelegate: MaximumAvailableConnections(settings.connections)),
            services: [Closing(service: service)],
            onServerRunning: { channel in await isListening(channel.localAddress?.port ?? settings.port) },
            logger: logger)
        try await application.runService()
    }

    /// - Throws: `UsageError` if a file is not there, or not what it should be.
    private static func configuration(
        _ tls: (certificate: String, key: String)
    ) throws -> TLSConfiguration {
        do {
            return .makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(tls.certificate).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: tls.key, format: .pem)))
        } catch {
            throw UsageError(
                "\(tls.certificate) or \(tls.key) cannot be read as PEM. Give the certificate with its chain, and its private key."
            )
        }
    }

    private typealias Responder = CallbackResponder<BasicRequestContext>

    private func respond(to request: Request) async -> Response {
        switch (request.method, request.uri.path) {
        // The process is there; and it reaches its store.
        case (.get, "/health"): return Response(status: .ok)
        case (.get, "/ready"): return Response(status: await service.isReady() ? .ok : .serviceUnavailable)
        default: break
        }
        let start = ContinuousClock.now
        let response: ServiceResponse
        do {
            let body = try await request.body.collect(upTo: MirrorService.largestRequest)
            response = await service.respond(
                to: ServiceRequest(
                    method: request.method.rawValue, path: request.uri.path,
                    query: Dictionary(
                        request.uri.queryParameters.map { (String($0.key), String($0.value)) },
                        uniquingKeysWith: { $1 }),
                    headers: Dictionary(
                        request.headers.map { ($0.name.canonicalName, $0.value) }, uniquingKeysWith: { $1 }),
                    body: Array(body.readableBytesView)))
        } catch {
            // Whoever sends a body that never ends is not read to the end of it.
            response = MirrorService.tooLarge
        }
        // Neither a token nor a value is logged.
        logger.debug(
            "answered",
            metadata: [
                "method": "\(request.method.rawValue)", "path": "\(request.uri.path)",
                "status": "\(response.status)", "duration": "\(ContinuousClock.now - start)",
            ])
        var headers = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return Response(
            status: .init(code: response.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)))
    }
}

/// Answers the devices that wait for news, when the process is told to end.
private struct Closing: Service {
    let service: MirrorService

    func run() async throws {
        try await gracefulShutdown()
        await service.close()
    }
}
