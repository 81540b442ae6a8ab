import Foundation
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Values to the server and back", .needsServer)
struct CodecTests {
    /// The server's own text form of what was sent, and the cell that comes back.
    private func check(
        _ value: StoredValue, _ type: WireType, text: String?, cell: TestCell,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let row = try await TestServer.withSession { session in
            try session.rows("SELECT $1::text, $1", [(value, type)])
        }
        #expect(
            row == [[text.map { .text($0) } ?? .null, cell]], "\(value) as \(type)",
            sourceLocation: sourceLocation)
    }

    @Test("booleans survive the PostgreSQL wire format")
    func bool() async throws {
        try await check(.bool(true), .bool, text: "true", cell: .integer(1))
        try await check(.bool(false), .bool, text: "false", cell: .integer(0))
        try await check(.null, .bool, text: nil, cell: .null)
    }

    @Test("integers survive the PostgreSQL wire format to the ends of their range")
    func int() async throws {
        try await check(.int(0), .int8, text: "0", cell: .integer(0))
        try await check(.int(-1), .int8, text: "-1", cell: .integer(-1))
        try await check(.int(.max), .int8, text: "9223372036854775807", cell: .integer(.max))
        try await check(.int(.min), .int8, text: "-9223372036854775808", cell: .integer(.min))
    }

    @Test("doubles keep their bits in the wire format; −0 becomes 0")
    func double() async throws {
        try await check(.double(0.1), .float8, text: "0.1", cell: .double(0.1))
        try await check(.double(-0.0), .float8, text: "0", cell: .double(0))
        try await check(
            .double(.leastNonzeroMagnitude), .float8, text: "5e-324", cell: .double(.leastNonzeroMagnitude))
        try await check(.double(.infinity), .float8, text: "Infinity", cell: .double(.infinity))
        try await check(.double(-.infinity), .float8, text: "-Infinity", cell: .double(-.infinity))
        #expect(
            #expect(throws: StoreError.self) { try StoredValue.double(.nan).withCell { _ in } }?.code
                == .valueNotRepresentable)
    }

    @Test("decimals survive the wire format exactly")
    func decimal() async throws {
        for text in [
            "0", "12.5", "-12.5", "10000", "0.0001", "99999999999999999999999999999999999999",
            "-0.0000000000000000000000000000000000001", "1234567890123456789.0123456789012345678",
        ] {
            let decimal = try #require(CanonicalDecimal.decimal(text))
            try await check(.decimal(decimal), .numeric, text: text, cell: .text(text))
        }
    }

    @Test("decimals calculated by the server arrive in canonical form")
    func decimalFromServer() async throws {
        let row = try await TestServer.withSession { session in
            try session.rows(
                "SELECT '12.50'::numeric, '1000.00'::numeric, '-0.00'::numeric, '1e20'::numeric, 1::numeric / 8"
            )
        }
        #expect(
            row == [
                [.text("12.5"), .text("1000"), .text("0"), .text("100000000000000000000"), .text("0.125")]
            ])
    }

    @Test("text survives the wire format byte for byte; empty is not null")
    func text() async throws {
        try await check(.text("Zoë 👶🏽"), .text, text: "Zoë 👶🏽", cell: .text("Zoë 👶🏽"))
        try await check(.text(""), .text, text: "", cell: .text(""))
        try await check(.null, .text, text: nil, cell: .null)
        try await check(.json(#"{"a":[1]}"#), .text, text: #"{"a":[1]}"#, cell: .text(#"{"a":[1]}"#))
        let length = try await TestServer.withSession { session in
            try session.cell("SELECT octet_length($1)", [(.text("e\u{301}"), .text)])
        }
        #expect(length == .integer(3))
        #expect(
            #expect(throws: StoreError.self) { try StoredValue.text("a\u{0}b").withCell { _ in } }?.code
                == .valueNotRepresentable)
    }

    @Test("blobs survive the wire format; empty is not null")
    func blob() async throws {
        try await check(
            .blob(Data([0, 255, 92, 39])), .bytea, text: #"\x00ff5c27"#, cell: .blob([0, 255, 92, 39]))
        try await check(.blob(Data()), .bytea, text: #"\x"#, cell: .blob([]))
        try await check(.null, .bytea, text: nil, cell: .null)
    }

    @Test("UUIDs survive the PostgreSQL wire format")
    func uuid() async throws {
        let uuid = try #require(UUID(uuidString: "0190A0B1-C2D3-7E4F-8A5B-6C7D8E9FA0B1"))
        try await check(
            .uuid(uuid), .uuid, text: "0190a0b1-c2d3-7e4f-8a5b-6c7d8e9fa0b1",
            cell: .blob([
                0x01, 0x90, 0xA0, 0xB1, 0xC2, 0xD3, 0x7E, 0x4F, 0x8A, 0x5B, 0x6C, 0x7D, 0x8E, 0x9F, 0xA0,
                0xB1,
            ]))
    }

    @Test("timestamps survive the wire format to the microsecond, from the year 1 to 9999")
    func timestamp() async throws {
        try await check(.timestamp(0), .timestamptz, text: "1970-01-01 00:00:00+00", cell: .integer(0))
        try await check(
            .timestamp(1_762_454_079_946_123), .timestamptz, text: "2025-11-06 18:34:39.946123+00",
            cell: .integer(1_762_454_079_946_123))
        try await check(
            .timestamp(-1), .timestamptz, text: "1969-12-31 23:59:59.999999+00", cell: .integer(-1))
        try await check(
            .timestamp(-62_135_596_800_000_000), .timestamptz, text: "0001-01-01 00:00:00+00",
            cell: .integer(-62_135_596_800_000_000))
        try await check(
            .timestamp(253_402_300_799_999_999), .timestamptz, text: "9999-12-31 23:59:59.999999+00",
            cell: .integer(253_402_300_799_999_999))
    }

    @Test("days survive the wire format from the year 1 to 9999")
    func day() async throws {
        for (text, days) in [
            ("1970-01-01", 0), ("2000-02-29", 11_016), ("0001-01-01", -719_162), ("9999-12-31", 2_932_896),
        ] {
            let day = try #require(CalendarDay(text))
            try await check(.day(day), .date, text: text, cell: .integer(Int64(days)))
        }
    }

    @Test("a wire value that no attribute can hold is corrupted, and names the column")
    func notRepresentable() async throws {
        for sql in [
            "'infinity'::timestamptz", "'-infinity'::timestamptz", "'infinity'::date", "'-infinity'::date",
            "'NaN'::numeric", "'Infinity'::numeric", "1e40::numeric", "1e-40::numeric", "'1 day'::interval",
            "'{}'::jsonb",
        ] {
            let error = await #expect(throws: StoreError.self, "\(sql)") {
                try await TestServer.withSession { try $0.cell("SELECT \(sql) AS strange") }
            }
            #expect(error?.code == .corrupted, "\(sql)")
            #expect(error?.attribute == "strange", "\(sql)")
        }
    }

    @Test("catalogue types arrive as the matching kinds")
    func catalogue() async throws {
        let row = try await TestServer.withSession { session in
            try session.rows(
                "SELECT 1::int2, 2::int4, 3::oid, 'n'::name, 'v'::varchar, 'c'::char(2), 'q'::\"char\", 1.5::real, 'u'"
            )
        }
        #expect(
            row == [
                [
                    .integer(1), .integer(2), .integer(3), .text("n"), .text("v"), .text("c "), .text("q"),
                    .double(1.5),
                    .text("u"),
                ]
            ])
    }

    @Test("a cell of another kind than its type is refused before it is sent")
    func wrongKind() {
        var parameters = Parameters()
        for (cell, type) in [
            (Cell(integer: 2), WireType.bool), (Cell(double: 1), .int8), (Cell(integer: 1), .text),
            (Cell(.text, start: nil, count: 0), .bytea), (Cell(.blob, start: nil, count: 0), .uuid),
        ] {
            do {
                try parameters.append(cell, as: type)
                Issue.record("\(type) took a cell of kind \(cell.kind)")
            } catch {
                #expect((error as? StoreError)?.code == .invalidArgument)
            }
        }
        for (cell, type) in [(Cell(integer: .min), WireType.timestamptz), (Cell(integer: .max), .date)] {
            do {
                try parameters.append(cell, as: type)
                Issue.record("\(type) took \(cell.word)")
            } catch {
                #expect((error as? StoreError)?.code == .valueNotRepresentable)
            }
        }
    }
}
