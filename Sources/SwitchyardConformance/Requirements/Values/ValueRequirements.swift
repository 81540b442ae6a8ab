internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Requirements V9 to V15: times, UUIDs, enums, JSON, blobs, and damaged values.
enum ValueRequirements {
    static let all: [Requirement] = others + damage

    private static let others: [Requirement] = [
        Requirement("V9", "timestamps are microseconds, rounded to nearest, and come back as inserted") {
            contract in
            // 1,700,000,000.1234567 s: the seventh digit rounds the sixth up.
            let date = Date(timeIntervalSince1970: 1_700_000_000) + 0.123_456_7
            let (inserted, fetched) = try await contract.roundTrip(Specimen(moment: date))
            try contract.expectEqual(inserted.moment, fetched.moment, "the time as inserted and as fetched")
            let store = try await contract.makeStore()
            try await store.write { try $0.insert(Specimen(moment: date)) }
            let values = try await store.read { tx in
                try tx.fetchRows(of: "Specimen").map { $0[10] }
            }
            try contract.expectEqual(
                values, [.timestamp(1_700_000_000_123_457 as Int64)], "the stored microseconds")
            let early = Date(timeIntervalSince1970: -62_135_596_800.0)
            let (_, first) = try await contract.roundTrip(Specimen(moment: early))
            try contract.expectEqual(first.moment, early, "the first moment of year 1")
            try await contract.expectError(.valueNotRepresentable, "a time in the year 10000") {
                try await store.write {
                    try $0.insert(Specimen(moment: Date(timeIntervalSince1970: 253_402_300_800.0)))
                }
            }
            try await contract.expectError(.valueNotRepresentable, "a time that is not a number") {
                try await store.write { try $0.insert(Specimen(moment: Date(timeIntervalSince1970: .nan))) }
            }
            try await TimeChecks.verify(contract)
        },
        Requirement("V10", "a calendar day has no zone and no time") { contract in
            let days = ["0001-01-01", "1969-12-31", "1970-01-01", "2024-02-29", "9999-12-31"]
            let store = try await contract.makeStore()
            try await store.write { tx in
                try tx.insert(contentsOf: days.reversed().map { Specimen(day: CalendarDay($0)) })
            }
            let sorted = try await store.read {
                try $0.fetch(Specimen.sorted(by: \.day)).compactMap { $0.day?.description }
            }
            try contract.expectEqual(sorted, days, "days in order")
        },
        Requirement("V11", "a UUID is 16 bytes in byte order") { contract in
            let texts = [
                "00000000-0000-0000-0000-000000000000", "0F000000-0000-0000-0000-000000000000",
                "7FFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "80000000-0000-0000-0000-000000000000",
                "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
            ]
            let store = try await contract.makeStore()
            try await store.write { tx in
                try tx.insert(contentsOf: texts.reversed().map { Specimen(key: UUID(uuidString: $0)) })
            }
            let sorted = try await store.read {
                try $0.fetch(Specimen.sorted(by: \.key)).compactMap { $0.key?.uuidString }
            }
            try contract.expectEqual(sorted, texts, "UUIDs in order")
        },
        Requirement("V12", "an enum is its raw value, checked when written and when read") { contract in
            let (_, fetched) = try await contract.roundTrip(Specimen(certainty: .high, rank: .second))
            try contract.expectEqual(fetched.certainty, .high, "an enum of text")
            try contract.expectEqual(fetched.rank, .second, "an enum of integers")
            let store = try await contract.makeStore()
            try await store.write { try $0.insert(Specimen(certainty: .low)) }
            try await contract.expectError(.check, "an unknown raw value") {
                try await store.write { tx in
                    try tx.updateRows(
                        of: "Specimen",
                        set: [Assignment(attribute: "certainty", value: .value(.text("unheard-of")))],
                        where: .constant(true))
                }
            }
            let fault = PlantedFault.unknownCase(entity: "Specimen", attribute: "certainty")
            if try await contract.plant(fault, in: store) {
                let error = try await contract.expectError(.corrupted, "an unknown raw value in the store") {
                    try await store.read { try $0.fetch(Specimen.all) }
                }
                try contract.expectEqual(error.attribute, "certainty", "the attribute of the error")
                try contract.expect(
                    error.debugDescription.contains("unheard-of"), "what the error tells",
                    expected: "the raw value unheard-of", found: error.debugDescription)
            }
        },
        Requirement("V13", "arrays and Codable values are canonical JSON text") { contract in
            let labels = [Label(name: "b/ü", weight: 2), Label(name: "", weight: -1)]
            let store = try await contract.makeStore()
            try await store.write { try $0.insert(Specimen(labels: labels, label: labels[0])) }
            let row = try await store.read { try $0.fetchRows(of: "Specimen")[0] }
            try contract.expectEqual(
                row[14], .json(#"[{"name":"b/ü","weight":2},{"name":"","weight":-1}]"#), "the stored array")
            try contract.expectEqual(row[15], .json(#"{"name":"b/ü","weight":2}"#), "the stored value")
            let fetched = try await store.read { try $0.fetch(Specimen.all) }
            try contract.expectEqual(fetched.first?.labels, labels, "the array as fetched")
            try await untypedJSON(contract)
        },
        Requirement("V14", "blobs and text are kept up to the stated limit and refused beyond it") {
            contract in
            let store = try await contract.makeStore()
            let largest = Data(repeating: 0xA7, count: Limits.valueBytes - 2) + Data([0, 255])
            let note = try await store.write { try $0.insert(Note(data: largest)) }
            let fetched = try await store.read { try $0.find(note.id) }
            try contract.expect(
                fetched?.data == largest, "a blob of 64 MiB", expected: "the same bytes",
                found: ShownValue.text(fetched?.data as Any))
            try await contract.expectError(.valueNotRepresentable, "a blob beyond the limit") {
                try await store.write { try $0.insert(Note(data: Data(count: Limits.valueBytes + 1))) }
            }
            try await store.write { _ = try $0.delete(note.id) }
            // `String(repeating:count:)` appends one at a time.
            let letters = [UInt8](repeating: UInt8(ascii: "z"), count: Limits.valueBytes - 2)
            let longest = String(decoding: letters, as: UTF8.self) + "é"
            let text = try await store.write { try $0.insert(Note(body: longest)) }
            let read = try await store.read { try $0.find(text.id) }
            // The length distinguishes the accented letter at the end from its other forms, which `==` does not.
            try contract.expect(
                read?.body == longest && read?.body.utf8.count == Limits.valueBytes,
                "a text of 64 MiB", expected: "the same bytes",
                found: "others, \(read?.body.utf8.count ?? 0) bytes")
            try await contract.expectError(.valueNotRepresentable, "a text beyond the limit") {
                try await store.write { try $0.insert(Note(body: longest + "z")) }
            }
        },
    ]

    /// JSON without a Swift type is stored in the same form as a Codable value.
    private static func untypedJSON(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let spaced = #"[ {"weight": 2.0e0, "name": "b\/\u00fc"} ]"#
        let canonical = StoredValue.json(#"[{"name":"b/ü","weight":2}]"#)
        let row = try SpecimenRow.make(["labels": .json(spaced)])
        try await store.write { try $0.insertRows(into: "Specimen", [row]) }
        let inserted = try await store.read { try $0.fetchRows(of: "Specimen")[0] }
        try contract.expectEqual(inserted[14], canonical, "the form of inserted JSON")
        let labels = [Label(name: "b/ü", weight: 2)]
        let typed = try await store.read { tx in
            try tx.count(Specimen.where(#Predicate { $0.labels == labels }))
        }
        try contract.expectEqual(typed, 1, "rows equal to the value")
        let untyped = try await store.read { tx in
            try tx.countRows(
                of: "Specimen", where: .compare(.attribute("labels"), .equal, .value(.json(spaced))))
        }
        try contract.expectEqual(untyped, 1, "rows equal to the text in another form")
        try await store.write { tx in
            try tx.updateRows(
                of: "Specimen",
                set: [Assignment(attribute: "label", value: .value(.json(#"{"weight":1, "name":""}"#)))],
                where: .constant(true))
        }
        let updated = try await store.read { try $0.fetchRows(of: "Specimen")[0] }
        try contract.expectEqual(updated[15], .json(#"{"name":"","weight":1}"#), "the form of updated JSON")
        let broken = try SpecimenRow.make(["labels": .json("[1,]")])
        let error = try await contract.expectError(.valueNotRepresentable, "text that is no JSON") {
            try await store.write { try $0.insertRows(into: "Specimen", [broken]) }
        }
        try contract.expectEqual(error.attribute, "labels", "the attribute of the error")
    }

    private static let damage: [Requirement] = [
        Requirement("V15", "a value of the wrong type names entity, attribute and row") { contract in
            let store = try await contract.makeStore()
            let specimen = try await store.write { try $0.insert(Specimen(whole: 7)) }
            let fault = PlantedFault.text(entity: "Specimen", attribute: "whole")
            if try await contract.plant(fault, in: store) {
                let error = try await contract.expectError(.corrupted, "text in a column of integers") {
                    try await store.read { try $0.fetch(Specimen.all) }
                }
                try contract.expectEqual(error.entity, "Specimen", "the entity of the error")
                try contract.expectEqual(error.attribute, "whole", "the attribute of the error")
                try contract.expect(
                    error.description.contains(specimen.id.description),
                    "what the error tells", expected: "the row's id \(specimen.id)", found: "\(error)")
            }
        }
    ]
}
