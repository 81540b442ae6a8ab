import Foundation

/// System calls on sockets, with the types that Swift wants.
enum Sockets {
    #if canImport(Darwin)
        static let stream = SOCK_STREAM
    #else
        static let stream = Int32(SOCK_STREAM.rawValue)
    #endif

    static func withAddress<Address, Result>(
        _ address: inout Address, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
        }
    }

    /// Connects to a socket in the file system; nil if nobody listens there.
    static func connect(toPath path: String) -> Int32? {
        let descriptor = socket(AF_UNIX, stream, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard descriptor >= 0, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        guard withAddress(&address, { Foundation.connect(descriptor, $0, length) }) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Sends all bytes; false if the peer is gone.
    static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if sent > 0 { rest = rest.dropFirst(sent) } else if errno != EINTR { return false }
        }
        return true
    }
}
