import Foundation
import SwitchyardCore
import SwitchyardMirror
import Synchronization

extension MirrorBenchmarks {
    /// Many devices of as many households that wait for news of one service: its memory, how soon news reaches them, also of
    /// another service's commits, and how long one look at all their heads takes.
    func measureIdle(_ place: Workplace) async throws {
        let scopes = (0..<devices).map { _ in StoreScope(UUIDv7.next()) }
        let server = try await place.server(scopes[0])
        try await server.setMirrorRole(.server)
        func admit(_ role: HouseholdRole, into scope: StoreScope) async throws -> MirrorToken {
            try await server.write(WriteOptions(scope: scope)) { tx in
                let records = HouseholdRecords(tx, now: StoreRemote.systemTime())
                let (id, secret) = try records.invite(InvitationTerms(role: role), by: nil)
                let arrival = HouseholdRecords.Arrival(
                    device: UUID(), secret: MirrorToken.newSecret(), deviceName: nil, name: "idle")
                _ = try records.accept(
                    MirrorToken(.invitation, scope: scope, id: id, secret: secret), arrival)
                return MirrorToken(.device, scope: scope, id: arrival.device, secret: arrival.secret)
            }
        }
        var tokens: [MirrorToken] = []
        for scope in scopes { tokens.append(try await admit(.owner, into: scope)) }

        let serving = try ServingProcess(program, store: place.serverURL, tls: [])
        let before = serving.memory
        let (answers, answer) = AsyncStream.makeStream(of: WaitingDevices.Answer.self)
        let waiting = try WaitingDevices(tokens, of: serving.url) { answer.yield($0) }
        defer { waiting.end() }
        // Each has been answered once, and waits now.
        var heads = [Int64](repeating: -1, count: devices)
        for await answer in answers.prefix(devices) { heads[answer.device] = answer.head }

        let set = Set(scopes)
        var looks: [Double] = []
        for _ in 0..<20 {
            looks.append(
                try await timed {
                    let found = try await server.read { try $0.driver.maintenance.heads(of: set).count }
                    guard found == devices else { throw StoreError(.corrupted, "Heads are missing.") }
                })
        }
        say("heads of \(devices) scopes", "median \((looks.sorted()[10] * 1_000).shown(1)) ms a look")

        func news(_ way: String, _ commit: (Int) async throws -> Void) async throws {
            var times: [Double] = []
            for number in 0..<50 {
                let device = number * devices / 50
                times.append(
                    try await timed {
                        try await commit(device)
                        for await answer in answers where answer.head > heads[answer.device] {
                            heads[answer.device] = answer.head
                            if answer.device == device { break }
                        }
                    })
            }
            times.sort()
            say(way, "median \((times[25] * 1_000).shown(1)) ms, longest \((times[49] * 1_000).shown(1)) ms")
        }
        /// Devices of fifty households that have each written a row, to be sent to a service.
        func writers(_ name: String, _ row: Int, _ service: URL) async throws -> [MirrorSession] {
            var sessions: [MirrorSession] = []
            for number in 0..<50 {
                let device = try await place.device("\(name)\(number)")
                let scope = scopes[number * devices / 50]
                let token = try await server.write(WriteOptions(scope: scope)) { tx in
                    let records = HouseholdRecords(tx, now: StoreRemote.systemTime())
                    let (id, secret) = try records.invite(InvitationTerms(role: .member), by: nil)
                    return MirrorToken(.invitation, scope: scope, id: id, secret: secret)
                }
                _ = try await device.join(
                    HouseholdLink(service: service, token: token), as: name, device: name)
                let session = MirrorSession(
                    device, remote: try await MirrorServer.joined.remote(device), name: nil)
                try await session.exchange()
                _ = try await device.write { try $0.insertRows(into: "Feed", [Workplace.row(row)]) }
                sessions.append(session)
            }
            return sessions
        }
        let near = try await writers("near", 1, serving.url)
        try await news("head after an exchange with the service") {
            try await near[$0 * 50 / devices].exchange()
        }
        let second = try ServingProcess(program, store: place.serverURL, tls: [])
        let far = try await writers("far", 3, second.url)
        try await news("head after an exchange with another service") {
            try await far[$0 * 50 / devices].exchange()
        }
        try await news("head after a commit elsewhere") { device in
            _ = try await server.write(WriteOptions(scope: scopes[device])) {
                try $0.insertRows(into: "Feed", [Workplace.row(2)])
            }
        }
        say(
            "\(devices) devices that wait",
            "the service has \(serving.memory.shown(0)) MiB, \(before.shown(0)) MiB without them")
        try await server.close()
    }
}

/// Devices that wait for news over HTTP, each with a connection of its own.
private final class WaitingDevices: Sendable {
    struct Answer: Sendable {
        let device: Int
        let head: Int64
    }

    private let sockets: [Int32]
    private let isOver = Atomic(false)

    /// Connects, asks for each device's head once, and then waits for others again and again.
    init(_ tokens: [MirrorToken], of url: URL, _ body: @escaping @Sendable (Answer) -> Void) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(url.port ?? 80).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        sockets = try tokens.map { _ in
            let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard socket >= 0, result == 0 else {
                throw StoreError(
                    .connectionLost, "Not all devices can connect; raise the limit of open files.")
            }
            return socket
        }
        let texts = tokens.map(\.text)
        Thread.detachNewThread { [self] in wait(texts, body) }
    }

    func end() { isOver.store(true, ordering: .relaxed) }

    private func wait(_ tokens: [String], _ body: (Answer) -> Void) {
        func ask(_ device: Int, after head: Int64) {
            let request =
                "GET /v1/head?after=\(head)&wait=50 HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer \(tokens[device])\r\n\r\n"
            _ = request.withCString { send(sockets[device], $0, strlen($0), Int32(MSG_NOSIGNAL)) }
        }
        for device in sockets.indices { ask(device, after: -1) }
        var polls = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while !isOver.load(ordering: .relaxed) {
            guard poll(&polls, nfds_t(polls.count), 100) > 0 else { continue }
            for device in polls.indices where polls[device].revents != 0 {
                let count = recv(sockets[device], &buffer, buffer.count, 0)
                // An answer is one small packet: `{"sequence":7}` after its headers.
                let text = String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
                guard let digits = text.firstMatch(of: /"sequence":(-?[0-9]+)/)?.output.1,
                    let head = Int64(digits)
                else {
                    print("device \(device) was answered \(text.prefix(200))")
                    polls[device].fd = -1
                    continue
                }
                body(Answer(device: device, head: head))
                ask(device, after: head)
            }
        }
        for socket in sockets { close(socket) }
    }
}
