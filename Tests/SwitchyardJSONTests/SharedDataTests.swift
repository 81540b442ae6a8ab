import Foundation
import SwitchyardJSON
import Testing

/// Real files that may lie beside the package; they are not part of it.
private enum SharedData {
    static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../shared/data").standardizedFileURL

    static func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    static func path(_ name: String) -> String { directory.appending(path: name).path }
}

@Suite("Real files of JSON")
struct SharedDataTests {
    private struct Change: Decodable {
        let model: String
        let pk: Int
        let fields: Fields

        struct Fields: Decodable {
            let amount: Double?
            let time: Date?
        }
    }

    @Test(
        "a Baby Buddy database in JSON is read",
        .enabled(if: SharedData.has("babybuddy"), "needs ../shared/data/babybuddy"))
    func babyBuddy() throws {
        let file = try JSONRecords(SharedData.path("babybuddy/fixture-tests.json"))
        let changes = try file.all(Change.self, dates: .iso8601).filter { $0.model == "core.diaperchange" }
        #expect(changes.first?.pk == 2)
        #expect(changes.first?.fields.time == Date(timeIntervalSince1970: 1_511_020_800))
        #expect(changes.dropFirst().first?.fields.amount == 2.25)
    }

    @Test(
        "the JSON arrays of csv-spectrum are read",
        .enabled(if: SharedData.has("csv-spectrum"), "needs ../shared/data/csv-spectrum"),
        arguments: [
            ("comma_in_quotes", 1), ("empty", 2), ("empty_crlf", 2), ("escaped_quotes", 2), ("json", 1),
            ("newlines", 3), ("newlines_crlf", 3), ("quotes_and_newlines", 2), ("simple", 1),
            ("simple_crlf", 1), ("utf8", 2),
        ])
    func csvSpectrum(_ name: String, _ count: Int) throws {
        let file = try JSONRecords(SharedData.path("csv-spectrum/json/\(name).json"))
        #expect(try file.all([String: String].self).count == count)
    }

    @Test(
        "an object in place of an array of records is refused",
        .enabled(if: SharedData.has("csv-spectrum"), "needs ../shared/data/csv-spectrum"))
    func object() throws {
        let file = try JSONRecords(SharedData.path("csv-spectrum/json/location_coordinates.json"))
        let error = #expect(throws: JSONError.self) { try file.all([String: String].self) }
        #expect(error?.code == .syntax)
    }
}
