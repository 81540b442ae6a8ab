import Foundation
import Logging
import SwitchyardCore
import Synchronization
import Testing

@testable import MirrorServiceCommands

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A store on a server that is gone while a test says so.
private final class RemoteStore: Store {
    final class Server: Sendable {
        private let gone = Atomic(false)
        var isGone: Bool {
            get { gone.load(ordering: .sequentiallyConsistent) }
            set { gone.store(newValue, ordering: .sequentiallyConsistent) }
        }
    }

    private let base: any Store
    private let server: Server

    init(_ base: any Store, on server: Server) { (self.base, self.server) = (base, server) }

    var schema: Schema { base.schema }
    var info: StoreInfo { base.info }
    var commits: CommitFeed { base.commits }

    private func requireServer() throws {
        if server.isGone { throw StoreError(.connectionLost, "The server is gone.") }
    }

    func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try requireServer()
        return try await base.read(options, body)
    }

    func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        try requireServer()
        return try await base.write(options, body)
    }

    func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        try await base.wasCommitted(operation, in: scope)
    }

    func check() async throws -> [String] { try await base.check() }
    func close() async throws { try await base.close() }
}

@Suite("An outage of the store")
struct OutageTests {
    @Test("many requests fail in one outage, which is logged once")
    func lines() async throws {
        let (lines, server) = (Lines(), RemoteStore.Server())
        var logger = lines.logger()
        logger.logLevel = .notice
        let remote: (any Store) -> any Store = { RemoteStore($0, on: server) }
        try await ServiceBench.with(logger: logger, wrapping: remote) { bench in
            let device = try await RawDevice(joining: bench, by: try await bench.invite())
            server.isGone = true
            for path in ["household", "parts/\(String(repeating: "a", count: 64))/1", "household"] {
                #expect(try await device.get(path, accepting: "identity").1.statusCode == 503)
            }
            server.isGone = false
            #expect(try await device.get("household", accepting: "identity").1.statusCode == 200)
        }
        let failed = lines.all.filter { $0.hasPrefix("failed") }
        #expect(failed.count == 1)
        #expect(failed.first?.contains("The server is gone.") == true)
    }

    @Test("an outage ends with the first answer after a quiet time, and begins anew after that")
    func outages() {
        let (log, start) = (OutageLog(), ContinuousClock.now)
        func second(_ number: Int) -> ContinuousClock.Instant { start + .seconds(number) }
        #expect(log.succeed(at: second(0)) == nil)
        #expect(log.fail(at: second(1)))
        for _ in 0..<10_000 { #expect(!log.fail(at: second(2))) }
        // One request gets through, and others do not.
        #expect(log.succeed(at: second(3)) == nil)
        #expect(!log.fail(at: second(4)))
        #expect(log.succeed(at: second(8)) == nil)
        #expect(log.succeed(at: second(9)) == OutageLog.Ending(duration: .seconds(3), failures: 10_002))
        #expect(log.succeed(at: second(9)) == nil)
        #expect(log.fail(at: second(10)))
    }
}
