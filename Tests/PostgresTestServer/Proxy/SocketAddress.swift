import Foundation

/// An address of a socket, and the calls that need one.
struct SocketAddress {
    private var storage = sockaddr_storage()
    private var length = socklen_t(0)

    /// Listens on a free port of 127.0.0.1.
    ///
    /// - Throws: `POSIXError`.
    static func listen() throws -> (socket: Int32, port: Int) {
        let socket = Foundation.socket(AF_INET, stream, 0)
        var address = internet("127.0.0.1", 0)
        guard socket >= 0, address.withPointer({ bind(socket, $0, $1) }) == 0,
            Foundation.listen(socket, 128) == 0
        else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return (socket, address.boundPort(of: socket))
    }

    /// A socket that is connected to a port of an IPv4 address, or to PostgreSQL's socket in a directory; -1 if
    /// nobody listens there.
    static func connect(_ host: String, _ port: Int) -> Int32 {
        let isLocal = host.hasPrefix("/")
        let socket = Foundation.socket(isLocal ? AF_UNIX : AF_INET, stream, 0)
        var address = isLocal ? local("\(host)/.s.PGSQL.\(port)") : internet(host, port)
        guard address.withPointer({ Foundation.connect(socket, $0, $1) }) == 0 else {
            close(socket)
            return -1
        }
        return socket
    }

    /// Sends all bytes; false if the peer is gone, which is no signal.
    static func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, noSignal) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #else
        private static let stream = SOCK_STREAM
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #endif

    private static func internet(_ host: String, _ port: Int) -> SocketAddress {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr(host)
        address.sin_port = UInt16(port).bigEndian
        return SocketAddress(address)
    }

    private static func local(_ path: String) -> SocketAddress {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return SocketAddress(address)
    }

    private init(_ address: some Any) {
        withUnsafeBytes(of: address) { bytes in
            withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: bytes) }
            length = socklen_t(bytes.count)
        }
    }

    private mutating func withPointer(_ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        let length = length
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    private mutating func boundPort(of socket: Int32) -> Int {
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = withPointer { pointer, _ in getsockname(socket, pointer, &length) }
        let port = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in.self).sin_port }
        return Int(UInt16(bigEndian: port))
    }
}
