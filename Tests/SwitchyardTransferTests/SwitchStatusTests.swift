import Foundation
import GRDB
import SwitchyardCore
import SwitchyardTransfer
import TestBackends
import Testing

@Suite("The state of a switch")
struct SwitchStatusTests {
    @Test("a switch's status reports each phase, and what is left to copy")
    func phases() async throws {
        let schema = try Notes.schema.get()
        try await TestBackend.sqlite.withPlace(of: schema) { old in
            try await TestBackend.sqlite.withPlace(of: schema) { new in
                let change = StoreSwitch(from: old, to: new)
                try await old.with { try await Notes.add((0..<1_500).map { "N\($0)" }, to: $0) }
                #expect(try await change.status().phase == nil)
                var phases: [SwitchPhase?] = []
                for step in [SwitchPhase.copying, .indexing, .verifying, .fencing, .fenced] {
                    try await change.stop(at: step)
                    let status = try await change.status()
                    phases.append(status.phase)
                    #expect(status.isUnderWay)
                    #expect(status.target == new.location)
                    #expect(status.rows == (step == .copying ? 1_000 : 1_500))
                    if step == .verifying {
                        let lag = try #require(status.lag)
                        try await old.with { try await Notes.add(["late"], to: $0) }
                        #expect(try await change.status().lag == lag + 1)
                        try await old.with { store in
                            _ = try await store.write { tx in
                                try tx.deleteRows(
                                    of: "Note",
                                    where: .compare(.attribute("text"), .equal, .value(.text("late"))))
                            }
                        }
                    }
                }
                #expect(phases == [.copying, .indexing, .verifying, .verifying, .fenced])
                let early = await #expect(throws: StoreError.self) { try await change.retire() }
                #expect(early?.code == .invalidArgument)
                try await change.abort()
                #expect(try await change.status().phase == .aborted)
                _ = try await change.run()
                #expect(try await change.status().phase == .committed)
                #expect(try await StoreSwitch(from: new, to: old).status().phase == nil)
                try await change.retire()
                #expect(try await change.status().phase == .retired)
                #expect(try await old.markerThere().role == .retired)
                #expect(try await new.markerThere().role == .active)
            }
        }
    }

    @Test("a switch's status reports the takeover even before the clean-up")
    func untidied() async throws {
        let schema = try Notes.schema.get()
        try await TestBackend.sqlite.withPlace(of: schema) { old in
            try await TestBackend.sqlite.withPlace(of: schema) { new in
                let change = StoreSwitch(from: old, to: new)
                try await old.with { try await Notes.add(["one"], to: $0) }
                try await change.stop(at: .committed)
                #expect(try await change.status().phase == .committed)
                #expect(try await change.status().isUnderWay)
                #expect(try await change.run() == nil)
                #expect(try await change.status().phase == .committed)
                #expect(try await !change.status().isUnderWay)
            }
        }
    }

    @Test("a store with a fault is refused before a switch creates anything, and the fault is named")
    func preflight() async throws {
        let schema = try Notes.schema.get()
        try await TestBackend.sqlite.withPlace(of: schema) { old in
            try await TestBackend.sqlite.withPlace(of: schema) { new in
                let path = try await old.with { store in
                    try await Notes.add(["one", "two"], to: store)
                    return store.info.location
                }
                let queue = try DatabaseQueue(path: path)
                try await queue.write { database in
                    try database.execute(
                        sql: "UPDATE Note SET text = 'a' || char(0) || 'b' WHERE text = 'two'")
                }
                try queue.close()
                let error = await #expect(throws: StoreError.self) {
                    try await StoreSwitch(from: old, to: new).run()
                }
                #expect(error?.code == .corrupted)
                #expect(error?.message.contains("Note") == true)
                #expect(try await StoreSwitch(from: old, to: new).status().phase == nil)
                let missing = await #expect(throws: StoreError.self) { try await new.markerThere() }
                #expect(missing?.code == .notFound)
            }
        }
    }
}
