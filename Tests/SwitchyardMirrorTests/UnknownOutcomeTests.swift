import SwitchyardCore
import SwitchyardMirror
import SwitchyardMirrorService
import Synchronization
import TestBackends
import Testing

/// A store on a server whose connection is lost after the next commit, before its answer.
private final class UnsureStore: WrappingStore {
    let base: any Store
    private let losesNext = Atomic(false)

    init(_ base: any Store) { self.base = base }

    func loseNextAnswer() { losesNext.store(true, ordering: .sequentiallyConsistent) }

    func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        let result = try await base.write(options, body)
        guard losesNext.exchange(false, ordering: .sequentiallyConsistent) else { return result }
        throw StoreError(.outcomeUnknown, "The connection to server 198.51.100.7 broke.")
    }
}

@Suite("A service that does not learn whether its commit has happened")
struct UnknownOutcomeTests {
    @Test("tells the device so, which sends the write again, and it is carried out once")
    func exchange() async throws {
        let options = OpenOptions(scope: .unused)
        try await TestBackend.sqlite.withStore(try HouseholdTests.schema.get(), options: options) { base in
            let server = UnsureStore(base)
            let service = try await MirrorService.serving(server)
            let house = HouseholdTests.House(
                service: service, wire: Wire(service), server: server, scope: StoreScope())
            try await HouseholdTests.withDevice { mias in
                let mia = try await house.join(mias, as: "Mia", .owner)
                try await mia.exchange()
                try await HouseholdTests.add(90, to: mias)
                await mia.end()
                let session = MirrorSession(
                    mias, remote: try await MirrorServer.joined(over: house.wire).remote(mias), name: nil)
                server.loseNextAnswer()
                await #expect {
                    try await session.exchange()
                } throws: { error in
                    let error = error as? StoreError
                    return error?.code == .outcomeUnknown && error?.message.contains("198.51") == false
                }
                try await session.exchange()
                #expect(try await house.feeds() == [90])
                #expect(try await HouseholdTests.feeds(mias) == [90])
            }
            await service.close()
        }
    }
}
