internal import Foundation
public import SwitchyardCore

/// The store's own two tables: `switchyard_store`, one row that says what the store is, and
/// `switchyard_operation`, the ids of recent writes. They belong to the database as a whole and have no
/// scope.
extension SQLGenerator {
    /// The name of the table of the marker, unquoted.
    public static let markerTable = "switchyard_store"
    /// The name of the table of operations, unquoted.
    public static let operationTable = "switchyard_operation"

    func createBookkeeping() -> [String] {
        func type(_ type: AttributeType) -> String { dialect.columnTypes[type] ?? "" }
        let marker = qualified(Self.markerTable)
        let operation = qualified(Self.operationTable)
        return [
            """
            CREATE TABLE \(marker) (
                "singleton" \(type(.int)) NOT NULL PRIMARY KEY CHECK ("singleton" = 1),
                "id" \(type(.uuid)) NOT NULL,
                "format" \(type(.int)) NOT NULL,
                "generation" \(type(.int)) NOT NULL,
                "role" \(type(.text)) NOT NULL,
                "version" \(type(.text)) NOT NULL,
                "fingerprint" \(type(.text)) NOT NULL,
                "digest" \(type(.text)) NOT NULL,
                "marker" \(type(.json)) NOT NULL
            )\(dialect.tableOptions)
            """,
            """
            CREATE TABLE \(operation) (
                "id" \(type(.uuid)) NOT NULL PRIMARY KEY,
                "committed_at" \(type(.timestamp)) NOT NULL
            )\(dialect.tableOptions)
            """,
            "CREATE INDEX \"switchyard_operation_committed_at\" ON \(operation) (\"committed_at\")",
        ]
    }

    /// The text that reads the marker's JSON, without parameters, which needs no schema.
    public static func selectMarker(in namespace: String? = nil) -> String {
        "SELECT \"marker\" FROM \(SQLDialect.quoted(markerTable, in: namespace))"
    }

    /// The text that reads the marker's summary, in the order of its members, and the marker's JSON behind
    /// that, without parameters.
    public static func selectMarkerSummary(in namespace: String? = nil) -> String {
        """
        SELECT "format", "role", "version", "fingerprint", "digest", "marker" FROM \
        \(SQLDialect.quoted(markerTable, in: namespace))
        """
    }

    /// The statement that writes the marker of a new store.
    ///
    /// - Throws: `valueNotRepresentable` if the marker cannot be written as JSON.
    public func insertMarker(_ marker: StoreMarker) throws -> SQLStatement {
        var writer = SQLWriter(self)
        let columns = try Self.columns(of: marker)
        writer.write("INSERT INTO \(qualified(Self.markerTable)) (\"singleton\"")
        for column in columns { writer.write(", \(SQLDialect.quoted(column.name))") }
        writer.write(") VALUES (1")
        for column in columns {
            writer.write(", ")
            writer.placeholder(column.parameter)
        }
        writer.write(")")
        return writer.statement
    }

    private static func columns(of marker: StoreMarker) throws -> [(name: String, parameter: SQLParameter)] {
        let json = try CanonicalJSON.text(marker)
        let summary = StoreMarker.Summary(marker, json: json)
        return [
            ("id", .value(.uuid(marker.storeID), .uuid)),
            ("format", .value(.int(Int64(marker.format)), .int)),
            ("generation", .value(.int(marker.generation), .int)),
            ("role", .value(.text(summary.role), .text)),
            ("version", .value(.text(summary.version), .text)),
            ("fingerprint", .value(.text(summary.fingerprint), .text)),
            ("digest", .value(.text(summary.digest), .text)),
            ("marker", .value(.json(json), .json)),
        ]
    }

    /// The statement that notes the id of a write, committed at a number of microseconds since 1970.
    public func recordOperation(_ operation: OperationID, at microseconds: Int64) -> SQLStatement {
        var writer = SQLWriter(self)
        writer.write("INSERT INTO \(qualified(Self.operationTable)) (\"id\", \"committed_at\") VALUES (")
        writer.placeholder(.value(.uuid(operation.uuid), .uuid))
        writer.write(", ")
        writer.placeholder(.value(.timestamp(microseconds), .timestamp))
        writer.write(")")
        return writer.statement
    }

    /// The statement that forgets the operations committed before a number of microseconds since 1970.
    public func forgetOperations(before microseconds: Int64) -> SQLStatement {
        var writer = SQLWriter(self)
        writer.write("DELETE FROM \(qualified(Self.operationTable)) WHERE \"committed_at\" < ")
        writer.placeholder(.value(.timestamp(microseconds), .timestamp))
        return writer.statement
    }

    /// The statement that gives one row if the write of an operation was committed, and none otherwise.
    public func findOperation(_ operation: OperationID) -> SQLStatement {
        var writer = SQLWriter(self)
        writer.write("SELECT 1 FROM \(qualified(Self.operationTable)) WHERE \"id\" = ")
        writer.placeholder(.value(.uuid(operation.uuid), .uuid))
        return writer.statement
    }
}
