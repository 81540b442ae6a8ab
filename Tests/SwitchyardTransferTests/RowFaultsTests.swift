import Foundation
import PostgresStore
import PostgresTestServer
import SwitchyardCore
import Testing

/// PostgreSQL looks at the rows itself, and is asked for those alone that may be at fault.
@Suite("Rows of PostgreSQL that no other store would take", .enabled(if: PostgresServer.url != nil))
struct RowFaultsTests {
    private static func schema() throws -> Schema {
        try Schema(
            version: SchemaVersion(1, 0, 0),
            entities: [
                Entity(
                    "Thing",
                    attributes: [
                        Attribute("id", type: .uuid), Attribute("label", type: .text),
                        Attribute("memo", type: .text, isOptional: true),
                        Attribute(
                            "kind", type: .text, isOptional: true, cases: [.text("pen"), .text("ink")]),
                        Attribute("level", type: .double, isOptional: true),
                        Attribute("ratio", type: .double, isOptional: true, domain: .singlePrecision),
                        Attribute("count", type: .int, domain: .integers(range: -128...127)),
                        Attribute("moment", type: .timestamp, isOptional: true),
                        Attribute("day", type: .day, isOptional: true),
                    ], indexes: [Index(["label"])]),
                Entity(
                    "Price",
                    attributes: [
                        Attribute("id", type: .uuid), Attribute("amount", type: .decimal),
                        Attribute("terms", type: .json, isOptional: true),
                    ]),
            ])
    }

    private static func id(_ number: UInt8) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number))
    }

    /// Makes one fault in each of the last rows of each table.
    private static let damage = """
        ALTER TABLE "Thing" DROP CONSTRAINT "check_Thing_kind", DROP CONSTRAINT "check_Thing_level",
            DROP CONSTRAINT "check_Thing_ratio", DROP CONSTRAINT "check_Thing_count",
            DROP CONSTRAINT "check_Thing_moment", DROP CONSTRAINT "check_Thing_day", ALTER "label" DROP NOT NULL;
        DROP INDEX "index_Thing_label";
        UPDATE "Thing" SET "kind" = 'chalk' WHERE "id" = '00000000-0000-0000-0000-000000000003';
        UPDATE "Thing" SET "level" = 'NaN' WHERE "id" = '00000000-0000-0000-0000-000000000004';
        UPDATE "Thing" SET "ratio" = 0.1 WHERE "id" = '00000000-0000-0000-0000-000000000005';
        UPDATE "Thing" SET "count" = 128 WHERE "id" = '00000000-0000-0000-0000-000000000006';
        UPDATE "Thing" SET "moment" = '10000-01-01' WHERE "id" = '00000000-0000-0000-0000-000000000007';
        UPDATE "Thing" SET "day" = '0001-12-31 BC' WHERE "id" = '00000000-0000-0000-0000-000000000008';
        UPDATE "Thing" SET "label" = NULL WHERE "id" = '00000000-0000-0000-0000-000000000009';
        UPDATE "Thing" SET "label" = repeat('x', 2049) WHERE "id" = '00000000-0000-0000-0000-00000000000a';
        UPDATE "Price" SET "terms" = '{' WHERE "id" = '00000000-0000-0000-0000-000000000003';
        """

    @Test(
        "rows of PostgreSQL that no other store would accept are named, and no others",
        arguments: [nil, StoreScope(id(99))])
    func named(scope: StoreScope?) async throws {
        try await PostgresServer.withSchemaName { name in
            let url = try PostgresServer.url(schema: name)
            let registry = try PluginRegistry([PostgresPlugin.self])
            let store = try await registry.open(
                url: url, schema: try Self.schema(), options: OpenOptions(scope: scope))
            try await store.write { tx in
                let things = (1...10).map { number -> [StoredValue] in
                    [
                        .uuid(Self.id(number)), .text("label \(number)"),
                        // Long, but in no index.
                        number == 1 ? .text(String(repeating: "m", count: 3_000)) : .null,
                        number == 2 ? .null : .text("ink"), .double(.infinity), .double(0.5), .int(127),
                        .timestamp(0), .null,
                    ]
                }
                _ = try tx.insertRows(into: "Thing", things)
                let prices = (1...3).map { [StoredValue.uuid(Self.id($0)), .decimal(12.5), .json("{}")] }
                _ = try tx.insertRows(into: "Price", prices)
            }
            #expect(try await store.read { try $0.rowFaults(limit: 20) } == [])
            try await PostgresServer.administer("SET search_path = \(name); \(Self.damage)")
            let faults = try await store.read { try $0.rowFaults(limit: 20) }
            try await store.close()
            let words = try Regex(#"^Row [0-9a-f-]*0(.): (\w+): .*? \[([^\]]+)\]"#)
            let found = try faults.map { fault in
                let parts = try #require(fault.firstMatch(of: words)?.output).dropFirst()
                return parts.compactMap { $0.substring.map(String.init) }.joined(separator: " ")
            }
            #expect(
                found.sorted() == [
                    "3 check Thing.kind", "3 valueNotRepresentable Price.terms", "4 corrupted Thing.level",
                    "5 check Thing.ratio", "6 check Thing.count", "7 corrupted Thing.moment",
                    "8 corrupted Thing.day", "9 notNull Thing.label", "a valueNotRepresentable Thing.label",
                ])
        }
    }
}
