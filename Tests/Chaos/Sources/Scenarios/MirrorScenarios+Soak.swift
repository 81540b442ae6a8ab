import Foundation
import PostgresTestServer
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import SwitchyardMirror
import SwitchyardMirrorService

extension MirrorScenarios {
    /// Households of a service for a long time, with all faults at once: nothing is lost, seen by others, or grows.
    static let soak = Scenario(
        name: "mirror-soak",
        summary: "20 devices of 5 households use a service for a long time, with faults of every kind",
        usualCount: 1
    ) { trial in
        guard let command = PostgresServer.restartCommand else {
            throw MissingPart(description: "it needs a server that Tests/run has started.")
        }
        try await onDurableServer(trial) { url, generator in
            try await PostgresServer.withSchemaName { schema in
                try await Scratch.with { scratch in
                    let soak = try await Soak(
                        "\(url)&schema=\(schema)", in: scratch, seed: generator.next(), report: trial.report)
                    let result: Result<Void, any Error>
                    do {
                        var rounds = 0
                        while trial.effort.goesOn(after: rounds) {
                            try await soak.live(seed: generator.next(), restartingBy: command)
                            try await soak.settle()
                            rounds += 1
                        }
                        result = .success(soak.requireNoGrowth())
                    } catch { result = .failure(error) }
                    await soak.close()
                    try result.get()
                }
            }
        }
        trial.report.require("writes")
        trial.report.require("memberships ended")
        trial.report.require("servers killed")
    }
}

/// Two instances of a service with the devices that use it.
private final class Soak {
    private let stores: [any Store]
    private let services: [MirrorService]
    private let network: SoakNetwork
    private let houses: [SoakHouse]
    private let devices: [SoakDevice]
    private let report: Report
    private var samples: [Sample] = []

    /// What is in use while nothing happens and no device's file is open.
    private struct Sample {
        var memory = 0
        var descriptors = 0
        /// The records that the server and the devices keep beside the rows and their history.
        var serverRecords = 0
        var deviceRecords = 0
        var writes = 0
    }

    init(_ url: String, in scratch: Scratch, seed: UInt64, report: Report) async throws {
        self.report = report
        var stores: [any Store] = []
        var services: [MirrorService] = []
        for _ in 0..<2 {
            let store = try await Backends.open(url, SoakSchema.self, keepsHistory: true, scope: .unused)
            stores.append(store)
            services.append(try await MirrorService.serving(store, requestsPerMinute: 1_000_000))
        }
        let network = SoakNetwork(services, seed: seed, report: report)
        houses = (1...5).map { SoakHouse($0) }
        devices = houses.flatMap { house in
            [HouseholdRole.owner, .member, .member, .reader].enumerated().map { number, role in
                let name = "device-\(house.number)-\(number)"
                return SoakDevice(
                    house, role, name: name, file: scratch.file(name + ".sqlite"), over: network,
                    report: report)
            }
        }
        (self.stores, self.services, self.network) = (stores, services, network)
    }

