import Foundation
import Logging
import SQLiteStore
import Switchyard
import SwitchyardCore
import SwitchyardMirror
import SwitchyardMirrorService
import Testing

@testable import MirrorServiceCommands

enum Dairy: VersionedSchema, Sendable {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Feed.self]

    @Model
    struct Feed: Hashable {
        let id: ID
        var amount: Int
        var note: String
    }
}

/// A service that listens on this machine, over a store of its own.
struct ServiceBench {
    let service: MirrorService
    let url: URL
    private let directory: URL

    private static let plugins = Result { try PluginRegistry([SQLitePlugin.self]) }

    static func with<Value>(
        authenticator: (any MirrorAuthenticator)? = nil, requestsPerMinute: Int = 600,
        tls: (certificate: String, key: String)? = nil, logger: Logger = Logger(label: "test"),
        wrapping wrap: (any Store) -> any Store = { $0 }, _ body: (ServiceBench) async throws -> Value
    ) async throws -> Value {
        let directory = FileManager.default.temporaryDirectory.appending(path: "mirror-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = try await open("server", in: directory, OpenOptions(scope: .unused))
        let service = try await MirrorService.serving(
            wrap(store), authenticator: authenticator, requestsPerMinute: requestsPerMinute)
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let settings = HTTPService.Settings(host: "127.0.0.1", port: 0, tls: tls, connections: 100)
        let serving = Task {
            defer { port.finish() }
            try await HTTPService(service: service, settings: settings, logger: logger).run { port.yield($0) }
        }
        let result: Result<Value, any Error>
        do {
            let listening = try #require(await ports.first { _ in true })
            let url = try #require(
                URL(string: tls == nil ? "http://127.0.0.1:\(listening)" : "https://localhost:\(listening)"))
            result = .success(
                try await body(ServiceBench(service: service, url: url, directory: directory)))
        } catch { result = .failure(error) }
        serving.cancel()
        _ = await serving.result
        await service.close()
        try await store.close()
        return try result.get()
    }

    /// Opens a device's store.
    func open(_ name: String) async throws -> any Store { try await Self.open(name, in: directory) }

    private static func open(
        _ name: String, in directory: URL, _ options: OpenOptions = OpenOptions()
    ) async throws -> any Store {
        try await plugins.get().open(
            url: "sqlite:\(directory.appending(path: name).path)", schema: Dairy.schema, options: options)
    }

    /// A link to the first invitation of a new household.
    func invite(into household: StoreScope = StoreScope()) async throws -> HouseholdLink {
        try await service.invite(InvitationTerms(role: .owner), into: household, service: url)
    }

    /// Lets somebody in.
    func join(_ name: String, by link: HouseholdLink) async throws -> MirroredStore {
        let local = try await open(name)
        _ = try await local.join(link, as: name, device: "\(name)'s phone")
        return try await MirroredStore.open(local, mirroring: .joined)
    }
}
