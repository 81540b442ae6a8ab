import Foundation
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Arrays as one parameter", .needsServer)
struct ArrayTests {
    private func text(_ values: [StoredValue], _ type: WireType) async throws -> TestCell {
        try await TestServer.withSession { session in
            var parameters = Parameters()
            try parameters.append(values, arrayOf: type)
            var cell = TestCell.null
            try session.execute("SELECT $1::text", parameters).forEachRow { cell = TestCell($0[0]) }
            return cell
        }
    }

    @Test("arrays of every type, with nulls, travel as one parameter")
    func everyType() async throws {
        let uuid = try #require(UUID(uuidString: "00000000-0000-0000-0000-000000000001"))
        let day = try #require(CalendarDay("2024-02-29"))
        let known: [([StoredValue], WireType, String)] = [
            ([.bool(true), .null, .bool(false)], .bool, "{t,NULL,f}"),
            ([.int(1), .int(-2), .null], .int8, "{1,-2,NULL}"),
            ([.double(1.5), .double(.infinity)], .float8, "{1.5,Infinity}"),
            ([.decimal(Decimal(125) / 10), .null], .numeric, "{12.5,NULL}"),
            (
                [.text("a"), .text(""), .text("NULL"), .null, .text(#"q"\,"#)], .text,
                #"{a,"","NULL",NULL,"q\"\\,"}"#
            ),
            ([.blob(Data([1])), .blob(Data())], .bytea, #"{"\\x01","\\x"}"#),
            ([.uuid(uuid)], .uuid, "{00000000-0000-0000-0000-000000000001}"),
            ([.timestamp(1_000_000)], .timestamptz, #"{"1970-01-01 00:00:01+00"}"#),
            ([.day(day)], .date, "{2024-02-29}"),
        ]
        #expect(Set(known.map(\.1)) == Set(WireType.allCases))
        for (values, type, expected) in known {
            #expect(try await text(values, type) == .text(expected))
        }
    }

    @Test("an empty array travels as one parameter")
    func empty() async throws {
        for type in WireType.allCases { #expect(try await text([], type) == .text("{}")) }
    }

    @Test("an array of 200,000 elements works in ANY")
    func large() async throws {
        let count = try await TestServer.withSession { session in
            var parameters = Parameters()
            try parameters.append((0..<200_000).map { .int($0) }, arrayOf: .int8)
            var count = TestCell.null
            try session.execute(
                "SELECT count(*) FROM generate_series(1::bigint, 300000) AS n WHERE n = ANY($1)", parameters
            )
            .forEachRow { count = TestCell($0[0]) }
            return count
        }
        #expect(count == .integer(199_999))
    }

    @Test("an array with fewer elements than announced is refused")
    func tooFew() throws {
        var parameters = Parameters()
        var array = try parameters.beginArray(of: .int8, count: 2)
        try parameters.appendElement(Cell(integer: 1), to: &array)
        do {
            try parameters.endArray(array)
            Issue.record("the array was taken")
        } catch {
            #expect((error as? StoreError)?.code == .invalidArgument)
        }
    }
}
