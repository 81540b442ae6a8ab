import Foundation
import PostgresStore
import PostgresTestServer
import SwitchyardCore
import SwitchyardMirror
import SwitchyardMirrorService
import Testing

/// A server's store in a schema of its own, with a role that owns it and one that serves devices.
struct FencedPlace: Sendable {
    let schema: String

    /// Owns the tables.
    var owner: String { "\(schema)_owner" }
    /// What the rules are for.
    var group: String { "\(schema)_group" }
    /// What the service logs in as.
    var login: String { "\(schema)_login" }

    static func with(_ body: (FencedPlace) async throws -> Void) async throws {
        try await PostgresServer.withSchemaName { name in
            let place = FencedPlace(schema: name)
            try await PostgresServer.administer(
                """
                CREATE ROLE \(place.owner) LOGIN;
                CREATE ROLE \(place.group) NOLOGIN;
                CREATE ROLE \(place.login) LOGIN IN ROLE \(place.group);
                CREATE SCHEMA \(name) AUTHORIZATION \(place.owner)
                """)
            let result: Result<Void, any Error>
            do { result = .success(try await body(place)) } catch { result = .failure(error) }
            let roles = [place.owner, place.group, place.login].joined(separator: ", ")
            try await PostgresServer.administer(
                """
                SET client_min_messages = warning;
                DROP SCHEMA \(name) CASCADE; DROP OWNED BY \(roles) CASCADE; DROP ROLE \(roles)
                """)
            try result.get()
        }
    }

    /// The URL of the store, as a role; through a pooler with four connections on request.
    func url(as role: String, throughPooler: Bool = false) throws -> String {
        let url = try #require(throughPooler ? PostgresServer.poolerURL : PostgresServer.url)
        return url.replacing("postgres://switchyard@", with: "postgres://\(role)@")
            .replacing("/switchyard_test?", with: throughPooler ? "/switchyard_four?" : "/switchyard_test?")
            + "&schema=\(schema)&poolSize=50" + (throughPooler ? "&pooling=transaction" : "")
    }

    func open(_ model: Schema, as role: String, throughPooler: Bool = false) async throws -> PostgresStore {
        let store = try await PluginRegistry([PostgresPlugin.self]).open(
            url: url(as: role, throughPooler: throughPooler), schema: model,
            options: OpenOptions(scope: .unused))
        return try #require(store as? PostgresStore)
    }

    /// Makes the store a server, and fences it.
    func prepare(
        _ model: Schema, isFenced: Bool = true, admitsLogins: Bool = false
    ) async throws {
        let store = try await open(model, as: owner)
        let result: Result<Void, any Error>
        do {
            try await MirrorService.serving(store).close()
            if isFenced { try await store.grant(to: group, admitsLogins: admitsLogins) }
            result = .success(())
        } catch { result = .failure(error) }
        try await store.close()
        try result.get()
    }

    /// Serves devices as a role.
    func withService(
        _ model: Schema, as role: String, throughPooler: Bool = false,
        authenticator: (any MirrorAuthenticator)? = nil, _ body: (MirrorService) async throws -> Void
    ) async throws {
        let store = try await open(model, as: role, throughPooler: throughPooler)
        let result: Result<Void, any Error>
        do {
            let service = try await MirrorService.serving(
                store, authenticator: authenticator, requestsPerMinute: 1_000_000)
            do { result = .success(try await body(service)) } catch { result = .failure(error) }
            await service.close()
        } catch { result = .failure(error) }
        try await store.close()
        try result.get()
    }
}
