import Foundation

/// One connection through a proxy, carried by a thread of its own.
struct ProxiedConnection: Sendable {
    let client: Int32
    let server: Int32
    let fault: WireFault
    let report: Report
    let isClosed: Latch

    /// Carries bytes in both directions until one side ends or the fault has happened.
    func run() {
        defer {
            close(client)
            close(server)
        }
        var fault = fault
        var left = fault.bytes
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while let source = nextReadable() {
            let target = source == client ? server : client
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { return }
            let chunk = buffer[..<count]
            if fault.isAboutCommit, source == client, chunk.contains(Self.commit) {
                if case .lateCommit(let milliseconds) = fault { usleep(UInt32(milliseconds) * 1_000) }
                guard Sockets.send(chunk, to: server) else { return }
                // Once it has answered, it has committed.
                _ = read(server, &buffer, buffer.count)
                report.count(fault.name)
                return
            }
            guard count > left else {
                if left != .max { left -= count }
                guard Sockets.send(chunk, to: target) else { return }
                continue
            }
            guard Sockets.send(chunk.prefix(left), to: target) else { return }
            report.count(fault.name)
            switch fault {
            case .cut, .swallowedCommit, .lateCommit: return
            case .silence:
                while !isClosed.isRaised { usleep(20_000) }
                return
            case .halfClose:
                _ = shutdown(server, Int32(SHUT_WR))
                left = .max
            case .stall(let bytes, let milliseconds):
                usleep(UInt32(milliseconds) * 1_000)
                guard Sockets.send(chunk.dropFirst(left), to: target) else { return }
                fault = .cut(after: bytes)
                left = bytes
            }
        }
    }

    private static let commit = Array("COMMIT".utf8)

    /// Waits for a side that has something to read, or has ended; nil once the proxy is closed.
    private func nextReadable() -> Int32? {
        while !isClosed.isRaised {
            var sides = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&sides, 2, 100) > 0 else { continue }
            if let ready = sides.first(where: { $0.revents != 0 }) { return ready.fd }
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    fileprivate func contains(_ word: [UInt8]) -> Bool {
        guard count >= word.count else { return false }
        return (startIndex...endIndex - word.count).contains { self[$0...].starts(with: word) }
    }
}
