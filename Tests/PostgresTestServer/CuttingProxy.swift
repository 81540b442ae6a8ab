import Dispatch
import Foundation
import Synchronization

/// Stands between clients and the server, on a socket in a directory of its own, and cuts connections.
public final class CuttingProxy: Sendable {
    /// The directory of the socket: libpq's `host`, to use with port 5432.
    public let directory: String
    private let server: String
    private let listener: CInt
    private let state = Mutex(State())

    private struct State {
        var links: [Link] = []
        /// Whether the next commit is cut, and if so, whether the server does it first.
        var cutsAfterCommit: Bool?
    }

    /// Begins to listen.
    ///
    /// - Parameter url: The server's URL, as `PostgresServer.url`, with the directory of its socket as host.
    /// - Throws: What the system says if it gives no socket.
    public init(to url: String) throws {
        let items = URLComponents(string: url)?.queryItems ?? []
        func item(_ name: String) -> String { items.first { $0.name == name }?.value ?? "" }
        server = "\(item("host"))/.s.PGSQL.\(item("port"))"
        // Short: a socket's path has room for about a hundred bytes.
        directory = "/tmp/swp-\(UUID().uuidString.prefix(8).lowercased())"
        guard mkdir(directory, 0o700) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        listener = socket(AF_UNIX, Self.streams, 0)
        try Self.withAddress("\(directory)/.s.PGSQL.5432") { [listener] in
            guard bind(listener, $0, $1) == 0, listen(listener, 64) == 0 else {
                throw POSIXError(.init(rawValue: errno) ?? .EIO)
            }
        }
        Thread.detachNewThread { [self] in serve() }
    }

    /// Cuts all connections that there are.
    public func cutAll() {
        for link in state.withLock({ $0.links }) { link.cut() }
    }

    /// Cuts the connection over which the next COMMIT is sent.
    ///
    /// - Parameter afterItIsDone: Whether the server gets it and does it, and only its answer is lost.
    public func cutNextCommit(afterItIsDone: Bool) {
        state.withLock { $0.cutsAfterCommit = afterItIsDone }
    }

    /// Stops listening, and cuts what is left.
    public func close() {
        shutdown(listener, CInt(SHUT_RDWR))
        cutAll()
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func serve() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                _ = systemClose(listener)
                return
            }
            let upstream = socket(AF_UNIX, Self.streams, 0)
            let isConnected = (try? Self.withAddress(server) { connect(upstream, $0, $1) == 0 }) ?? false
            let link = Link(client: client, server: upstream)
            guard isConnected else {
                link.release()
                link.release()
                continue
            }
            state.withLock { $0.links.append(link) }
            Thread.detachNewThread { [self] in pumpRequests(of: link) }
            Thread.detachNewThread { [self] in pumpAnswers(of: link) }
        }
    }

    private func pumpRequests(of link: Link) {
        defer { end(link) }
        while let chunk = link.read(link.client) {
            if chunk.range(of: Self.commit) != nil,
                let isAfter = state.withLock({ state in
                    defer { state.cutsAfterCommit = nil }
                    return state.cutsAfterCommit
                })
            {
                guard isAfter else { return }
                link.awaitsCommit.store(true, ordering: .sequentiallyConsistent)
            }
            guard link.write(chunk, to: link.server) else { return }
        }
    }

    private func pumpAnswers(of link: Link) {
        defer { end(link) }
        var swallowed = Data()
        while let chunk = link.read(link.server) {
            guard link.awaitsCommit.load(ordering: .sequentiallyConsistent) else {
                guard link.write(chunk, to: link.client) else { return }
                continue
            }
            // The tag of the answer is the command's name.
            swallowed += chunk
            if swallowed.range(of: Self.commit) != nil { return }
        }
    }

    private func end(_ link: Link) {
        link.cut()
        state.withLock { state in state.links.removeAll { $0 === link } }
        link.release()
    }

    private static let commit = Data("COMMIT\0".utf8)

    private static func withAddress<Result>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Result
    ) throws -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw POSIXError(.ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return try withUnsafePointer(to: address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    #if canImport(Glibc)
        private static let streams = CInt(SOCK_STREAM.rawValue)
    #else
        private static let streams = SOCK_STREAM
    #endif
}

/// One client's connection and the one that it has to the server, closed when both directions have ended.
private final class Link: Sendable {
    let client: CInt
    let server: CInt
    /// Whether the server has been sent a commit whose answer is swallowed.
    let awaitsCommit = Atomic(false)
    private let users = Atomic(2)

    init(client: CInt, server: CInt) {
        (self.client, self.server) = (client, server)
        #if canImport(Darwin)
            var on: CInt = 1
            for descriptor in [client, server] {
                setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<CInt>.size))
            }
        #endif
    }

    /// Ends both directions, for both sides at once.
    func cut() {
        shutdown(client, CInt(SHUT_RDWR))
        shutdown(server, CInt(SHUT_RDWR))
    }

    func release() {
        guard users.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 else { return }
        _ = systemClose(client)
        _ = systemClose(server)
    }

    /// The next bytes; nil at the end.
    func read(_ descriptor: CInt) -> Data? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            return count > 0 ? Data(buffer[..<count]) : nil
        }
    }

    func write(_ data: Data, to descriptor: CInt) -> Bool {
        #if canImport(Darwin)
            let flags: CInt = 0
        #else
            let flags = CInt(MSG_NOSIGNAL)
        #endif
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// `close`, which in a type with a method of that name cannot be called by it.
private func systemClose(_ descriptor: CInt) -> CInt { close(descriptor) }
