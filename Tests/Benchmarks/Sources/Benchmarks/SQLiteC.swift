import BabyMonitorKit
import Foundation
import GRDBSQLite
import Switchyard
import SwitchyardCore

/// SQLite through its C API, as a careful hand would write it.
final class SQLiteC {
    private var connection: OpaquePointer?
    static let columns =
        #""id", "profile", "startTime", "endTime", "amountValue", "amountUnitSymbol", "feedType", "memoText""#

    init(_ path: String) throws {
        try check(sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil))
    }

    deinit { sqlite3_close_v2(connection) }

    /// The texts in the first column of a result.
    func texts(_ sql: String) throws -> [String] {
        let statement = try prepare(sql)
        defer { sqlite3_finalize(statement) }
        var texts: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW { texts.append(text(statement, 0) ?? "") }
        return texts
    }

    func execute(_ sql: String) throws { try check(sqlite3_exec(connection, sql, nil, nil, nil)) }

    func all() throws -> [FeedSession] {
        let statement = try prepare(#"SELECT \#(Self.columns) FROM "FeedSession" ORDER BY "id""#)
        defer { sqlite3_finalize(statement) }
        return try rows(statement)
    }

    func find(_ ids: [UUID]) throws -> [FeedSession] {
        let statement = try prepare(#"SELECT \#(Self.columns) FROM "FeedSession" WHERE "id" = ?"#)
        defer { sqlite3_finalize(statement) }
        var found: [FeedSession] = []
        for id in ids {
            bind(id, to: statement, at: 1)
            found += try rows(statement)
            sqlite3_reset(statement)
        }
        return found
    }

    /// Finds each row in a transaction of its own.
    func findEach(_ ids: [UUID]) throws -> Int {
        let statement = try prepare(#"SELECT \#(Self.columns) FROM "FeedSession" WHERE "id" = ?"#)
        let (begin, commit) = (try prepare("BEGIN"), try prepare("COMMIT"))
        defer { for used in [statement, begin, commit] { sqlite3_finalize(used) } }
        var count = 0
        for id in ids {
            try step(begin)
            bind(id, to: statement, at: 1)
            count += try rows(statement).count
            sqlite3_reset(statement)
            try step(commit)
        }
        return count
    }

    /// Inserts rows, each in a transaction of its own or all in one.
    func insert(_ feeds: [FeedSession], each: Bool, onConflict: String = "") throws {
        let statement = try prepare(
            #"""
            INSERT INTO "FeedSession" (\#(Self.columns), "memoText_search")
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) \#(onConflict)
            """#)
        let (begin, commit) = (try prepare("BEGIN IMMEDIATE"), try prepare("COMMIT"))
        defer { for used in [statement, begin, commit] { sqlite3_finalize(used) } }
        if !each { try step(begin) }
        for feed in feeds {
            if each { try step(begin) }
            bind(feed, to: statement)
            try step(statement)
            if each { try step(commit) }
        }
        if !each { try step(commit) }
    }

    /// Inserts rows, and updates those that are there.
    func upsert(_ feeds: [FeedSession]) throws {
        let names = [
            "profile", "startTime", "endTime", "amountValue", "amountUnitSymbol", "feedType", "memoText",
            "memoText_search",
        ]
        let changes = names.map { #""\#($0)" = excluded."\#($0)""# }.joined(separator: ", ")
        try insert(feeds, each: false, onConflict: #"ON CONFLICT ("id") DO UPDATE SET \#(changes)"#)
    }

    /// Updates rows by their ids in one transaction.
    func update(_ feeds: [FeedSession]) throws {
        let statement = try prepare(
            #"""
            UPDATE "FeedSession" SET "profile" = ?2, "startTime" = ?3, "endTime" = ?4, "amountValue" = ?5,
                "amountUnitSymbol" = ?6, "feedType" = ?7, "memoText" = ?8, "memoText_search" = ?9 WHERE "id" = ?1
            """#)
        let (begin, commit) = (try prepare("BEGIN IMMEDIATE"), try prepare("COMMIT"))
        defer { for used in [statement, begin, commit] { sqlite3_finalize(used) } }
        try step(begin)
        for feed in feeds {
            bind(feed, to: statement)
            try step(statement)
        }
        try step(commit)
    }

    private func step(_ statement: OpaquePointer?) throws {
        let code = sqlite3_step(statement)
        sqlite3_reset(statement)
        try check(code == SQLITE_DONE ? SQLITE_OK : code)
    }

    private func bind(_ feed: FeedSession, to statement: OpaquePointer?) {
        func bind(_ text: String?, at index: Int32) {
            guard let text else {
                sqlite3_bind_null(statement, index)
                return
            }
            sqlite3_bind_text(statement, index, text, -1, Self.transient)
        }
        func bind(_ date: Date?, at index: Int32) {
            guard let date else {
                sqlite3_bind_null(statement, index)
                return
            }
            sqlite3_bind_int64(statement, index, Int64((date.timeIntervalSince1970 * 1_000_000).rounded()))
        }
        self.bind(feed.id.uuid, to: statement, at: 1)
        if let profile = feed.profile { self.bind(profile.uuid, to: statement, at: 2) }
        bind(feed.startTime, at: 3)
        bind(feed.endTime, at: 4)
        sqlite3_bind_double(statement, 5, feed.amountValue ?? 0)
        bind(feed.amountUnitSymbol, at: 6)
        bind(feed.feedType?.rawValue, at: 7)
        bind(feed.memoText, at: 8)
        bind(feed.memoText.map { SearchFolding.fold($0) }, at: 9)
    }

    func days(_ questions: [(baby: UUID, from: Date, until: Date)]) throws -> Int {
        let statement = try prepare(
            #"""
            SELECT \#(Self.columns) FROM "FeedSession"
            WHERE "profile" = ? AND "startTime" >= ? AND "startTime" < ? ORDER BY "startTime", "id"
            """#)
        defer { sqlite3_finalize(statement) }
        var count = 0
        for question in questions {
            bind(question.baby, to: statement, at: 1)
            sqlite3_bind_int64(
                statement, 2, Int64((question.from.timeIntervalSince1970 * 1_000_000).rounded()))
            sqlite3_bind_int64(
                statement, 3, Int64((question.until.timeIntervalSince1970 * 1_000_000).rounded()))
            count += try rows(statement).count
            sqlite3_reset(statement)
        }
        return count
    }

    func rows(_ statement: OpaquePointer?) throws -> [FeedSession] {
        var feeds: [FeedSession] = []
        while true {
            let code = sqlite3_step(statement)
            guard code == SQLITE_ROW else {
                try check(code == SQLITE_DONE ? SQLITE_OK : code)
                return feeds
            }
            feeds.append(
                FeedSession(
                    id: Identifier(uuid(statement, 0) ?? UUID()),
                    startTime: date(statement, 2) ?? .now, endTime: date(statement, 3),
                    amountValue: sqlite3_column_type(statement, 4) == SQLITE_NULL
                        ? nil : sqlite3_column_double(statement, 4),
                    amountUnitSymbol: text(statement, 5),
                    feedType: text(statement, 6).flatMap { FeedType(rawValue: $0) },
                    memoText: text(statement, 7), profile: uuid(statement, 1).map { Identifier($0) }))
        }
    }

    func uuid(_ statement: OpaquePointer?, _ column: Int32) -> UUID? {
        guard let bytes = sqlite3_column_blob(statement, column) else { return nil }
        return UUID(uuid: UnsafeRawPointer(bytes).loadUnaligned(as: uuid_t.self))
    }

    func date(_ statement: OpaquePointer?, _ column: Int32) -> Date? {
        guard sqlite3_column_type(statement, column) != SQLITE_NULL else { return nil }
        return Date(timeIntervalSince1970: Double(sqlite3_column_int64(statement, column)) / 1_000_000)
    }

    func text(_ statement: OpaquePointer?, _ column: Int32) -> String? {
        guard let bytes = sqlite3_column_text(statement, column) else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func bind(_ uuid: UUID, to statement: OpaquePointer?, at index: Int32) {
        withUnsafeBytes(of: uuid.uuid) {
            _ = sqlite3_bind_blob(statement, index, $0.baseAddress, 16, Self.transient)
        }
    }

    private static var transient: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    func prepare(_ sql: String) throws -> OpaquePointer? {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(connection, sql, -1, &statement, nil))
        return statement
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else {
            throw MeasurementError(String(cString: sqlite3_errmsg(connection)))
        }
    }
}

/// A measurement that could not be made.
struct MeasurementError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
