import Foundation
import GRDB
import SQLiteStore
import SwitchyardCore
import Synchronization

/// A model with an index of every kind, written by hand so that these tests need no macro.
///
/// Its code is its id unless another is given, so that no two entries meet in it.
struct Entry: Model, Equatable {
    typealias ID = Identifier<Entry>
    typealias ModelVersion = Unversioned

    var id = ID()
    var first: Int64?
    var second: Int64?
    var rank: Int64 = 0
    var title: String?
    var code: String?
    var price: Decimal?

    static let entityName = "Entry"

    static var entity: Result<Entity, StoreError> {
        .success(
            Entity(
                "Entry",
                attributes: [
                    Attribute("id", type: .uuid),
                    Attribute("first", type: .int, isOptional: true),
                    Attribute("second", type: .int, isOptional: true),
                    Attribute("rank", type: .int),
                    Attribute("title", type: .text, isOptional: true, isSearchable: true),
                    Attribute("code", type: .text, isOptional: true),
                    Attribute("price", type: .decimal, isOptional: true),
                ],
                indexes: [Index(["first"]), Index(["first", "second"]), Index(["rank"]), Index(["title"])],
                uniqueConstraints: [UniqueConstraint(["code", "price"], nilsAreDistinct: false)]))
    }

    static func attributeName(of keyPath: PartialKeyPath<Self>) -> String? {
        switch keyPath {
        case \.id: "id"
        case \.first: "first"
        case \.second: "second"
        case \.rank: "rank"
        case \.title: "title"
        case \.code: "code"
        case \.price: "price"
        default: nil
        }
    }

    init(
        first: Int64? = nil, second: Int64? = nil, rank: Int64 = 0, title: String? = nil, code: String? = nil,
        price: Decimal? = nil
    ) {
        self.first = first
        self.second = second
        self.rank = rank
        self.title = title
        self.code = code ?? "\(id)"
        self.price = price
    }

    init(from row: inout RowReader) throws {
        id = try row.read()
        first = try row.read()
        second = try row.read()
        rank = try row.read()
        title = try row.read()
        code = try row.read()
        price = try row.read()
    }

    func encode(into row: inout RowWriter) throws {
        try row.write(id)
        try row.write(first)
        try row.write(second)
        try row.write(rank)
        try row.write(title)
        try row.write(code)
        try row.write(price)
    }
}

/// A store of entries on a connection whose statements are noted.
final class TracedStore: Sendable {
    let store: SQLiteStore
    private let queue: DatabaseQueue
    private let statements = Mutex<[String]>([])

    init() async throws {
        queue = try DatabaseQueue()
        store = try await SQLiteStore(
            connection: queue, schema: Schema(version: SchemaVersion(1), models: [Entry.self]))
        try await queue.write { database in
            database.trace { [self] event in
                guard case .statement(let statement) = event else { return }
                let text = statement.expandedSQL
                statements.withLock { $0.append(text) }
            }
        }
    }

    /// The statements that the work runs on the rows of entries, with what is bound to them.
    func statements(of work: () async throws -> Void) async throws -> [String] {
        statements.withLock { $0 = [] }
        try await work()
        return statements.withLock { $0 }.filter {
            $0.contains("INTO \"Entry\"") || $0.contains("FROM \"Entry\"")
        }
    }

    /// The plan of each statement on entries that the work runs, a line for each step.
    func plans(of work: () async throws -> Void) async throws -> [[String]] {
        let noted = try await statements(of: work)
        return try await queue.read { database in
            try noted.map {
                try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + $0).map { $0["detail"] as String }
            }
        }
    }
}
