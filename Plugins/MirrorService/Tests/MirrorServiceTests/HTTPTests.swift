import Foundation
import Logging
import SQLiteStore
import Switchyard
import SwitchyardCore
import SwitchyardMirror
import SwitchyardMirrorService
import Testing

@testable import MirrorServiceCommands

enum Dairy: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Feed.self]

    @Model
    struct Feed: Hashable {
        let id: ID
        var amount: Int
        var note: String
    }
}

@Suite("A mirror over HTTP")
struct HTTPTests {
    private static let plugins = Result { try PluginRegistry([SQLitePlugin.self]) }

    /// A service that listens on this machine, over a store of its own.
    private static func withService(
        _ body: (MirrorService, URL, URL) async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "mirror-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = try await open("server", in: directory, OpenOptions(scope: .unused))
        let service = try await MirrorService.serving(store)
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let settings = HTTPService.Settings(host: "127.0.0.1", port: 0, tls: nil, connections: 100)
        let serving = Task {
            try await HTTPService(service: service, settings: settings, logger: Logger(label: "test")).run {
                port.yield($0)
            }
        }
        let listening = try #require(await ports.first { _ in true })
        let url = try #require(URL(string: "http://127.0.0.1:\(listening)"))
        do { try await body(service, url, directory) } catch {
            serving.cancel()
            throw error
        }
        serving.cancel()
        _ = await serving.result
        await service.close()
        try await store.close()
    }

    private static func open(
        _ name: String, in directory: URL, _ options: OpenOptions = OpenOptions()
    ) async throws -> any Store {
        try await plugins.get().open(
            url: "sqlite:\(directory.appending(path: name).path)", schema: Dairy.schema, options: options)
    }

    @Test("two phones share a household over HTTP, and one is revoked")
    func sharing() async throws {
        try await Self.withService { service, url, directory in
            let (mias, bens) = (
                try await Self.open("mia", in: directory), try await Self.open("ben", in: directory)
            )
            let household = StoreScope()
            let link = try await service.invite(InvitationTerms(role: .owner), into: household, service: url)
            _ = try await mias.join(link, as: "Mia", device: "Mia's phone")
            let mia = try await MirroredStore.open(mias, mirroring: .joined)
            try await mia.write { try $0.insert(Dairy.Feed(amount: 90, note: "Brüderchen 🍼")) }
            try await mia.exchange()
            _ = try await bens.join(try await mia.invite(.member), as: "Ben", device: nil)
            let ben = try await MirroredStore.open(bens, mirroring: .joined)
            try await ben.exchange()
            #expect(try await ben.read { try $0.fetch(Dairy.Feed.all) }.map(\.note) == ["Brüderchen 🍼"])
            try await ben.write { try $0.insert(Dairy.Feed(amount: 120, note: "")) }
            // Nobody asks for an exchange: the service tells Mia's phone.
            for try await feeds in mia.observe({ try $0.fetch(Dairy.Feed.all) }) where feeds.count == 2 {
                break
            }
            let members = try await mia.household().members
            try await mia.revoke(member: try #require(members.first { $0.name == "Ben" }?.id))
            await #expect(throws: StoreError.self) { try await ben.exchange() }
            #expect(ben.status.phase == .ended)
            #expect(try await bens.read { try $0.fetch(Dairy.Feed.all) }.isEmpty)
            try await mia.close()
            try await ben.close()
        }
    }

    @Test("a service that is not there is a state")
    func unreachable() async throws {
        try await Self.withService { service, url, directory in
            let link = try await service.invite(
                InvitationTerms(role: .owner), into: StoreScope(), service: url)
            let gone = HouseholdLink(
                service: try #require(URL(string: "http://127.0.0.1:1")), token: link.token)
            let store = try await Self.open("mia", in: directory)
            await #expect {
                _ = try await store.join(gone, as: "Mia", device: nil)
            } throws: { ($0 as? StoreError)?.code == .connectionLost }
            // It is not bound to the address that nobody answers at.
            _ = try await store.join(link, as: "Mia", device: nil)
            try await store.close()
        }
    }
}
