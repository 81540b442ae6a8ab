import BabyMonitorKit
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

    private func selectAll(in namespace: String) -> String {
        #"""
        SELECT "id", "profile", "startTime", "endTime", "amountValue", "amountUnitSymbol", "feedType", "memoText"
        FROM "\#(namespace)"."FeedSession" ORDER BY "id"
        """#
    }

    /// Fetches each row in a result of its own, while the server goes on.
    func allRowByRow(in namespace: String) throws -> [FeedSession] {
        guard PQsendQueryParams(connection, selectAll(in: namespace), 0, nil, nil, nil, nil, 1) == 1,
            PQsetSingleRowMode(connection) == 1
        else { throw MeasurementError(String(cString: PQerrorMessage(connection))) }
        var feeds: [FeedSession] = []
        while let result = PQgetResult(connection) {
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_SINGLE_TUPLE: feeds.append(feed(result, 0))
            case PGRES_TUPLES_OK: continue
            default: throw MeasurementError(String(cString: PQerrorMessage(connection)))
            }
        }
        return feeds
    }

    /// Fetches the rows as `COPY … TO STDOUT` sends them.
    func allByCopy(in namespace: String) throws -> [FeedSession] {
        let result = PQexec(connection, "COPY (\(selectAll(in: namespace))) TO STDOUT (FORMAT binary)")
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COPY_OUT else {
            throw MeasurementError(String(cString: PQerrorMessage(connection)))
        }
        var feeds: [FeedSession] = []
        var isFirst = true
        while true {
            var buffer: UnsafeMutablePointer<CChar>?
            let count = PQgetCopyData(connection, &buffer, 0)
            guard count > 0, let buffer else { break }
            defer { PQfreemem(buffer) }
            // Signature, flags and the length of an extension stand before the first row.
            var tuple = CopyTuple(
                bytes: UnsafeRawBufferPointer(start: buffer, count: Int(count)), offset: isFirst ? 19 : 0)
            isFirst = false
            if let feed = tuple.feed() { feeds.append(feed) }
        }
        return feeds
    }

    func all(in namespace: String) throws -> [FeedSession] {
        let result = PQexecParams(connection, selectAll(in: namespace), 0, nil, nil, nil, nil, 1)
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_TUPLES_OK else {
            throw MeasurementError(String(cString: PQerrorMessage(connection)))
        }
        return (0..<PQntuples(result)).map { feed(result, $0) }
    }

    private func feed(_ result: OpaquePointer?, _ row: Int32) -> FeedSession {
        FeedSession(
            id: Identifier(uuid(result, row, 0) ?? UUID()),
            startTime: date(result, row, 2) ?? .now, endTime: date(result, row, 3),
            amountValue: number(result, row, 4).map { Double(bitPattern: $0) },
            amountUnitSymbol: text(result, row, 5),
            feedType: text(result, row, 6).flatMap { FeedType(rawValue: $0) },
            memoText: text(result, row, 7), profile: uuid(result, row, 1).map { Identifier($0) })
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

/// One row of `COPY … TO STDOUT (FORMAT binary)`.
private struct CopyTuple {
    let bytes: UnsafeRawBufferPointer
    var offset: Int

    mutating func feed() -> FeedSession? {
        let count = Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self))
        offset += 2
        // -1 ends the rows.
        guard count == 8 else { return nil }
        let (id, profile, start, end) = (field(), field(), field(), field())
        let (amount, unit, type, memo) = (field(), field(), field(), field())
        return FeedSession(
            id: Identifier(uuid(id) ?? UUID()), startTime: date(start) ?? .now, endTime: date(end),
            amountValue: number(amount).map { Double(bitPattern: $0) }, amountUnitSymbol: text(unit),
            feedType: text(type).flatMap { FeedType(rawValue: $0) }, memoText: text(memo),
            profile: uuid(profile).map { Identifier($0) })
    }

    private mutating func field() -> Range<Int>? {
        let length = Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
        offset += 4
        guard length >= 0 else { return nil }
        defer { offset += length }
        return offset..<offset + length
    }

    private func uuid(_ field: Range<Int>?) -> UUID? {
        field.map { UUID(uuid: bytes.loadUnaligned(fromByteOffset: $0.lowerBound, as: uuid_t.self)) }
    }

    private func number(_ field: Range<Int>?) -> UInt64? {
        field.map { UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: $0.lowerBound, as: UInt64.self)) }
    }

    private func date(_ field: Range<Int>?) -> Date? {
        number(field).map {
            Date(timeIntervalSince1970: Double(Int64(bitPattern: $0)) / 1_000_000 + 946_684_800)
        }
    }

    private func text(_ field: Range<Int>?) -> String? {
        field.map { String(decoding: bytes[$0], as: UTF8.self) }
    }
}
