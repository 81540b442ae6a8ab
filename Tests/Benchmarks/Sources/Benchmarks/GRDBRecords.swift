import BabyMonitorKit
import Foundation
import GRDB

/// A feed as a GRDB user writes it.
struct FeedRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "feed"

    var id: UUID
    var profile: UUID?
    var startTime: Date
    var endTime: Date?
    var amountValue: Double?
    var amountUnitSymbol: String?
    var feedType: FeedType?
    var memoText: String?

    init(_ feed: FeedSession) {
        id = feed.id.uuid
        profile = feed.profile?.uuid
        startTime = feed.startTime
        endTime = feed.endTime
        amountValue = feed.amountValue
        amountUnitSymbol = feed.amountUnitSymbol
        feedType = feed.feedType
        memoText = feed.memoText
    }
}

/// GRDB's records in a database of their own, with the columns, the reference and the indexes of the store's
/// table.
enum GRDBRecords {
    static func database(_ path: String, indexesLike store: String) throws -> DatabasePool {
        let pool = try DatabasePool(path: path)
        try pool.write { db in
            guard try !db.tableExists("feed") else { return }
            try db.create(table: "baby") { table in table.primaryKey("id", .blob) }
            for baby in Feeds.babies {
                try db.execute(sql: "INSERT INTO baby (id) VALUES (?)", arguments: [baby.id.uuid])
            }
            try db.create(table: "feed") { table in
                table.primaryKey("id", .blob)
                table.column("profile", .blob).references("baby", deferred: true)
                table.column("startTime", .datetime).notNull()
                table.column("endTime", .datetime)
                table.column("amountValue", .double)
                table.column("amountUnitSymbol", .text)
                table.column("feedType", .text)
                table.column("memoText", .text)
            }
            for (number, definition) in try indexes(of: store).enumerated() {
                try db.execute(sql: "CREATE INDEX feed_\(number) ON feed \(definition)")
            }
        }
        return pool
    }

    /// The columns of each index of the store's own table, so that both sides keep the same ones.
    static func indexes(of path: String) throws -> [String] {
        var configuration = Configuration()
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration).read { db in
            try String.fetchAll(
                db,
                sql:
                    "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'FeedSession' AND sql NOT NULL"
            )
        }.compactMap { sql in sql.firstIndex(of: "(").map { String(sql[$0...]) } }
    }
}

extension FeedType: @retroactive DatabaseValueConvertible {}
