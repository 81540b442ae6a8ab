import Foundation
import Logging
import Testing

@testable import PostgresStore

/// The server that `Tests/run` starts, for what a store cannot do itself.
enum PostgresServer {
    static let url = ProcessInfo.processInfo.environment["SWITCHYARD_TEST_POSTGRES_URL"]

    /// The name of a database schema that nobody else has.
    static func newSchemaName() -> String {
        "store_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
    }

    /// Runs a script as the superuser.
    static func administer(_ script: String) async {
        do {
            try await administration.get().run { try $0.script(script) }
        } catch {
            Issue.record(error)
        }
    }

    private static let administration = Result {
        ConnectionPool(
            try ConnectionParameters(url: #require(url)), options: SessionOptions(),
            limits: ConnectionPool.Limits(size: 2, wait: .seconds(300)),
            logger: Logger(label: "switchyard.tests"))
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs a test only where `Tests/run` has started a server.
    static var needsPostgres: Self {
        .enabled(
            if: PostgresServer.url != nil,
            "needs a PostgreSQL server: run Tests/run, which starts one for the tests")
    }
}
