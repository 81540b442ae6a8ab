import Foundation
import SwitchyardCSV
import Testing

/// Real files that may lie beside the package; they are not part of it.
private enum SharedData {
    static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../shared/data").standardizedFileURL

    static func has(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: directory.appendingPathComponent(name).path)
    }

    static func path(_ name: String) -> String { directory.appendingPathComponent(name).path }
}

@Suite("Real files")
struct SharedDataTests {
    @Test(
        "the csv-spectrum files are read as their JSON says",
        .enabled(if: SharedData.has("csv-spectrum"), "needs ../shared/data/csv-spectrum"),
        arguments: [
            "comma_in_quotes", "empty", "empty_crlf", "escaped_quotes", "json", "location_coordinates",
            "newlines",
            "newlines_crlf", "quotes_and_newlines", "simple", "simple_crlf", "utf8",
        ])
    func csvSpectrum(_ name: String) throws {
        let json = try Data(
            contentsOf: URL(fileURLWithPath: SharedData.path("csv-spectrum/json/\(name).json")))
        var expected: [[String: String]]
        // One file holds a single object, whose telephone number differs from the CSV's, and bare quotes.
        let isSingle = name == "location_coordinates"
        if isSingle {
            expected = [try JSONDecoder().decode([String: String].self, from: json)]
            expected[0]["Contact Phone Number"] = "2095257564"
        } else {
            expected = try JSONDecoder().decode([[String: String]].self, from: json)
        }
        for chunkBytes in 1...130 {
            let source = try FileByteSource(path: SharedData.path("csv-spectrum/csvs/\(name).csv"))
            let outcome = try read(source, chunkBytes: chunkBytes) { $0.allowsBareQuotes = isSingle }
            #expect(outcome.fault == nil)
            let header = try #require(outcome.rows.first).map(\.text)
            let rows = outcome.rows.dropFirst().map { row in
                Dictionary(uniqueKeysWithValues: zip(header, row.map(\.text)))
            }
            #expect(rows == expected, "With chunks of \(chunkBytes)")
        }
    }

    @Test(
        "the app's own file has 148 rows of two babies and one more in the last row",
        .enabled(if: SharedData.has("babymonitor/feeds-148.csv"), "needs ../shared/data/babymonitor"))
    func feeds() throws {
        let outcome = try read(try FileByteSource(path: SharedData.path("babymonitor/feeds-148.csv")))
        #expect(outcome.fault == nil)
        #expect(outcome.rows.first == ["babyName", "timestamp", "amountValue", "amountUnit"])
        let rows = outcome.rows.dropFirst()
        #expect(rows.count == 148)
        #expect(rows.allSatisfy { $0.count == 4 })
        #expect(rows.first == ["하나", "2026-01-16T23:51:39.946Z", "80.0", "mL"])
        #expect(rows.last == ["세찬", "2026-01-05T17:17:00.000Z", "90.0", "mL"])
        #expect(Set(rows.map { $0[0].text }) == ["하나", "두리", "세찬"])
        #expect(outcome.lines.last == 149)

        // Written again from its values, the file is the same to the byte.
        let sink = MemoryByteSink()
        var writer = CSVWriter(sink)
        for name in outcome.rows[0] { try writer.write(name.text) }
        try writer.endRow()
        for row in rows {
            try writer.write(row[0].text)
            try writer.write(
                microseconds: try #require(ISO8601.microseconds(row[1].text)), precision: .milliseconds)
            try writer.write(try #require(Array(row[2].text.utf8).withUnsafeBytes { NumberText.double($0) }))
            try writer.write(row[3].text)
            try writer.endRow()
        }
        try writer.finish()
        let file = try Data(contentsOf: URL(fileURLWithPath: SharedData.path("babymonitor/feeds-148.csv")))
        #expect(sink.bytes == Array(file))
    }

    @Test(
        "another app's CSV files are read without an error, each row as long as its header",
        .enabled(if: SharedData.has("babybuddy"), "needs ../shared/data/babybuddy"))
    func babyBuddy() throws {
        var count = 0
        for directory in ["babybuddy/import-examples", "babybuddy/percentiles"] {
            let names = try FileManager.default.contentsOfDirectory(atPath: SharedData.path(directory))
            for name in names where name.hasSuffix(".csv") {
                let outcome = try read(try FileByteSource(path: SharedData.path("\(directory)/\(name)")))
                #expect(outcome.fault == nil, "\(name)")
                let header = try #require(outcome.rows.first)
                #expect(outcome.rows.allSatisfy { $0.count == header.count }, "\(name)")
                count += 1
            }
        }
        #expect(count == 18)
    }
}
