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
        /// Whether a proxy stands before the service that says whom it forwards, and whose trace a request belongs to.
        var isForwarded = false
    }

    let service: MirrorService
    let settings: Settings
    let logger: Logger
    let metrics = ServiceMetrics()
    let outages = OutageLog()

    /// Serves until the process is told to end: requests under way are answered first.
    ///
    /// - Parameter isListening: Is called with the port, once requests are accepted.
    /// - Throws: What keeps the server from listening; what is wrong with the certificate.
    func run(_ isListening: @escaping @Sendable (Int) async -> Void) async throws {
        let http = HTTPServerBuilder.http1(
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [SlowClientHandler()],
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
            responder: CallbackResponder { request, context in
                await respond(to: request, from: context.peer)
            } as CallbackResponder<PeerContext>,
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
}

/// Answers the devices that wait for news, when the process is told to end.
private struct Closing: Service {
    let service: MirrorService

    func run() async throws {
        try await gracefulShutdown()
        await service.close()
    }
}
