import SwitchyardCore
import SwitchyardSQL
import Testing

@Suite("The catalogue of a database against a schema")
struct CatalogTests {
    /// A database in which each column is told as its type, whether it takes nil, and its place in the key.
    private struct Catalog: SQLCatalog {
        var columns: [String: [String: String]] = [
            "Owner": ["id": "uuid no 1", "name": "text no 0", "name_search": "text no 0"],
            "Pet": [
                "id": "uuid no 1", "owner": "uuid yes 0", "kind": "text no 0", "kg": "double yes 0",
                "age": "int no 0", "legs": "int yes 0", "price": "decimal yes 0", "born": "timestamp yes 0",
                "tame": "bool no 0",
            ],
            "switchyard_store": [:], "switchyard_operation": [:], "switchyard_queue": [:],
        ]
        var constraints: Set<String> = [
            "primary_Owner", "primary_Pet", "reference_Pet_owner", "check_Pet_kind", "check_Pet_weight",
            "check_Pet_price", "check_Pet_born",
        ]
        /// The indexes, and whether each is unique.
        var indexes = [
            "unique_Owner_name": true, "unique_Pet_kind_price_ad11e1372b": true,
            "unique_Pet_born_fbe00a15ae": true, "index_Pet_born_age": false,
            "index_Pet_age_041fb8638c": false, "reference_Pet_owner": false,
        ]
        var isTyped = true
        /// The tables that are as they were made.
        var same: Set<String> = []

        var tables: Set<String> { Set(columns.keys) }
        func references(of table: String) -> [String: String] { table == "Pet" ? ["owner": "Owner"] : [:] }
        func has(constraint: String, _ definition: String, of table: String) -> Bool { true }

        func find(_ made: SQLMade) -> SQLFinding {
            switch made.kind {
            // Those of the history and the mirror are not what these tests are about.
            case _ where made.name.contains("switchyard_history") || made.name.contains("switchyard_mirror"):
                .same
            case .table:
                if same.contains(made.name) {
                    .same
                } else {
                    columns[made.name] == nil ? .missing : .unlike
                }
            case .index: indexes[made.name].map { $0 ? .unlike : .same } ?? .missing
            case .uniqueIndex: indexes[made.name].map { $0 ? .same : .unlike } ?? .missing
            }
        }

        func columns(of table: String) -> [String: String] { columns[table] ?? [:] }

        func column(_ type: AttributeType, isOptional: Bool, keyPosition: Int) -> String {
            "\(type.rawValue) \(isOptional ? "yes" : "no") \(keyPosition)"
        }

        func isTyped(_ table: String) -> Bool { isTyped }
        func constraints(of table: String) -> Set<String> { constraints }
    }

    private func columnFaults(_ change: (inout Catalog) -> Void) throws -> [String] {
        var catalog = Catalog()
        change(&catalog)
        return try SQLPlan(Fixture.postgres()).columnFaults(in: catalog)
    }

    private func constraintFaults(_ change: (inout Catalog) -> Void) throws -> [String] {
        var catalog = Catalog()
        change(&catalog)
        return try SQLPlan(Fixture.postgres()).constraintFaults(in: catalog)
    }

    @Test("a complete catalogue has no faults, even with an additional column")
    func whole() throws {
        #expect(try columnFaults { $0.columns["Pet"]?["note"] = "text yes 0" } == [])
        #expect(try constraintFaults { $0.constraints.insert("check_Pet_note") } == [])
    }

    @Test("missing and different tables and columns are named, bookkeeping included")
    func columns() throws {
        let faults = try columnFaults { catalog in
            catalog.columns["Owner"] = nil
            catalog.columns["Pet"]?["kg"] = nil
            catalog.columns["Pet"]?["age"] = "int yes 0"
            catalog.columns["switchyard_operation"] = nil
            catalog.columns["switchyard_queue"] = nil
        }
        #expect(
            faults == [
                "the table Owner is missing", "the column Pet.kg is missing",
                "the column Pet.age is not as it was made", "the table switchyard_operation is missing",
                "the table switchyard_queue is missing",
            ])
        #expect(
            try columnFaults { ($0.isTyped, $0.same) = (false, ["Owner"]) } == [
                "the table Pet is not as it was made"
            ])
    }

    @Test("an unchanged table is not queried for its columns and constraints")
    func same() throws {
        #expect(try columnFaults { ($0.columns["Pet"], $0.same) = ([:], ["Pet"]) } == [])
        #expect(try constraintFaults { ($0.constraints, $0.same) = ([], ["Pet", "Owner"]) } == [])
    }

    @Test("missing keys, checks and indexes are named, and a unique index that is not unique")
    func constraints() throws {
        let faults = try constraintFaults { catalog in
            catalog.constraints.subtract(["primary_Pet", "check_Pet_kind"])
            catalog.indexes["unique_Owner_name"] = false
            catalog.indexes["index_Pet_born_age"] = nil
            catalog.indexes["reference_Pet_owner"] = nil
        }
        #expect(
            faults == [
                "the unique index unique_Owner_name is not as it was made",
                "the constraint primary_Pet is missing", "the constraint check_Pet_kind is missing",
                "the index index_Pet_born_age is missing", "the index reference_Pet_owner is missing",
            ])
    }

    @Test("with scopes, each key needs the scope column first")
    func scope() throws {
        let sql = SQLGenerator(dialect: .postgres, schema: try Fixture.schema(), isScoped: true)
        let faults = try SQLPlan(sql).columnFaults(in: Catalog())
        #expect(
            faults == [
                "the column Owner.switchyard_scope is missing", "the column Owner.id is not as it was made",
                "the column Pet.switchyard_scope is missing", "the column Pet.id is not as it was made",
            ])
        var catalog = Catalog()
        catalog.constraints.remove("reference_Pet_owner")
        #expect(try SQLPlan(sql).constraintFaults(in: catalog).isEmpty)
    }
}
