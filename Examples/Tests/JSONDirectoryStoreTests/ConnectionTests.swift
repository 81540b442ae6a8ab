import Foundation
import JSONDirectoryStore
import Switchyard
import Testing

@Suite("Two connections to one JSON directory")
struct ConnectionTests {
    private let harness = JSONDirectoryHarness()

    @Test("each sees what the other wrote")
    func mutual() async throws {
        try await harness.withStore { store, path in
            let other = try await harness.open(path)
            try await store.write { try $0.insert(Baby(name: "Mia")) }
            #expect(try await other.babies() == ["Mia"])
            try await other.write { try $0.insert(Baby(name: "Leo")) }
            #expect(try await store.babies() == ["Leo", "Mia"])
            try await other.close()
        }
    }

    @Test("of their writers none loses another's update")
    func counting() async throws {
        try await harness.withStore { store, path in
            let other = try await harness.open(path)
            let feed = try await store.write { try $0.insert(Feed()) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for connection in [store, other] {
                    group.addTask {
                        for _ in 0..<20 {
                            try await connection.write { tx in
                                guard var current = try tx.find(feed.id) else { return }
                                current.amount += 1
                                try tx.update(current)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.read { try $0.find(feed.id)?.amount } == 40)
            try await other.close()
        }
    }

    @Test("one opened for reading sees the rows, and refuses to write")
    func readOnly() async throws {
        try await harness.withStore { store, path in
            try await store.write { try $0.insert(Baby(name: "Mia")) }
            let reader = try await harness.open(path, OpenOptions(access: .readOnly))
            #expect(try await reader.babies() == ["Mia"])
            #expect(
                await #expect(throws: StoreError.self) {
                    try await reader.write { try $0.insert(Baby(name: "Leo")) }
                }?.code == .readOnly)
            try await reader.close()
        }
    }

    @Test("one whose store was superseded by the other reads on, and writes no more")
    func superseded() async throws {
        try await harness.withStore { store, path in
            try await store.write { try $0.insert(Baby(name: "Mia")) }
            let other = try await harness.open(path)
            try await other.changeRole(to: .superseded, successor: "jsondir:/elsewhere")
            for connection in [store, other] {
                let refusal = await #expect(throws: StoreError.self) {
                    try await connection.write { try $0.insert(Baby(name: "Leo")) }
                }
                #expect(refusal?.code == .outOfService)
                #expect(refusal?.successor == "jsondir:/elsewhere")
                #expect(try await connection.babies() == ["Mia"])
            }
            #expect(
                await #expect(throws: StoreError.self) { try await harness.open(path) }?.code == .outOfService
            )
            let reader = try await harness.open(path, OpenOptions(access: .readOnly))
            #expect(try await reader.babies() == ["Mia"])
            try await reader.close()
            try await other.close()
        }
    }
}
