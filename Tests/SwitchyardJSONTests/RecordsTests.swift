import Foundation
import SwitchyardJSON
import Testing

@Suite("An app's old JSON files")
struct RecordsTests {
    private struct Old: Decodable, Equatable {
        let id: UUID
        let date: Date
        let amount: Double
        let name: String?
    }

    private let id = "0193A1B2-0000-7000-8000-000000000001"

    private func records(_ text: String) async throws -> [Old] {
        try await withDirectory { directory in
            try write(text, to: directory + "/old.json")
            return try JSONRecords(directory + "/old.json").all()
        }
    }

    @Test("old JSON files have seconds since 2001, integer amounts, and unknown keys are ignored")
    func values() async throws {
        let found = try await records(#"[{"id":"\#(id)","date":7.5,"amount":2,"else":[{}]}]"#)
        let date = Date(timeIntervalSinceReferenceDate: 7.5)
        #expect(found == [Old(id: try #require(UUID(uuidString: id)), date: date, amount: 2, name: nil)])
    }

    @Test("an empty old JSON file is an empty list", arguments: ["", " \n", "[]", "[ ]\n"])
    func empty(_ text: String) async throws {
        #expect(try await records(text) == [])
    }

    @Test(
        "an old JSON file that is not an array of such elements is an error with its place",
        arguments: [
            ("{", JSONError.Code.syntax, "line 1, column 1"), ("null", .syntax, "line 1, column 1"),
            ("[", .truncated, "line 1, column 2"), ("[] x", .syntax, "line 1, column 4"),
            ("[\n{}]", .missing, "line 2, column 1, [0].id"),
            (
                #"[{"id":"0193A1B2-0000-7000-8000-000000000001","date":"Secret","amount":1}]"#, .invalidValue,
                "[0].date"
            ),
            (#"[{"id":"Secret","date":1,"amount":1}]"#, .invalidValue, "[0].id"),
            (#"[{"amount":1,"amount":2}]"#, .duplicateName, "line 1, column 23, [0]"),
            (#"[{"Secret" 1}]"#, .syntax, "line 1, column 12, [0]"),
        ])
    func faults(_ text: String, _ code: JSONError.Code, _ place: String) async throws {
        let error = await #expect(throws: JSONError.self) { try await records(text) }
        #expect(error?.code == code)
        #expect(
            error?.place.hasSuffix("old.json, " + place) == true || error?.place.hasSuffix(place) == true,
            "\(error?.place ?? "")")
        #expect("\(error.map { "\($0)" } ?? "")".contains("Secret") == false)
    }

    @Test("a missing old JSON file differs from an unreadable one")
    func missing() async throws {
        try await withDirectory { directory in
            #expect(try JSONRecords.ifPresent(directory + "/none.json") == nil)
            #expect(throws: JSONError.self) { try JSONRecords(directory + "/none.json") }
            #expect(throws: JSONError.self) { try JSONRecords.ifPresent(directory + "/none/none.json") }
            try FileManager.default.createSymbolicLink(
                atPath: directory + "/link.json", withDestinationPath: directory + "/gone.json")
            #expect(throws: JSONError.self) { try JSONRecords.ifPresent(directory + "/link.json") }
            #expect(throws: JSONError.self) { try JSONRecords.ifPresent(directory) }
        }
    }
}
