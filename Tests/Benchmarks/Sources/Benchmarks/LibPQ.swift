import BabyMonitor
import BenchmarkLibPQ
import Foundation
import Switchyard

/// PostgreSQL through libpq, in binary, as a careful hand would write it.
final class LibPQ {
    private let connection: OpaquePointer?

    init(_ url: String) throws {
        connection = PQconnectdb(url)
        guard PQstatus(connection) == CONNECTION_OK else { throw MeasurementError("no connection") }
    }

    deinit { PQfinish(connection) }

    func execute(_ sql: String) throws {
        let result = PQexec(connection, sql)
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
            throw MeasurementError(String(cString: PQerrorMessage(connection)))
        }
    }

    func all(in namespace: String) throws -> [FeedSession] {
        let sql = #"""
            SELECT "id", "profile", "startTime", "endTime", "amountValue", "amountUnitSymbol", "feedType", "memoText"
            FROM "\#(namespace)"."FeedSession" ORDER BY "id"
            """#
        let result = PQexecParams(connection, sql, 0, nil, nil, nil, nil, 1)
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_TUPLES_OK else {
            throw MeasurementError(String(cString: PQerrorMessage(connection)))
        }
        return (0..<PQntuples(result)).map { row in
            FeedSession(
                id: Identifier(uuid(result, row, 0) ?? UUID()),
                startTime: date(result, row, 2) ?? .now, endTime: date(result, row, 3),
                amountValue: number(result, row, 4).map { Double(bitPattern: $0) },
                amountUnitSymbol: text(result, row, 5),
                feedType: text(result, row, 6).flatMap { FeedType(rawValue: $0) },
                memoText: text(result, row, 7), profile: uuid(result, row, 1).map { Identifier($0) })
        }
    }

    private func uuid(_ result: OpaquePointer?, _ row: Int32, _ column: Int32) -> UUID? {
        guard PQgetisnull(result, row, column) == 0 else { return nil }
        return UUID(uuid: UnsafeRawPointer(PQgetvalue(result, row, column)).loadUnaligned(as: uuid_t.self))
    }

    private func number(_ result: OpaquePointer?, _ row: Int32, _ column: Int32) -> UInt64? {
        guard PQgetisnull(result, row, column) == 0 else { return nil }
        return UInt64(
            bigEndian: UnsafeRawPointer(PQgetvalue(result, row, column)).loadUnaligned(as: UInt64.self))
    }

    private func date(_ result: OpaquePointer?, _ row: Int32, _ column: Int32) -> Date? {
        // PostgreSQL counts from 2000-01-01, 946,684,800 s after 1970.
        number(result, row, column).map {
            Date(timeIntervalSince1970: Double(Int64(bitPattern: $0)) / 1_000_000 + 946_684_800)
        }
    }

    private func text(_ result: OpaquePointer?, _ row: Int32, _ column: Int32) -> String? {
        guard PQgetisnull(result, row, column) == 0, let bytes = PQgetvalue(result, row, column) else {
            return nil
        }
        let count = Int(PQgetlength(result, row, column))
        return bytes.withMemoryRebound(to: UInt8.self, capacity: count) {
            String(decoding: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self)
        }
    }
}
