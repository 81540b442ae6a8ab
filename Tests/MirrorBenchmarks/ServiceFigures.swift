import Foundation
import SwitchyardCore
import SwitchyardMirror

/// A process of `switchyard-mirror serve`.
final class ServingProcess {
    private let process = Process()
    let url: URL

    init(_ program: String, store: String, tls: [String]) throws {
        process.executableURL = URL(filePath: program)
        process.arguments = ["serve", "--port", "0", "--requests-per-minute", "1000000"] + tls
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SWITCHYARD_") }
        environment["SWITCHYARD_STORE_URL"] = store
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // `Listening at https://127.0.0.1:PORT`
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = line.split(separator: ":").last.flatMap({ Int($0.filter(\.isNumber)) }),
            let url = URL(string: tls.isEmpty ? "http://127.0.0.1:\(port)" : "https://localhost:\(port)")
        else { throw StoreError(.backend, "\(program) does not listen: \(line)") }
        self.url = url
    }

    /// Its resident memory, in MiB.
    var memory: Double { Usage.memory(of: "\(process.processIdentifier)").now }

    deinit { process.terminate() }
}

extension MirrorBenchmarks {
    /// The way over a service beside the direct one to the same server: an exchange of 100 mutations, a first sync, and the way from
    /// a commit on one device to its sight on another.
    func measureService(_ place: Workplace) async throws {
        let (direct, served) = (StoreScope(UUIDv7.next()), StoreScope(UUIDv7.next()))
        let server = try await place.server(direct)
        try await server.setMirrorRole(.server)
        let tls = certificate.map { ["--certificate", $0, "--key", key ?? ""] } ?? []
        let serving = try ServingProcess(program, store: place.serverURL, tls: tls)
        func join(_ name: String, _ role: HouseholdRole) async throws -> any Store {
            let device = try await place.device(name)
            let token = try await server.write(WriteOptions(scope: served)) { tx in
                let records = HouseholdRecords(tx, now: StoreRemote.systemTime())
                let (id, secret) = try records.invite(InvitationTerms(role: role), by: nil)
                return MirrorToken(.invitation, scope: served, id: id, secret: secret)
            }
            _ = try await device.join(
                HouseholdLink(service: serving.url, token: token), as: name, device: name)
            return device
        }

        let own = try await place.device("direct")
        let sessions = [
            ("direct", own, MirrorSession(own, remote: try place.remote(direct), name: nil)),
            try await {
                let device = try await join("served", .owner)
                let remote = try await MirrorServer.joined.remote(device)
                return ("served", device, MirrorSession(device, remote: remote, name: nil))
            }(),
        ]
        var times: [String: [Double]] = [:]
        for round in 0..<40 {
            for (name, device, session) in sessions {
                for number in 0..<100 {
                    let row = Workplace.row(round * 100 + number)
                    _ = try await device.write { try $0.insertRows(into: "Feed", [row]) }
                }
                let time = try await timed { try await session.exchange() }
                // The first one connects.
                if round > 0 { times[name, default: []].append(time * 1_000) }
            }
        }
        let medians = times.mapValues { $0.sorted()[$0.count / 2] }
        let (alone, over) = (medians["direct"] ?? 0, medians["served"] ?? 0)
        say(
            "exchange of 100 mutations",
            "median \(over.shown(1)) ms over the service, \(alone.shown(1)) ms directly: \((over / alone).shown()) ×"
        )

        for scope in [direct, served] {
            for start in stride(from: 0, to: rows, by: 50_000) {
                try await server.write(WriteOptions(scope: scope)) { tx in
                    let numbers = (start..<min(start + 50_000, rows)).lazy
                    try tx.insertRows(into: "Feed", numbers.map { Workplace.row($0 + 1_000_000) })
                }
            }
        }
        let (first, second) = (try await place.device("first"), try await join("second", .member))
        let remotes: [(any Store, any MirrorRemote)] = [
            (first, try place.remote(direct)), (second, try await MirrorServer.joined.remote(second)),
        ]
        var syncs: [Double] = []
        for (device, remote) in remotes {
            let session = MirrorSession(device, remote: remote, name: nil)
            syncs.append(try await timed { try await session.exchange() })
        }
        say(
            "first sync of \(rows) rows",
            "\(syncs[1].shown()) s over the service, \(syncs[0].shown()) s directly: \((syncs[1] / syncs[0]).shown()) ×"
        )

        let senders = try await MirroredStore.open(
            try await join("sender", .member), mirroring: .joined, device: "sender")
        let receivers = try await MirroredStore.open(
            try await join("receiver", .member), mirroring: .joined, device: "receiver")
        try await senders.exchange()
        try await receivers.exchange()
        try await measureLatency(
            "device, service, device", from: senders, to: receivers, rowsFrom: 10_000_000)
        try await senders.close()
        try await receivers.close()
        try await server.close()
    }
}
