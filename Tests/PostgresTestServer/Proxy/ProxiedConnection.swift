import Foundation
import SwitchyardCore

/// One connection through a proxy, served by one thread.
final class ProxiedConnection: Sendable {
    private struct State: Sendable {
        var fault: FaultProxy.Fault?
        var bytesLeft = 0
        var isClosed = false
        var isEnded = false
    }

    private let client: Int32
    private let server: Int32
    private let proxy: FaultProxy
    private let state = Monitor(State())

    /// Takes a connection that the proxy has accepted; `server` is -1 if the server does not answer.
    init(client: Int32, server: Int32, proxy: FaultProxy) {
        self.client = client
        self.server = server
        self.proxy = proxy
    }

    func arm(_ fault: FaultProxy.Fault) {
        state.withLock { state in
            state.fault = fault
            if case .afterBytes(let count) = fault.moment { state.bytesLeft = count }
        }
    }

    /// Ends the connection from another thread; the descriptors are closed by its own.
    func close() {
        state.withLock { state in
            state.isClosed = true
            guard !state.isEnded else { return }
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
        }
    }

    /// Passes bytes on until a side ends or the fault has happened.
    func run() {
        if server >= 0 { pass() }
        state.withLock { $0.isEnded = true }
        _ = Foundation.close(client)
        if server >= 0 { _ = Foundation.close(server) }
        proxy.ended(self)
    }

    private func pass() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while let source = nextReadable() {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { return }
            let bytes = buffer[..<count]
            let target = source == client ? server : client
            let (fault, passing) = next(bytes, isRequest: source == client)
            guard SocketAddress.send(bytes.prefix(passing), to: target) else { return }
            guard let fault else { continue }
            if case .afterRequest = fault.moment { swallowAnswer() }
            proxy.faultHappened(fault)
            guard goesOn(after: fault) else { return }
            guard SocketAddress.send(bytes.dropFirst(passing), to: target) else { return }
        }
    }

    /// Takes note of bytes: the fault that they make happen, and how many of them pass before.
    private func next(
        _ bytes: ArraySlice<UInt8>, isRequest: Bool
    ) -> (fault: FaultProxy.Fault?, passing: Int) {
        if isRequest, let fault = proxy.takeFault(of: bytes) { arm(fault) }
        return state.withLock { state in
            guard let fault = state.fault else { return (nil, bytes.count) }
            switch fault.moment {
            case .afterBytes:
                let passing = min(bytes.count, state.bytesLeft)
                state.bytesLeft -= passing
                return passing < bytes.count ? (fault, passing) : (nil, passing)
            case .beforeRequest: return isRequest && fault.isAbout(bytes) ? (fault, 0) : (nil, bytes.count)
            case .afterRequest: return (isRequest && fault.isAbout(bytes) ? fault : nil, bytes.count)
            }
        }
    }

    /// Does what the fault says; false if nothing passes afterwards.
    private func goesOn(after fault: FaultProxy.Fault) -> Bool {
        switch fault.kind {
        case .cut: return false
        case .silence:
            awaitEnd()
            return false
        case .halfClose:
            shutdown(server, Int32(SHUT_WR))
            state.withLock { $0.fault = nil }
        case .stall(let duration):
            // Only what closes the connection changes the state meanwhile.
            _ = state.wait(atMost: duration / .seconds(1)) { $0.isClosed ? () : nil }
            let bytes = if case .afterBytes(let count) = fault.moment { count } else { 0 }
            arm(FaultProxy.Fault(.cut, .afterBytes(bytes)))
        }
        return true
    }

    /// Reads the server's answer up to its word that it is ready and in no transaction.
    private func swallowAnswer() {
        let ready = Array("Z\0\0\0\u{5}I".utf8)
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while answer.firstRange(of: ready) == nil {
            let count = read(server, &buffer, buffer.count)
            guard count > 0 else { return }
            answer += buffer[..<count]
        }
    }

    /// Waits for a side that has something to read or has ended; nil if polling fails.
    private func nextReadable() -> Int32? {
        var sides = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            if poll(&sides, 2, -1) > 0 { return sides.first { $0.revents != 0 }?.fd }
            guard errno == EINTR else { return nil }
        }
    }

    /// Waits until the client is gone or the proxy closes the connection, without reading.
    private func awaitEnd() {
        #if canImport(Glibc)
            // POLLRDHUP, which the C library's headers show to GNU programs only.
            let hangup: Int16 = 0x2000
        #else
            let hangup: Int16 = 0
        #endif
        var side = pollfd(fd: client, events: hangup, revents: 0)
        while poll(&side, 1, -1) < 0, errno == EINTR {}
    }
}
