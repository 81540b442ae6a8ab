import Foundation
import SwitchyardCore

/// A TCP proxy in front of a server, which misbehaves on purpose.
///
/// It listens on a port of 127.0.0.1 and passes bytes on, until a fault of a connection is due.
public final class FaultProxy: Sendable {
    /// What goes wrong with a connection.
    public struct Fault: Sendable {
        /// What happens.
        public enum Kind: Sendable {
            /// Nothing more is passed on, while TCP stays open: the peer of a frozen host sees this.
            case silence
            /// Both sides are closed.
            case cut
        }

        /// What happens once `bytes` of the server's answers have been passed on.
        public let kind: Kind
        /// How many bytes of the server's answers are still passed on when the fault is due.
        public let bytes: Int
        /// What the client must send for the fault to become due; nil if it is due at once.
        public let trigger: String?
        /// Whether a fault that is due holds back what the client sends, from the trigger on.
        public let holdsRequests: Bool

        /// Describes a fault.
        public init(
            _ kind: Kind, afterBytes bytes: Int = 0, onRequest trigger: String? = nil,
            holdsRequests: Bool = true
        ) {
            self.kind = kind
            self.bytes = bytes
            self.trigger = trigger
            self.holdsRequests = holdsRequests
        }
    }

    private struct State: Sendable {
        var links: [Link] = []
        var fault: Fault?
    }

    /// The port of 127.0.0.1 on which it listens.
    public let port: Int
    private let listener: Int32
    private let state = Monitor(State())

    /// Starts a proxy in front of a server.
    ///
    /// - Parameters:
    ///   - host: The IPv4 address of the server, or the directory of its socket.
    ///   - upstream: The server's port.
    /// - Throws: What the system says if it gives no socket.
    public init(host: String, port upstream: Int) throws {
        let listener = socket(AF_INET, streamType, 0)
        self.listener = listener
        var address = SocketAddress.internet("127.0.0.1", 0)
        guard listener >= 0, address.withPointer({ bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0
        else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        port = address.boundPort(of: listener)
        let state = state
        Thread.detachNewThread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                let server = SocketAddress.connect(host, upstream)
                let link = Link(client: client, server: server)
                let fault = state.withLock { state in
                    state.links.append(link)
                    return state.fault
                }
                if let fault { link.arm(fault) }
                link.start()
            }
        }
    }

    /// How many connections have been made through the proxy.
    public var connectionCount: Int { state.withLock(\.links.count) }

    /// Whether a connection has met its fault.
    public var isFaultDue: Bool { state.withLock(\.links).contains(where: \.isFaultDue) }

    /// Gives the connections that come from now on a fault, or none.
    public func setFaultOfNewConnections(_ fault: Fault?) { state.withLock { $0.fault = fault } }

    /// Gives the connections that are open a fault.
    public func setFaultOfOpenConnections(_ fault: Fault) {
        for link in state.withLock(\.links) { link.arm(fault) }
    }

    /// Closes the connections that are open.
    public func closeConnections() {
        for link in state.withLock(\.links) { link.close() }
    }

    /// Closes everything.
    public func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        closeConnections()
    }
}

/// One connection through the proxy: a thread for each direction.
private final class Link: Sendable {
    private struct State: Sendable {
        var fault: FaultProxy.Fault?
        var isDue = false
        var bytesLeft = 0
        var isClosed = false
        var openPumps = 2
    }

    private let client: Int32
    private let server: Int32
    private let state = Monitor(State())

    init(client: Int32, server: Int32) {
        self.client = client
        self.server = server
    }

    var isFaultDue: Bool { state.withLock(\.isDue) }

    func arm(_ fault: FaultProxy.Fault) {
        state.withLock { state in
            state.fault = fault
            state.isDue = fault.trigger == nil
            state.bytesLeft = fault.bytes
        }
    }

    func start() {
        Thread.detachNewThread { [self] in pump(from: client, to: server, passRequest) }
        Thread.detachNewThread { [self] in pump(from: server, to: client, passAnswer) }
    }

    func close() {
        let wasOpen = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard wasOpen else { return }
        // Wakes the threads that read from them; the last of them closes the descriptors.
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
    }

    private func pump(from source: Int32, to target: Int32, _ pass: (ArraySlice<UInt8>, Int32) -> Bool) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0, pass(buffer[..<count], target) else { break }
        }
        close()
        if state.withLock({ state in
            state.openPumps -= 1
            return state.openPumps == 0
        }) {
            _ = Foundation.close(client)
            _ = Foundation.close(server)
        }
    }

    private func passRequest(_ bytes: ArraySlice<UInt8>, to server: Int32) -> Bool {
        let isHeld = state.withLock { state in
            if let trigger = state.fault?.trigger, bytes.firstRange(of: Array(trigger.utf8)) != nil {
                state.isDue = true
            }
            return state.isDue && state.fault?.holdsRequests == true
        }
        guard isHeld else { return send(bytes, to: server) }
        return fail()
    }

    private func passAnswer(_ bytes: ArraySlice<UInt8>, to client: Int32) -> Bool {
        let count = state.withLock { state in
            guard state.isDue else { return bytes.count }
            let count = min(bytes.count, state.bytesLeft)
            state.bytesLeft -= count
            return count
        }
        guard send(bytes.prefix(count), to: client) else { return false }
        return count == bytes.count ? true : fail()
    }

    /// Does what the fault says: holds everything until the connection is closed, or closes it.
    private func fail() -> Bool {
        if state.withLock(\.fault)?.kind == .silence { state.wait { $0.isClosed ? () : nil } }
        return false
    }

    private func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, sendFlags) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

#if canImport(Glibc)
    private let streamType = Int32(SOCK_STREAM.rawValue)
    /// A peer that is gone is an error, not a signal.
    private let sendFlags = Int32(MSG_NOSIGNAL)
#else
    private let streamType = SOCK_STREAM
    private let sendFlags: Int32 = 0
#endif

private struct SocketAddress {
    private var storage = sockaddr_storage()
    private var length = socklen_t(0)

    static func internet(_ host: String, _ port: Int) -> SocketAddress {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr(host)
        address.sin_port = UInt16(port).bigEndian
        return SocketAddress(address)
    }

    static func local(_ path: String) -> SocketAddress {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return SocketAddress(address)
    }

    /// A connected socket, or -1.
    static func connect(_ host: String, _ port: Int) -> Int32 {
        let isLocal = host.hasPrefix("/")
        let socket = Foundation.socket(isLocal ? AF_UNIX : AF_INET, streamType, 0)
        var address = isLocal ? local("\(host)/.s.PGSQL.\(port)") : internet(host, port)
        guard address.withPointer({ Foundation.connect(socket, $0, $1) }) == 0 else {
            close(socket)
            return -1
        }
        return socket
    }

    private init(_ address: some Any) {
        withUnsafeBytes(of: address) { bytes in
            withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: bytes) }
            length = socklen_t(bytes.count)
        }
    }

    mutating func withPointer(_ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        let length = length
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// The port to which a listening socket was bound.
    mutating func boundPort(of socket: Int32) -> Int {
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = withPointer { pointer, _ in getsockname(socket, pointer, &length) }
        let port = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in.self).sin_port }
        return Int(UInt16(bigEndian: port))
    }
}
