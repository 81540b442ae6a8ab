import ArgumentParser
import Foundation
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import SwitchyardMirror

/// `Chaos mirror`: a process that writes to a mirrored store until it is killed or told to end.
struct Mirroring: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror", abstract: "Writes to a mirrored store.", shouldDisplay: false)

    @Option var store: String
    /// The server; the store is opened alone without one, as a widget does.
    @Option var server: String?
    /// The scope of the server's store.
    @Option(transform: { StoreScope($0) }) var scope: StoreScope?
    @Option var journal: String
    @Option var worker: Int
    @Option var seed: UInt64
    /// The longest pause between two writes, in milliseconds.
    @Option var pause = 20
    /// One of how many writes is followed by an exchange that is waited for.
    @Option var exchanges = 10
    /// The file whose existence ends the work.
    @Option var end: String

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        _ = Self.parent
        let work = KitchenWork(worker: worker, journal: try Journal(path: journal))
        guard
            let local = await work.opened(
                { try await Backends.open(store, KitchenSchema.self) }, until: isOver)
        else { return }
        guard let server else { return try await use(local, of: local, work) }
        let place = try Household.place(server)
        let opened = await work.opened(
            {
                try await MirroredStore.open(
                    local, mirroring: .direct(place, scope: scope), device: "device \(worker)")
            }, until: isOver)
        guard let mirrored = opened else { return try await local.close() }
        try await use(mirrored, of: local, work)
    }

    private static let parent = getppid()

    /// A process whose scenario has ended in another way has nothing left to do either.
    private func isOver() -> Bool { access(end, F_OK) == 0 || getppid() != Self.parent }

    private func use(_ store: any Store, of local: any Store, _ work: KitchenWork) async throws {
        var generator = SeededGenerator(seed: seed)
        var isMirrored = false
        var number = 0
        while number < 2 || !isOver() {
            if !isMirrored { isMirrored = (try? await local.marker())?.mirror != nil }
            await work.write(number, to: store, isMirrored: isMirrored, seed: generator.next())
            if let mirrored = store as? MirroredStore, Int.random(in: 0..<exchanges, using: &generator) == 0 {
                await work.exchange(mirrored)
            }
            if Int.random(in: 0..<8, using: &generator) == 0 { await work.look(at: store) }
            number += 1
            let pause = Int.random(in: 0...self.pause, using: &generator)
            try await Task.sleep(for: .milliseconds(pause))
        }
        try await store.close()
    }
}

/// What a process does with a mirrored store, each write noted before and after.
struct KitchenWork: Sendable {
    let worker: Int
    let journal: Journal

    /// Opens a store; one that is locked is waited for.
    func opened<Opened>(
        _ open: () async throws -> Opened, until isOver: () -> Bool
    ) async -> Opened? {
        repeat {
            do {
                return try await open()
            } catch {
                note(error, while: "opening", unless: Self.scarcity)
                try? await Task.sleep(for: .milliseconds(20))
            }
        } while !isOver()
        return nil
    }

    func write(_ number: Int, to store: any Store, isMirrored: Bool, seed: UInt64) async {
        do {
            let options = WriteOptions(author: Deed.author(worker, number))
            try await store.write(options) { [worker, journal] tx in
                var draft = try DeedDraft(
                    tx, worker: worker, number: number, isMirrored: isMirrored, seed: seed)
                try draft.carryOut()
                try journal.deed(number, draft.deed)
            }
            journal.end(number, .done)
        } catch {
            journal.end(number, .failed, (error as? StoreError)?.code.description ?? "untyped")
            note(error, while: "writing", unless: Self.scarcity)
        }
    }

    func exchange(_ store: MirroredStore) async {
        do {
            try await store.exchange()
        } catch {
            note(error, while: "exchanging", unless: Self.scarcity.union(Self.interruptions))
        }
    }

    /// Reads once, and notes if the snapshot is torn.
    func look(at store: any Store) async {
        do {
            for fault in try await store.read({ try $0.kitchenFaults() }) {
                journal.violation("one snapshot: \(fault)")
            }
        } catch {
            note(error, while: "reading", unless: Self.scarcity)
        }
    }

    /// What is no fault of a store on a disk that is full, or beside other processes.
    private static let scarcity: Set<StoreError.Code> = [.busy, .full, .inputOutput]
    /// What is no fault of an exchange with a server that comes and goes.
    private static let interruptions: Set<StoreError.Code> = [
        .connectionLost, .timedOut, .outcomeUnknown, .serialization,
    ]

    private func note(_ error: any Error, while what: String, unless allowed: Set<StoreError.Code>) {
        guard let error = error as? StoreError else {
            return journal.violation("\(what) threw what is no StoreError: \(String(reflecting: error))")
        }
        journal.refusal(error.code)
        if !allowed.contains(error.code) {
            journal.violation("\(what) failed with \(error.debugDescription)")
        }
    }
}
