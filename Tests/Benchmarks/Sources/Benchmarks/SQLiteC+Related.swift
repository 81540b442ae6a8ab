import BabyMonitorKit
import Foundation
import GRDBSQLite
import Switchyard
import SwitchyardCore

/// Related rows as a careful hand would read them: one statement for each relationship, or for each baby where it looks up few rows.
extension SQLiteC {
    /// Reads the babies, each with its last three feeds, their number and their sum.
    ///
    /// - Returns: The number of feeds that were read and counted.
    func cards() throws -> Int {
        try execute("BEGIN")
        defer { try? execute("COMMIT") }
        let babies = try babies()
        var cards: [UUID: (baby: BabyProfile, last: [FeedSession], count: Int, sum: Double)] = [:]
        for baby in babies { cards[baby.id.uuid] = (baby, [], 0, 0) }
        let figures = try prepare(
            #"SELECT "profile", COUNT(*), SUM("amountValue") FROM "FeedSession" GROUP BY "profile""#)
        defer { sqlite3_finalize(figures) }
        while sqlite3_step(figures) == SQLITE_ROW {
            guard let baby = uuid(figures, 0) else { continue }
            cards[baby]?.count = Int(sqlite3_column_int64(figures, 1))
            cards[baby]?.sum = sqlite3_column_double(figures, 2)
        }
        let last = try prepare(
            #"""
            SELECT \#(Self.columns) FROM "FeedSession" WHERE "profile" = ? ORDER BY "startTime" DESC, "id" LIMIT 3
            """#)
        defer { sqlite3_finalize(last) }
        for baby in babies {
            bind(baby.id.uuid, to: last, at: 1)
            cards[baby.id.uuid]?.last = try rows(last)
            sqlite3_reset(last)
        }
        return babies.reduce(0) { sum, baby in
            sum + (cards[baby.id.uuid].map { $0.last.count + $0.count } ?? 0)
        }
    }

    /// Reads the babies, each with its feeds and its diaper changes.
    ///
    /// - Returns: The number of both.
    func children() throws -> Int {
        try execute("BEGIN")
        defer { try? execute("COMMIT") }
        let babies = try babies()
        let statement = try prepare(
            #"SELECT \#(Self.columns) FROM "FeedSession" ORDER BY "profile", "startTime", "id""#)
        defer { sqlite3_finalize(statement) }
        let feeds = Dictionary(grouping: try rows(statement)) { $0.profile?.uuid }
        let changes = try prepare(
            #"""
            SELECT "id", "timestamp", "type", "memoText", "profile" FROM "DiaperChange"
            ORDER BY "profile", "timestamp", "id"
            """#)
        defer { sqlite3_finalize(changes) }
        var diapers: [UUID: [DiaperChange]] = [:]
        while sqlite3_step(changes) == SQLITE_ROW {
            guard let baby = uuid(changes, 4) else { continue }
            diapers[baby, default: []].append(
                DiaperChange(
                    id: Identifier(uuid(changes, 0) ?? UUID()), timestamp: date(changes, 1) ?? .now,
                    type: text(changes, 2).flatMap { DiaperType(rawValue: $0) } ?? .pee,
                    memoText: text(changes, 3), profile: Identifier(baby)))
        }
        return babies.reduce(0) { sum, baby in
            sum + (feeds[baby.id.uuid]?.count ?? 0) + (diapers[baby.id.uuid]?.count ?? 0)
        }
    }

    private func babies() throws -> [BabyProfile] {
        let statement = try prepare(
            #"SELECT "id", "name", "createdAt", "feedTerm" FROM "BabyProfile" ORDER BY "id""#)
        defer { sqlite3_finalize(statement) }
        var babies: [BabyProfile] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            babies.append(
                BabyProfile(
                    id: Identifier(uuid(statement, 0) ?? UUID()), name: text(statement, 1) ?? "",
                    createdAt: date(statement, 2) ?? .now, feedTerm: sqlite3_column_double(statement, 3)))
        }
        return babies
    }
}
