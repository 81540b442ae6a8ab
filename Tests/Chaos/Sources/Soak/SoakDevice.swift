import Foundation
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import SwitchyardMirror
import SwitchyardMirrorService
import Synchronization

/// A device of a soak: it opens its file, writes and exchanges for a while, and is gone again, whatever is under way.
final class SoakDevice: Sendable {
    let house: SoakHouse
    let role: HouseholdRole
    private let url: String
    private let name: String
    private let network: SoakNetwork
    private let report: Report
    /// What was removed here, and perhaps not yet on the server.
    private let removed = Mutex<[Int]>([])
    /// How many rows a household has, about.
    private static let mostRows = 60

    init(
        _ house: SoakHouse, _ role: HouseholdRole, name: String, file: String, over network: SoakNetwork,
        report: Report
    ) {
        (self.house, self.role, self.name, url) = (house, role, name, "sqlite:\(file)")
        (self.network, self.report) = (network, report)
    }

    func openLocal() async throws -> any Store { try await Backends.open(url, SoakSchema.self) }

    /// Joins the household, each time by another invitation, until that has succeeded or all is over.
    ///
    /// - Returns: Whether the device is in the household.
    func join(_ store: any Store, _ service: MirrorService, until isOver: Latch) async throws -> Bool {
        if try await store.hasJoinedHousehold() { return true }
        guard let address = URL(string: "https:" + "//mirror.example.org") else { return false }
        while !isOver.isRaised {
            do {
                let link = try await service.invite(
                    InvitationTerms(role: role), into: house.scope, service: address)
                _ = try await store.join(link, as: name, device: name, over: network)
                return true
            } catch let error as StoreError {
                refused(error, while: "joining", but: [])
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        return false
    }

    /// Exchanges.
    ///
    /// - Returns: False if the membership has ended.
    func exchange(_ store: MirroredStore) async throws -> Bool {
        do {
            try await store.exchange()
            let sent = removed.withLock { removed in
                defer { removed = [] }
                return removed
            }
            house.note(sent, .gone)
            return true
        } catch let error as StoreError {
            refused(error, while: "exchanging", but: [.revoked])
            return error.code != .revoked
        }
    }

    /// One life of the device, which ends early when all is over.
    func live(
        _ service: MirrorService, until isOver: Latch, _ generator: inout SeededGenerator
    ) async throws {
        let local = try await openLocal()
        guard try await join(local, service, until: isOver) else { return try await local.close() }
        let store = try await MirroredStore.open(local, mirroring: .joined(over: network))
        var isMember = true
        for _ in 0..<Int.random(in: 3...30, using: &generator) where isMember && !isOver.isRaised {
            do { try await write(to: store, &generator) } catch let error as StoreError {
                refused(error, while: "writing", but: [.busy])
            }
            if Int.random(in: 0..<3, using: &generator) == 0 {
                isMember = try await exchange(store)
                if !isMember { report.count("memberships ended") }
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...300, using: &generator)))
        }
        // A process ends at any moment, also while it exchanges.
        if Bool.random(using: &generator) {
            async let unfinished = try? store.exchange()
            await store.end()
            _ = await unfinished
        }
        for rejected in try await local.rejectedWrites() {
            switch rejected.reason {
            case .role where role == .reader: report.count("writes rejected")
            case .membership:
                // They were not sent, or their answer was lost.
                report.count("writes that a revocation has stopped")
                house.note(Self.numbers(rejected), .unknown)
                removed.withLock { $0 = [] }
            default: report.violation("\(name): a write was rejected: \(rejected.reason)")
            }
            try await decide { try await local.discard(rejected) }
        }
        for conflict in try await local.mirrorConflicts() {
            try await decide { try await local.dismiss(conflict) }
        }
        try await store.close()
        report.count("lives")
    }

    /// Decides on what the mirror has logged, unless it has removed that meanwhile, as it does when the membership ends.
    private func decide(_ body: () async throws -> Void) async throws {
        do { try await body() } catch let error as StoreError where error.code == .notFound {
            report.count("decisions that came too late")
        }
    }

    private func write(to store: any Store, _ generator: inout SeededGenerator) async throws {
        let added = (0..<Int.random(in: 1...3, using: &generator)).map { _ in house.newNumber() }
        // A reader's never reach the server.
        house.note(added, role.mayWrite ? .unknown : .gone)
        let (seed, number) = (generator.next(), house.number)
        let gone = try await store.write { tx -> [Int] in
            var generator = SeededGenerator(seed: seed)
            let all = try tx.fetch(Spoon.sorted(by: \.number))
            for new in added { try tx.insert(Spoon(number: new, house: number)) }
            if var some = all.randomElement(using: &generator) {
                some.count += 1
                try tx.update(some)
            }
            let surplus = all.prefix(max(0, all.count - Self.mostRows))
            for spoon in surplus { try tx.delete(spoon.id) }
            return surplus.map(\.number)
        }
        report.count("writes")
        guard role.mayWrite else { return }
        house.note(added, .there)
        house.note(gone, .unknown)
        removed.withLock { $0 += gone }
    }

    private static func numbers(_ rejected: RejectedWrite) -> [Int] {
        rejected.changes.compactMap { change in
            if case .int(let number)? = change.values["number"] { Int(number) } else { nil }
        }
    }

    /// Notes an error that a fault explains; any other is a violation.
    private func refused(_ error: StoreError, while what: String, but allowed: Set<StoreError.Code>) {
        report.count("errors \(error.code)")
        let usual: Set<StoreError.Code> = [
            .connectionLost, .corrupted, .busy, .outOfService, .serialization, .timedOut, .outcomeUnknown,
        ]
        if !usual.union(allowed).contains(error.code) {
            report.violation("\(name): \(what) failed with \(error.debugDescription)")
        }
    }
}
