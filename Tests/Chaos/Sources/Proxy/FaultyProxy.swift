import Foundation

/// A way to a server, on a port of this machine, that does to each connection what a fault says.
final class FaultyProxy: Sendable {
    /// The port of 127.0.0.1 to connect to.
    let port: Int
    private let listener: Int32
    private let server: String
    private let draw: @Sendable () -> WireFault
    private let report: Report
    private let isClosed = Latch()

    /// Listens.
    ///
    /// - Parameters:
    ///   - server: The path of the server's socket.
    ///   - report: Counts the faults that have happened.
    ///   - draw: Says what happens to the next connection.
    /// - Throws: `MissingPart` if no port can be listened on.
    init(to server: String, report: Report, _ draw: @escaping @Sendable () -> WireFault) throws {
        let listener = socket(AF_INET, Sockets.stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = Sockets.withAddress(&address) { bind(listener, $0, length) }
        guard listener >= 0, result == 0, listen(listener, 128) == 0,
            Sockets.withAddress(&address, { getsockname(listener, $0, &length) }) == 0
        else { throw MissingPart(description: "no port can be listened on (\(errno)).") }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        self.server = server
        self.report = report
        self.draw = draw
        Thread { [self] in acceptAll() }.start()
    }

    /// Takes no further connection.
    func close() {
        isClosed.raise()
        _ = shutdown(listener, Int32(SHUT_RDWR))
    }

    private func acceptAll() {
        while !isClosed.isRaised {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { continue }
            guard let upstream = Sockets.connect(toPath: server) else {
                // As a server does that is not there.
                Foundation.close(client)
                continue
            }
            let connection = ProxiedConnection(
                client: client, server: upstream, fault: draw(), report: report, isClosed: isClosed)
            Thread { connection.run() }.start()
        }
        Foundation.close(listener)
    }
}
