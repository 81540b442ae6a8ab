import Foundation
import Logging
import Testing

@testable import PostgresStore

/// The server that `Tests/run` starts, on which each test has a schema of its own.
enum PostgresServer {
    static let url = ProcessInfo.processInfo.environment["SWITCHYARD_TEST_POSTGRES_URL"]

    /// The name of a database schema that nobody else has.
    static func newSchemaName() -> String {
        "baby_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
    }

    /// Removes a schema and all that is in it, as the superuser.
    static func drop(schema: String) async {
        do {
            try await administration.get().run { try $0.script("DROP SCHEMA IF EXISTS \(schema) CASCADE") }
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
