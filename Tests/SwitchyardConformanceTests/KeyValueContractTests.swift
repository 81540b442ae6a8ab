import Foundation
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import Synchronization
import Testing

/// Stores of bytes by key in memory, each of which can be opened again.
struct KeyValueHarness: ConformanceHarness {
    let name = "bytes by key"
    let limitations: [StoreCapability: String] = [.scopes: "A store of bytes by key has no scopes."]

    private static let maps = Mutex<[String: ByteMap]>([:])

    func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
        let place = UUID().uuidString
        Self.maps.withLock { $0[place] = ByteMap() }
        return try await open(place, schema, OpenOptions(), busyTimeout)
    }

    func reopen(
        _ store: any Store, schema: Schema, options: OpenOptions, busyTimeout: Duration
    ) async throws -> any Store {
        let place = store.info.location
        // One that was disposed of is made again, if the options allow it.
        Self.maps.withLock { $0[place] = $0[place] ?? ByteMap() }
        return try await open(place, schema, options, busyTimeout)
    }

    func dispose(_ store: any Store) async {
        try? await store.close()
        Self.maps.withLock { $0[store.info.location] = nil }
    }

    private func open(
        _ place: String, _ schema: Schema, _ options: OpenOptions, _ busyTimeout: Duration
    ) async throws -> any Store {
        let map = try map(place)
        return try await KeyedStore.open(
            schema: schema, options: options, backend: "bytes", location: place, busyTimeout: busyTimeout
        ) { ByteStorage(map) }
    }

    private func map(_ place: String) throws -> ByteMap {
        try #require(Self.maps.withLock { $0[place] })
    }

    func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention {
        .impossible(reason: Self.hidden)
    }

    func replaceMarker(by json: String, in store: any Store) async throws -> Intervention {
        try map(store.info.location).set(Array(json.utf8), for: [0, 0])
        return .done
    }

    func ageOperations(of store: any Store, by age: Duration) async throws -> Intervention {
        // The time is the first integer of a recorded operation.
        try map(store.info.location).change([0, 2]) { value in
            let time = value.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
            let older = (time - age.components.seconds).littleEndian
            return withUnsafeBytes(of: older) { Array($0) } + value.dropFirst(8)
        }
        return .done
    }

    func whileLocked(_ store: any Store, _ work: LockedWork) async throws -> Intervention {
        try await map(store.info.location).whileLocked { try await work() }
        return .done
    }

    func change(_ change: StructureChange, under store: any Store) async throws -> Intervention {
        .impossible(reason: Self.hidden)
    }

    func cutConnections(of store: any Store) async throws -> Intervention {
        .impossible(reason: Self.unconnected)
    }

    func cutNextCommit(of store: any Store, _ moment: CommitCut) async throws -> Intervention {
        .impossible(reason: Self.unconnected)
    }

    static let hidden = "The bytes of a row have no structure that others know."
    static let unconnected = "There are no connections that could break."
}

@Suite("The contract on a store of bytes by key")
struct KeyValueContractTests {
    @Test("bytes by key keep", arguments: Requirement.all)
    func contract(_ requirement: Requirement) async throws {
        let reason = try await requirement.verify(KeyValueHarness())
        #expect(reason == Self.reasons[requirement.number])
    }

    /// Why parts of requirements have no meaning here.
    private static let reasons = reasons([
        KeyValueHarness.hidden: [
            "S+faults", "S1+columns", "S2", "S2+column", "S2+table", "V3", "V5", "V8", "V12", "V15",
            "V15+part",
        ],
        KeyValueHarness.unconnected: ["T4+commit", "T4+idle", "T4+statement"],
        "A store of bytes by key has no scopes.": [
            "S7", "S7+keys", "S7+references", "S7+operations", "S7+all", "S7+several", "S7+followers",
            "S7+kind",
        ],
        "Each write begins when the one before has ended, so none loses to another.": ["T3"],
    ])

    private static func reasons(_ numbers: [String: [String]]) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: numbers.flatMap { reason, numbers in numbers.map { ($0, reason) } })
    }
}
