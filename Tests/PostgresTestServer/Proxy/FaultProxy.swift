import Foundation
import SwitchyardCore

/// A TCP proxy in front of a server that misbehaves on purpose.
///
/// It listens on a port of 127.0.0.1 and passes bytes on until a connection's fault happens.
public final class FaultProxy: Sendable {
    /// What goes wrong with a connection, and when.
    public struct Fault: Sendable {
        /// What happens.
        public enum Kind: Sendable {
            /// Both sides are closed.
            case cut
            /// Nothing more is passed on while TCP stays open, as with a frozen host.
            case silence
            /// The server reads the end of the requests, and its answers still pass.
            case halfClose
            /// Nothing is passed on for a while; then as many bytes pass again, and both sides are closed.
            case stall(Duration)
        }

        /// When it happens.
        public enum Moment: Sendable {
            /// Once that many further bytes have passed, those of both directions together.
            case afterBytes(Int)
            /// When the client sends a request with this text, before the server sees it.
            case beforeRequest(String)
            /// When the server has carried out a request with this text and is in no transaction any more;
            /// its answer is withheld.
            case afterRequest(String)
        }

        /// What happens.
        public let kind: Kind
        /// When it happens.
        public let moment: Moment

        /// Describes a fault, which happens at once unless another moment is given.
        public init(_ kind: Kind, _ moment: Moment = .afterBytes(0)) {
            self.kind = kind
            self.moment = moment
        }
    }

    private struct State: Sendable {
        var connections: [ProxiedConnection] = []
        var connectionCount = 0
        var faultCount = 0
        var isStopped = false
        var newFault: @Sendable () -> Fault? = { nil }
        /// The fault of whichever connection sends the request first.
        var requestFault: Fault?
    }

    /// The port of 127.0.0.1 to connect to.
    public let port: Int
    private let host: String
    private let upstream: Int
    private let listener: Int32
    private let onFault: @Sendable (Fault) -> Void
    private let state = Monitor(State())

    /// Starts a proxy in front of a server.
    ///
    /// - Parameters:
    ///   - host: The IPv4 address of the server, or the directory of its socket.
    ///   - upstream: The server's port.
    ///   - onFault: Called on a thread of the proxy whenever a fault happens.
    /// - Throws: `POSIXError` if the system gives no socket.
    public init(
        host: String, port upstream: Int, onFault: @escaping @Sendable (Fault) -> Void = { _ in }
    ) throws {
        (listener, port) = try SocketAddress.listen()
        self.host = host
        self.upstream = upstream
        self.onFault = onFault
        Thread.detachNewThread { [self] in acceptAll() }
    }

    /// How many connections have been made through the proxy.
    public var connectionCount: Int { state.withLock(\.connectionCount) }

    /// How many faults have happened.
    public var faultCount: Int { state.withLock(\.faultCount) }

    /// Gives every connection that is made from now on the fault that `draw` returns for it.
    public func setFaultOfNewConnections(_ draw: @escaping @Sendable () -> Fault?) {
        state.withLock { $0.newFault = draw }
    }

    /// Gives the open connections a fault.
    public func setFaultOfOpenConnections(_ fault: Fault) {
        for connection in state.withLock(\.connections) { connection.arm(fault) }
    }

    /// Gives a fault to the one connection, open or new, that is the first to send the fault's request.
    public func setFaultOfNextRequest(_ fault: Fault) { state.withLock { $0.requestFault = fault } }

    /// Closes the open connections.
    public func closeConnections() {
        for connection in state.withLock(\.connections) { connection.close() }
    }

    /// Stops listening and closes the open connections.
    public func stop() {
        state.withLock { $0.isStopped = true }
        shutdown(listener, Int32(SHUT_RDWR))
        closeConnections()
    }

    private func acceptAll() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                break
            }
            let connection = ProxiedConnection(
                client: client, server: SocketAddress.connect(host, upstream), proxy: self)
            let isStopped = state.withLock { state in
                state.connections.append(connection)
                state.connectionCount += 1
                if let fault = state.newFault() { connection.arm(fault) }
                return state.isStopped
            }
            if isStopped { connection.close() }
            Thread.detachNewThread { connection.run() }
        }
        close(listener)
    }

    /// The fault that waits for this request, which no other connection gets any more.
    func takeFault(of request: ArraySlice<UInt8>) -> Fault? {
        state.withLock { state in
            guard let fault = state.requestFault, fault.isAbout(request) else { return nil }
            state.requestFault = nil
            return fault
        }
    }

    func faultHappened(_ fault: Fault) {
        state.withLock { $0.faultCount += 1 }
        onFault(fault)
    }

    func ended(_ connection: ProxiedConnection) {
        state.withLock { state in state.connections.removeAll { $0 === connection } }
    }
}

extension FaultProxy.Fault {
    /// Whether it waits for a request like this one.
    func isAbout(_ request: ArraySlice<UInt8>) -> Bool {
        switch moment {
        case .afterBytes: false
        case .beforeRequest(let text), .afterRequest(let text):
            request.firstRange(of: Array(text.utf8)) != nil
        }
    }
}
