import Foundation
import PostgresStore
import PostgresTestServer
import Switchyard
import SwitchyardCore
import SwitchyardTransfer
import TestBackends
import Testing

/// What the tables of a small shop become.
private enum ShopSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Customer.self, Order.self, OrderLine.self]

    @Model
    struct Customer {
        let id: ID
        var legacyID: Int
        var name: String
        var isActive: Bool
        var settings: Settings?

        struct Settings: Codable, Sendable, Equatable {
            var a: [Int]
            var b: Int
        }
    }

    @Model
    struct Order {
        let id: ID
        var customer: Customer.ID?
        var placedAt: Date
        var total: Decimal
        var state: State

        enum State: String, Codable, Sendable, CaseIterable {
            case open, sent
        }
    }

    @Model
    struct OrderLine {
        let id: ID
        var order: Order.ID
        var article: String
        var count: Int
    }
}

@Suite("Adoption of PostgreSQL tables", .enabled(if: PostgresServer.url != nil))
struct PostgresAdoptionTests {
    private static let tables = """
        CREATE TYPE state AS ENUM ('open', 'sent', 'lost');
        CREATE TABLE "Customer" (id serial PRIMARY KEY, name text NOT NULL, "isActive" boolean NOT NULL, settings jsonb);
        CREATE TABLE "Order" (id bigserial PRIMARY KEY, customer_id int REFERENCES "Customer", placed_at timestamptz NOT NULL,
            total numeric(12, 2) NOT NULL, state state NOT NULL);
        CREATE TABLE order_line (order_id bigint REFERENCES "Order", article text, count smallint NOT NULL, noted timestamp,
            PRIMARY KEY (order_id, article));
        SET timezone = 'America/New_York';
        INSERT INTO "Customer" (name, "isActive", settings) VALUES ('Ada', true, '{"b": 2, "a": [1]}'), ('Bo', false, NULL);
        INSERT INTO "Order" (customer_id, placed_at, total, state) VALUES
            (1, '2024-07-01 06:00:00.000001', 12.50, 'open'), (NULL, '2024-01-01 05:00', 0, 'sent');
        INSERT INTO order_line VALUES (1, 'pen', 3, now()), (1, 'ink', 1, NULL), (2, 'pen', 2, NULL);
        """

    private static func plan() throws -> AdoptionPlan {
        try AdoptionPlan(
            ShopSchema.self,
            .table("Customer", as: ShopSchema.Customer.self, .column("id", to: \.legacyID)),
            .table("order_line", as: ShopSchema.OrderLine.self, .ignored("noted")))
    }

    private static func with(
        _ more: String = "", _ body: (String, any ForeignDatabase) async throws -> Void
    ) async throws {
        try await PostgresServer.withSchemaName { schema in
            try await PostgresServer.administer(
                "CREATE SCHEMA \(schema); SET search_path = \(schema); \(tables) \(more)")
            let registry = try PluginRegistry([PostgresPlugin.self])
            try await body(schema, try registry.foreignDatabase(url: PostgresServer.url(schema: schema)))
        }
    }

    @Test("adopted PostgreSQL tables become a store on each backend", arguments: TestBackend.available)
    func adopted(backend: TestBackend) async throws {
        try await Self.with { _, database in
            let before = try await Self.plan().preview(database)
            #expect(before.faults == [])
            try await backend.withPlace(of: ShopSchema.schema) { place in
                let report = try await Self.plan().run(from: database, into: place)
                #expect(
                    report.tables.map { "\($0.name) \($0.rows) \($0.derivedIDs)" } == [
                        "Customer 2 2", "Order 2 2", "order_line 3 3",
                    ])
                try await place.with { store in
                    try await store.read { tx in
                        let customers = try tx.fetch(ShopSchema.Customer.all.sorted(by: \.legacyID))
                        #expect(customers.map(\.name) == ["Ada", "Bo"])
                        #expect(customers.map(\.isActive) == [true, false])
                        #expect(customers[0].settings == ShopSchema.Customer.Settings(a: [1], b: 2))
                        #expect(customers[1].settings == nil)
                        let orders = try tx.fetch(ShopSchema.Order.all.sorted(by: \.total))
                        #expect(orders.map(\.customer) == [nil, customers[0].id])
                        #expect(orders.map(\.total) == [0, Decimal(string: "12.5")])
                        #expect(orders.map(\.state) == [.sent, .open])
                        #expect(orders[0].placedAt == Date(timeIntervalSince1970: 1_704_103_200))
                        #expect(
                            orders[1].placedAt == Date(timeIntervalSince1970: 1_719_828_000.000001))
                        let lines = try tx.fetch(ShopSchema.OrderLine.all.sorted(by: \.count))
                        #expect(lines.map(\.article) == ["ink", "pen", "pen"])
                        #expect(lines.map(\.order) == [orders[1].id, orders[0].id, orders[1].id])
                    }
                    #expect(try await store.check() == [])
                }
            }
            // The same digests and counts: nothing has changed in the tables.
            #expect(try await Self.plan().preview(database) == before)
        }
    }

    @Test("an adoption of PostgreSQL tables reports an enum case that the model lacks")
    func refused() async throws {
        let more = "INSERT INTO \"Order\" (placed_at, total, state) VALUES ('infinity', 'NaN', 'lost')"
        try await Self.with(more) { _, database in
            let faults = try await Self.plan().preview(database).faults
            #expect(
                faults.map(\.description) == [
                    "Order.placed_at: a text is not of type timestamp; in 1 rows, the first of them the row with the key 3",
                    "Order.state: the attribute does not allow the value; in 1 rows, the first of them the row with the key 3",
                    "Order.total: a text is not of type decimal; in 1 rows, the first of them the row with the key 3",
                ])
        }
    }

    @Test("an adoption of PostgreSQL tables needs other names where names differ only in case")
    func twins() async throws {
        let more = """
            CREATE TABLE customer (id int PRIMARY KEY); ALTER TABLE order_line ADD COLUMN "COUNT" int;
            """
        try await Self.with(more) { _, database in
            let faults = try await Self.plan().preview(database).faults
            #expect(
                Set(faults.map(\.description)) == [
                    "Customer: another table has the same name but for its case: adopt a view with another name",
                    "customer: another table has the same name but for its case: adopt a view with another name",
                    "order_line.COUNT: another column has the same name but for its case: adopt a view with another name",
                ])
        }
    }
}
