import Foundation
import GRDB
import SQLiteStore
import SwitchyardCore

/// A home with an old and a new place, removed when the test lets go of it.
final class Home: Sendable {
    let path: String

    init() throws {
        let temporary = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        // A name that must be escaped in a URI, and that is longer in characters than it looks.
        path = temporary.appendingPathComponent("relocation-\(UUID().uuidString) 100%?#ä").path
        for directory in ["", "/app", "/group"] {
            try FileManager.default.createDirectory(
                atPath: path + directory, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var old: String { path + "/app/default.store" }
    var new: String { path + "/group/default.store" }

    func names(_ directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/" + directory).sorted()
    }

    /// The bytes of all files below, by name.
    func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            contents[name] = FileManager.default.contents(atPath: path + "/" + name) ?? Data("directory".utf8)
        }
        return contents
    }

    func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}

/// A file as another library leaves it when its process is killed: all rows in the log.
enum ForeignFile {
    /// Tables like those of a store that is synchronised with a cloud, and some with odd names.
    static let schema = """
        PRAGMA user_version = 7; PRAGMA application_id = 42;
        CREATE TABLE ZWEIGHTENTRY (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZWEIGHTVALUE FLOAT, ZNOTE VARCHAR, ZPHOTO BLOB);
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, ZCKRECORDNAME VARCHAR);
        CREATE INDEX Z_ENTRY_VALUE ON ZWEIGHTENTRY (ZWEIGHTVALUE);
        CREATE TABLE "odd "" name; --" (rowid TEXT, oid BLOB, "a'b" NUMERIC);
        CREATE TABLE keyed (a TEXT, b INTEGER, c, PRIMARY KEY (b, a)) WITHOUT ROWID;
        CREATE TABLE sums (a INTEGER, b INTEGER AS (a * 2) VIRTUAL, c INTEGER AS (a * 3) STORED);
        CREATE VIRTUAL TABLE words USING fts5(text);
        CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT);
        """
    static let rows = """
        INSERT INTO ZWEIGHTENTRY VALUES (3, 1, 81.5, 'Größe', x'00FF'), (5, 1, 80.25, NULL, x''), (9, 1, 79, 'a' || char(0) || 'b', NULL);
        INSERT INTO Z_METADATA VALUES (1, '5C5E9F9E-4E0B-4B7B-8C9E-0D5C8C0B7A11', x'62706C697374');
        INSERT INTO ANSCKRECORDMETADATA VALUES (1, 'record-1'), (2, 'record-2');
        INSERT INTO "odd "" name; --" VALUES ('x', x'01', 1e300), ('x', x'01', 1e300);
        INSERT INTO keyed VALUES ('k', 1, 'text'), ('k', 2, 2);
        INSERT INTO sums (a) VALUES (1), (2);
        INSERT INTO words VALUES ('some words'), ('more');
        INSERT INTO counted VALUES (41);
        """

    /// Makes the file, with a log that nobody has open.
    static func make(at path: String, logged: Bool = true, extra: String = "") throws {
        let made = path + ".made"
        let queue = try DatabaseQueue(path: made)
        try queue.inDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = \(logged ? "WAL" : "DELETE")")
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            try database.execute(sql: schema + rows + extra)
        }
        for suffix in logged ? ["", "-wal"] : [""] {
            try FileManager.default.copyItem(atPath: made + suffix, toPath: path + suffix)
        }
        try queue.close()
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: made + suffix) }
    }
}

/// The rows of every table, as SQLite writes them out.
func dump(_ path: String) throws -> [String: [String]] {
    // A connection that can only read would leave an empty log behind.
    let queue = try DatabaseQueue(path: path)
    defer { try? queue.close() }
    return try queue.inDatabase { database in
        var tables: [String: [String]] = [:]
        for name in try String.fetchAll(
            database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
        {
            let quoted = name.replacing("\"", with: "\"\"")
            tables[name] = try Row.fetchAll(database, sql: "SELECT * FROM \"\(quoted)\"").map { row in
                row.map { "\($0.0)=\($0.1)" }.joined(separator: "|")
            }
        }
        return tables
    }
}

/// A model, written by hand so that these tests need no macro.
struct Weight: Model, Equatable {
    typealias ID = Identifier<Weight>
    typealias ModelVersion = Unversioned

    var id = ID()
    var value = 0.0

    static let entityName = "Weight"

    static var entity: Result<Entity, StoreError> {
        .success(
            Entity(
                "Weight",
                attributes: [Attribute("id", type: .uuid), Attribute("value", type: .double)],
                indexes: [Index(["value"])]))
    }

    static func attributeName(of keyPath: PartialKeyPath<Self>) -> String? {
        switch keyPath {
        case \.id: "id"
        case \.value: "value"
        default: nil
        }
    }

    init(_ value: Double) { self.value = value }

    init(from row: inout RowReader) throws {
        id = try row.read()
        value = try row.read()
    }

    func encode(into row: inout RowWriter) throws {
        try row.write(id)
        try row.write(value)
    }
}

/// Opens a store of weights.
func openStore(
    _ path: String, access: OpenOptions.Access = .readWrite, createsIfMissing: Bool = true,
    role: StoreRole = .active
) async throws -> any Store {
    let settings = try StoreSettings(["path": path, "busyTimeout": "0.2"], for: SQLitePlugin.self)
    return try await SQLitePlugin.open(
        settings, schema: Schema(version: SchemaVersion(1), models: [Weight.self]),
        options: OpenOptions(
            access: access, createsIfMissing: createsIfMissing, role: role, keepsHistory: true))
}
