import Foundation
import PostgresTestServer
import SwitchyardCore
import SwitchyardMirror

/// Tries every kind of statement on every table as everybody, with the second wall alone, and looks at what each has read and
/// changed.
///
/// The statements run in transactions of a superuser who has become the service's role, and so can look at all rows afterwards.
struct FencedMatrix {
    /// A row of any table, as a superuser sees it.
    private struct Row: Hashable {
        let table: String
        let scope: String?
        /// The kind of a record of the mirror.
        let kind: Int?
        let json: String
    }

    private(set) var cases = 0
    /// What was read, changed or learnt by somebody who must not.
    private(set) var leaks: [String] = []
    /// What was refused to somebody who may.
    private(set) var refusals: [String] = []

    private let houses: FencedHouses
    private let connection: RawConnection
    /// The unquoted names of the tables, and an assignment that changes a row of each.
    private let changes: [String: String]
    private var base: Set<Row> = []

    /// - Parameters:
    ///   - houses: The households, and everybody who asks.
    ///   - schema: The store's schema, whose tables are those of the matrix.
    /// - Throws: `RawFailure` if the server does not answer.
    init(_ houses: FencedHouses, _ schema: Schema) throws {
        self.houses = houses
        connection = try RawConnection(PostgresServer.url ?? "")
        try connection.require("SET search_path = \(houses.place.schema), pg_temp")
        var changes = [
            "switchyard_store": "generation = generation + 1",
            "switchyard_queue": "switchyard_scope = gen_random_uuid()",
            "switchyard_operation": "committed_at = committed_at + interval '1 day'",
            "switchyard_history": "author = 'somebody else'",
            "switchyard_history_block": "changes = '\\x02'",
            "switchyard_history_consumer": "sequence = sequence + 1",
            "switchyard_mirror": "number = number + 1",
        ]
        for entity in schema.entities {
            let attribute = entity.attributes.first { $0.name != "id" && $0.type == .int || $0.type == .text }
            changes[entity.table] = attribute.map {
                "\"\($0.column)\" = \($0.type == .int ? "\"\($0.column)\" + 1" : "\"\($0.column)\" || 'x'")"
            }
        }
        self.changes = changes
        base = try dump()
    }

    /// Tries everything on all tables, or on one.
    mutating func run(only name: String? = nil) throws {
        for actor in houses.actors {
            for table in changes.keys.sorted() where name == nil || name == table { try run(actor, table) }
        }
    }

    private mutating func run(_ actor: FencedHouses.Actor, _ table: String) throws {
        try connection.require("BEGIN")
        defer { _ = connection.run("ROLLBACK") }
        try connection.require(actor.settings())
        let name = "\"\(table)\""
        let hasScope = table != "switchyard_store"
        let hasID = hasScope && table != "switchyard_queue"
        let scope = hasScope ? "switchyard_scope::text" : "NULL"
        let found = "\(scope), to_jsonb(\(name))::text"
        let change = changes[table] ?? ""
        let readable = base.filter { $0.table == table && mayRead($0, actor) }.count
        let selected = try attempt(actor, table, "select", "SELECT \(found) FROM \(name)")
        if selected.rows.count < readable { refusals.append("\(actor.name) does not read all of \(table)") }
        _ = try attempt(actor, table, "update", "UPDATE \(name) SET \(change)")
        _ = try attempt(actor, table, "update returning", "UPDATE \(name) SET \(change) RETURNING \(found)")
        _ = try attempt(actor, table, "delete", "DELETE FROM \(name)")
        _ = try attempt(actor, table, "delete returning", "DELETE FROM \(name) RETURNING \(found)")
        _ = try attempt(actor, table, "truncate", "TRUNCATE \(name)")
        _ = try attempt(actor, table, "lock rows", "SELECT \(found) FROM \(name) FOR UPDATE")
        guard hasScope else { return }
        let (home, foreign) = (Self.text(houses.home), Self.text(houses.foreign))
        for (own, other) in [(home, foreign), (foreign, home)] {
            let place = own == home ? "home" : "foreign"
            let isOwn = "switchyard_scope = '\(own)'"
            _ = try attempt(
                actor, table, "select \(place)", "SELECT \(found) FROM \(name) WHERE \(isOwn)")
            let count = try attempt(
                actor, table, "count \(place)", "SELECT count(*) FROM \(name) WHERE \(isOwn)")
            let seen = base.filter { $0.table == table && $0.scope == own && mayRead($0, actor) }.count
            if count.sqlState == nil, count.rows != [["\(seen)"]] {
                leaks.append("\(actor.name) counts others' rows of \(table) at \(place)")
            }
            _ = try attempt(
                actor, table, "update \(place)", "UPDATE \(name) SET \(change) WHERE \(isOwn)")
            _ = try attempt(actor, table, "delete \(place)", "DELETE FROM \(name) WHERE \(isOwn)")
            // Without a condition, nothing of the rows is read.
            _ = try attempt(
                actor, table, "move to \(place)", "UPDATE \(name) SET switchyard_scope = '\(own)'")
            _ = try attempt(
                actor, table, "move from \(place)",
                "UPDATE \(name) SET switchyard_scope = '\(other)' WHERE \(isOwn)")
            guard hasID else { continue }
            for row in samples(of: table, in: own) { try insert(row, actor, place, own) }
        }
        guard hasID, let scope = actor.scope.map(Self.text) else { return }
        // A key of another household is free in this one.
        let other = scope == home ? foreign : home
        for row in samples(of: table, in: other) {
            // A number in the history is not the household's alone, and so is no key to look for.
            let number = try Self.object(row.json)["id"] as? NSNumber
            let id = number.map { ["id": $0.int64Value + 1_000] } ?? [:]
            let taken = try attempt(
                actor, table, "unique probe", try insertion(row, isNew: false, in: scope, setting: id))
            let free = try attempt(
                actor, table, "unique probe, without", try insertion(row, isNew: true, in: scope))
            if taken != free {
                leaks.append("\(actor.name) learns of a key of another household in \(table)")
            }
        }
        for (column, target) in houses.references[table, default: [:]] {
            for row in samples(of: target, in: other) {
                guard let own = samples(of: table, in: scope).first, let id = try Self.object(row.json)["id"]
                else { continue }
                let insert = try insertion(own, isNew: true, setting: [column: id])
                _ = try attempt(
                    actor, table, "foreign reference",
                    "WITH made AS (\(insert) RETURNING \"\(column)\") SELECT t.switchyard_scope::text, to_jsonb(t)::text "
                        + "FROM made JOIN \"\(target)\" AS t ON t.id = made.\"\(column)\"")
            }
        }
    }

    /// Inserts a row at a place, anew and as it is there already.
    private mutating func insert(
        _ row: Row, _ actor: FencedHouses.Actor, _ place: String, _ scope: String
    ) throws {
        let (table, name) = (row.table, "\"\(row.table)\"")
        let found = "switchyard_scope::text, to_jsonb(\(name))::text"
        let place = row.kind.map { "\(place), kind \($0)" } ?? place
        let (new, old) = (try insertion(row, isNew: true), try insertion(row, isNew: false))
        let inserted = try attempt(actor, table, "insert \(place)", new)
        if houses.models.contains(table), actor.rights(in: scope).writes != (inserted.sqlState == nil) {
            refusals.append("\(actor.name) inserts into \(table) at \(place): \(inserted.sqlState ?? "done")")
        }
        _ = try attempt(actor, table, "insert returning \(place)", new + " RETURNING \(found)")
        let change = (changes[table] ?? "").qualified(by: name)
        let upsert = " ON CONFLICT (switchyard_scope, id) DO UPDATE SET \(change)"
        _ = try attempt(actor, table, "upsert \(place)", old + upsert)
        _ = try attempt(actor, table, "upsert returning \(place)", old + upsert + " RETURNING \(found)")
        // Whether a row is there must make no difference to who may not see it.
        guard !mayRead(row, actor) else { return }
        for (word, end) in [("insert", ""), ("ignore", " ON CONFLICT DO NOTHING"), ("upsert", upsert)] {
            let present = try attempt(actor, table, "probe by \(word) \(place)", old + end)
            let absent = try attempt(actor, table, "probe by \(word) \(place), without", new + end)
            if present != absent {
                leaks.append("\(actor.name) learns by \(word) whether a row of \(table) exists at \(place)")
            }
        }
    }

    /// A row of a table in a household, and of the mirror's records one of each kind.
    private func samples(of table: String, in scope: String) -> [Row] {
        let rows = base.filter { $0.table == table && $0.scope == scope }.sorted { $0.json < $1.json }
        return Dictionary(grouping: rows, by: \.kind).sorted { $0.key ?? 0 < $1.key ?? 0 }.compactMap(
            \.value.first)
    }

    /// Runs one statement as somebody, and notes what it has read or changed that it must not.
    private mutating func attempt(
        _ actor: FencedHouses.Actor, _ table: String, _ name: String, _ sql: String
    ) throws -> RawConnection.Outcome {
        cases += 1
        try connection.require("SAVEPOINT attempt")
        try connection.require("SET LOCAL ROLE \(houses.place.login)")
        let outcome = connection.run(sql)
        let title = "\(actor.name), \(table), \(name)"
        if outcome.sqlState == nil {
            try connection.require("RESET ROLE")
            for row in outcome.rows where row.count == 2 && table != "switchyard_store" {
                let isRead = mayRead(
                    Row(table: table, scope: row[0], kind: Self.kind(row[1]), json: row[1] ?? ""), actor)
                if !isRead { leaks.append("\(title): read") }
            }
            let after = try dump()
            for row in base.subtracting(after) where !mayChange(row, actor, isAdded: false) {
                leaks.append("\(title): removed a row of \(row.table)")
            }
            for row in after.subtracting(base) where !mayChange(row, actor, isAdded: true) {
                leaks.append("\(title): made a row of \(row.table)")
            }
        }
        try connection.require("ROLLBACK TO SAVEPOINT attempt")
        try connection.require("RELEASE SAVEPOINT attempt")
        return outcome
    }

    // MARK: What is right

    private func mayRead(_ row: Row, _ actor: FencedHouses.Actor) -> Bool {
        if row.table == "switchyard_store" { return true }
        if actor.rights(in: row.scope).reads { return true }
        // Who was a member learns of the end by the own device's record.
        guard row.table == "switchyard_mirror", row.scope == actor.scope.map(Self.text), row.kind == 16,
            let token = actor.token, let record = actor.record
        else { return false }
        return row.json.contains(record.uuidString.lowercased()) && row.json.contains(Self.hex(token.digest))
    }

    private func mayChange(_ row: Row, _ actor: FencedHouses.Actor, isAdded: Bool) -> Bool {
        let rights = actor.rights(in: row.scope)
        switch row.table {
        case "switchyard_history", "switchyard_history_block": return rights.writes && isAdded
        case "switchyard_queue": return rights.reads && isAdded
        case "switchyard_mirror":
            switch row.kind {
            case 5: return rights.reads
            case 6, 9: return rights.writes
            case 15, 16, 17: return rights.manages
            default: return false
            }
        case let table: return houses.models.contains(table) && rights.writes
        }
    }

    // MARK: Rows

    private func dump() throws -> Set<Row> {
        let queries = changes.keys.sorted().map { table in
            let scope = table == "switchyard_store" ? "NULL" : "switchyard_scope::text"
            return "SELECT '\(table)', \(scope), to_jsonb(t)::text FROM \"\(table)\" AS t"
        }
        return Set(
            try connection.require(queries.joined(separator: " UNION ALL ")).map { row in
                Row(
                    table: row[0] ?? "", scope: row[1],
                    kind: row[0] == "switchyard_mirror" ? Self.kind(row[2]) : nil, json: row[2] ?? "")
            })
    }

    /// The statement that inserts a copy of a row, with keys of its own or with the same ones.
    private func insertion(
        _ row: Row, isNew: Bool, in scope: String? = nil, setting values: [String: Any] = [:]
    ) throws -> String {
        var object = try Self.object(row.json).merging(values) { $1 }
        if let scope { object["switchyard_scope"] = scope }
        if isNew {
            for key in ["id", "transaction", "name", "code"] {
                switch object[key] {
                case is String: object[key] = UUID().uuidString.lowercased()
                case let number as NSNumber: object[key] = number.int64Value + 1_000
                default: break
                }
            }
        }
        let json = String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
        let literal = json.replacing("'", with: "''")
        return
            "INSERT INTO \"\(row.table)\" SELECT * FROM jsonb_populate_record(NULL::\"\(row.table)\", '\(literal)')"
    }

    private static func object(_ json: String) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any] ?? [:]
    }

    private static func kind(_ json: String?) -> Int? {
        json.flatMap { try? object($0)["kind"] as? Int }
    }

    private static func text(_ scope: StoreScope) -> String { scope.uuid.uuidString.lowercased() }

    /// The bytes of a digest in base64, as the text of a record's column shows them.
    private static func hex(_ digest: Data) -> String {
        Data(digest.base64EncodedString().replacing("/", with: "\\/").utf8).map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }.joined()
    }
}

extension FencedHouses {
    /// The tables of the app's own entities.
    var models: Set<String> { ["Feed", "Note"] }
    /// The references between them: the target of each column, by the table.
    var references: [String: [String: String]] { ["Note": ["feed": "Feed"]] }
}

extension String {
    /// An assignment whose right side names the table's own row.
    fileprivate func qualified(by table: String) -> String {
        let sides = split(separator: " = ", maxSplits: 1).map(String.init)
        guard sides.count == 2, sides[1].hasPrefix(sides[0]) else { return self }
        return "\(sides[0]) = \(table).\(sides[1])"
    }
}