    /// Lets all devices live for a while.
    func live(seed: UInt64, restartingBy command: String) async throws {
        network.isFaulty = true
        let (isOver, services, houses, report) = (Latch(), services, houses, report)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, device) in devices.enumerated() {
                group.addTask {
                    var generator = SeededGenerator(seed: seed &+ UInt64(number))
                    while !isOver.isRaised {
                        try await device.live(
                            services[number % services.count], until: isOver, &generator)
                    }
                }
            }
            group.addTask {
                defer { isOver.raise() }
                var generator = SeededGenerator(seed: seed &- 1)
                for _ in 0..<2 {
                    try await Task.sleep(for: .seconds(5))
                    try await Self.revoke(
                        houses.randomElement(using: &generator), services[0], &generator)
                }
                try await ServerScenarios.restart(command)
                report.count("servers killed")
                try await Task.sleep(for: .seconds(5))
            }
            try await group.waitForAll()
        }
    }

    /// Ends the membership of somebody who is no owner.
    private static func revoke(
        _ house: SoakHouse?, _ service: MirrorService, _ generator: inout SeededGenerator
    ) async throws {
        guard let house else { return }
        do {
            let members = try await service.household(house.scope).members.filter { $0.role != .owner }
            guard let member = members.randomElement(using: &generator) else { return }
            try await service.revoke(member: member.id, of: house.scope)
        } catch let error as StoreError where error.isRetryable || error.code == .connectionLost {}
    }

    /// Exchanges on all devices without faults, and compares them with the server and with what they have written.
    func settle() async throws {
        network.isFaulty = false
        var sample = Sample()
        var open: [MirroredStore] = []
        for device in devices {
            let local = try await device.openLocal()
            var store: MirroredStore?
            while store == nil {
                guard try await device.join(local, services[0], until: Latch()) else { break }
                let mirrored = try await MirroredStore.open(local, mirroring: .joined(over: network))
                if try await device.exchange(mirrored) { store = mirrored } else { await mirrored.end() }
            }
            if let store { open.append(store) }
        }
        for (device, store) in zip(devices, open) where try await !device.exchange(store) {
            report.violation("the membership of a device has ended, and nobody has ended it")
        }
        for (device, store) in zip(devices, open) {
            let rows = try await store.read { try $0.fetch(Spoon.sorted(by: \.number)) }
            let server = try await stores[1].read(ReadOptions(scopes: [device.house.scope])) {
                try $0.fetch(Spoon.sorted(by: \.number))
            }
            if rows != server { report.violation("\(store.info.location) differs from the server") }
            if device.role == .owner {
                for fault in device.house.faults(server) { report.violation(fault) }
            }
            let comparison = try await store.compare()
            if !comparison.allSatisfy(\.isEqual) { report.violation("\(store.info.location): parts differ") }
            if store.status.pending > 0 { report.violation("\(store.info.location) has pending writes") }
            sample.deviceRecords += try await Self.records(store, nil)
            report.count("rows compared", rows.count)
        }
        for store in [stores[0]] + open {
            for fault in try await store.check() { report.violation("check: \(fault)") }
        }
        for house in houses { sample.serverRecords += try await Self.records(stores[0], house.scope) }
        sample.writes = report.count(of: "writes")
        for store in open { try await store.close() }
        // An open file has as many connections as were needed at once, each with the pages that it has read: that is no growth.
        sample.memory = try Self.memory()
        sample.descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        samples.append(sample)
        report.count("quiets")
        report.figure(
            "after \(sample.writes) writes: \(sample.memory / 1_024) MiB, \(sample.descriptors) descriptors, "
                + "\(sample.serverRecords) records on the server, \(sample.deviceRecords) on the devices")
    }

    /// Compares the second half of the quiet moments with the first.
    func requireNoGrowth() {
        guard samples.count >= 4 else { return }
        let (early, late) = (samples.prefix(samples.count / 2), samples.suffix(samples.count / 2))
        func peak(_ samples: ArraySlice<Sample>, _ value: (Sample) -> Int) -> Int {
            samples.map(value).max() ?? 0
        }
        // What an allocator keeps for later is no growth; a leak of a kilobyte for each write would be.
        let (before, after) = (peak(early, \.memory), peak(late, \.memory))
        if after > before * 11 / 10 + 8_192 {
            report.violation("memory grows from \(before) to \(after) KiB")
        }
        let descriptors = (peak(early, \.descriptors), peak(late, \.descriptors))
        if descriptors.1 > descriptors.0 + 4 { report.violation("descriptors grow: \(descriptors)") }
        guard let last = samples.last else { return }
        // A verdict is kept for each write for as long as the history; a device keeps its places and what it has received.
        if last.serverRecords > last.writes + 2_000 {
            report.violation("the server keeps \(last.serverRecords) records of \(last.writes) writes")
        }
        if last.deviceRecords > devices.count * 15_000 {
            report.violation("the devices keep \(last.deviceRecords) records")
        }
    }

    func close() async {
        for service in services { await service.close() }
        // The processes of the server end with the scenario at the latest.
        for store in stores { _ = try? await store.close() }
    }

    private static func records(_ store: any Store, _ scope: StoreScope?) async throws -> Int {
        try await store.read(ReadOptions(scopes: scope.map { [$0] })) { tx in
            try tx.driver.count(of: .mirrorRecord, where: .constant(true))
        }
    }

    /// The resident memory of this process, in KiB.
    private static func memory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    }
}
