internal import Foundation
internal import Switchyard

/// Requirements V1 to V15: what becomes of a value.
enum ValueRequirements {
    static let all: [Requirement] = text + numbers + others + damage

    /// Inserts a specimen, and gives what the insert returned and what a fetch finds.
    static func roundTrip(
        _ contract: Contract, _ specimen: Specimen
    ) async throws -> (inserted: Specimen, fetched: Specimen) {
        let store = try await contract.makeStore()
        let inserted = try await store.write { try $0.insert(specimen) }
        let fetched = try await store.read { try $0.find(specimen.id) }
        return (inserted, try contract.require(fetched, "an inserted row, found by its id"))
    }

    private static let text: [Requirement] = [
        Requirement("V1", "text is kept byte for byte and compared by its bytes") { contract in
            // The first two look alike: e with acute as one scalar, and as e with a combining accent.
            let texts = ["\u{E9}", "e\u{301}", "z", "Z", "\u{FFFD}", "😀", "a\tb\r\nc", " x ", "\u{10FFFF}"]
            let store = try await contract.makeStore()
            try await store.write { tx in
                try tx.insert(contentsOf: texts.map { Specimen(text: $0) })
            }
            let sorted = try await store.read { tx in
                try tx.fetch(Specimen.sorted(by: \.text)).map { Array($0.text.utf8) }
            }
            let expected: [[UInt8]] = [
                Array(" x ".utf8), [0x5A], [0x61, 0x09, 0x62, 0x0D, 0x0A, 0x63], [0x65, 0xCC, 0x81], [0x7A],
                [0xC3, 0xA9], [0xEF, 0xBF, 0xBD], [0xF0, 0x9F, 0x98, 0x80], [0xF4, 0x8F, 0xBF, 0xBF],
            ]
            try contract.expectEqual(sorted, expected, "texts in byte order")
            let composed = "\u{E9}"
            let found = try await store.read { tx in
                try tx.fetch(Specimen.where(#Predicate { $0.text == composed })).map { Array($0.text.utf8) }
            }
            try contract.expectEqual(found, [[0xC3, 0xA9]], "rows equal to one composed letter")
        },
        Requirement("V2", "text that holds U+0000 is refused when it is written") { contract in
            let store = try await contract.makeStore()
            let error = try await contract.expectError(.valueNotRepresentable, "U+0000 in text") {
                try await store.write { try $0.insert(Specimen(text: "a\u{0}b")) }
            }
            try contract.expectEqual(error.entity, "Specimen", "the entity of the error")
            try contract.expectEqual(error.attribute, "text", "the attribute of the error")
            try await contract.expectError(.valueNotRepresentable, "U+0000 in a condition") {
                let text = "a\u{0}b"
                return try await store.read { try $0.count(Specimen.where(#Predicate { $0.text == text })) }
            }
            try contract.expectEqual(
                try await store.read { try $0.count(Specimen.all) }, 0, "rows afterwards")
        },
        Requirement("V4", "empty text, empty blob and nil are three things") { contract in
            let (_, fetched) = try await roundTrip(contract, Specimen(text: "", memo: "", data: Data()))
            try contract.expectEqual(fetched.text, "", "empty text")
            try contract.expectEqual(fetched.memo, "", "empty optional text")
            try contract.expectEqual(fetched.data, Data(), "an empty blob")
            let (_, bare) = try await roundTrip(contract, Specimen())
            try contract.expectEqual(bare.memo, nil, "absent text")
            try contract.expectEqual(bare.data, nil, "an absent blob")
            let store = try await contract.makeStore()
            try await store.write { try $0.insert(contentsOf: [Specimen(memo: ""), Specimen()]) }
            let empty = try await store.read { try $0.count(Specimen.where(#Predicate { $0.memo == "" })) }
            let absent = try await store.read { try $0.count(Specimen.where(#Predicate { $0.memo == nil })) }
            try contract.expectEqual([empty, absent], [1, 1], "rows with empty and with absent text")
        },
    ]

    private static let numbers: [Requirement] = [
        Requirement("V5", "integers are 64 bits, narrower ones checked when written and when read") {
            contract in
            let store = try await contract.makeStore()
            let extremes = [Int.min, -1, 0, 1, Int.max]
            try await store.write { tx in
                try tx.insert(contentsOf: extremes.map { Specimen(whole: $0, small: -128) })
            }
            let sorted = try await store.read { try $0.fetch(Specimen.sorted(by: \.whole)) }
            try contract.expectEqual(sorted.map(\.whole), extremes, "the extremes of an integer")
            try contract.expectEqual(sorted.map(\.small), [-128, -128, -128, -128, -128], "a narrow integer")
            try await NarrowNumberChecks.integers(contract)
        },
        Requirement("V6", "doubles keep their bits, NaN is refused, -0 becomes 0") { contract in
            let doubles = [
                -Double.infinity, -Double.greatestFiniteMagnitude, -1.5, Double.leastNonzeroMagnitude, 0.1,
                1e300,
                Double.greatestFiniteMagnitude, Double.infinity,
            ]
            let store = try await contract.makeStore()
            try await store.write { tx in try tx.insert(contentsOf: doubles.map { Specimen(real: $0) }) }
            let sorted = try await store.read {
                try $0.fetch(Specimen.sorted(by: \.real)).map(\.real.bitPattern)
            }
            try contract.expectEqual(sorted, doubles.map(\.bitPattern), "the bits of doubles")
            try await contract.expectError(.valueNotRepresentable, "a double that is not a number") {
                try await store.write { try $0.insert(Specimen(real: .nan)) }
            }
            let (inserted, fetched) = try await roundTrip(contract, Specimen(real: -0.0))
            try contract.expectEqual(inserted.real.sign, .plus, "the sign of -0 as inserted")
            try contract.expectEqual(fetched.real.sign, .plus, "the sign of -0 as fetched")
            try await NarrowNumberChecks.singlePrecision(contract)
        },
        Requirement("V7", "decimals are exact to 38 digits and compare by number") { contract in
            let texts = [
                "-12345678901234567890123456789012345678", "-0.5", "0",
                "0.0000000000000000000000000000000000001", "0.1",
                "9", "10", "10.25", "99999999999999999999999999999999999999",
            ]
            let decimals = texts.compactMap { Decimal(string: $0) }
            let store = try await contract.makeStore()
            try await store.write { tx in
                try tx.insert(contentsOf: decimals.reversed().map { Specimen(amount: $0) })
            }
            let sorted = try await store.read { tx in
                try tx.fetch(Specimen.sorted(by: \.amount)).map { $0.amount?.description ?? "nil" }
            }
            try contract.expectEqual(sorted, texts, "decimals in order of number")
            let ten = Decimal(string: "10.250")
            let equal = try await store.read { tx in
                try tx.count(Specimen.where(#Predicate { $0.amount == ten }))
            }
            try contract.expectEqual(equal, 1, "rows equal to 10.250")
            let nine = Decimal(9)
            let above = try await store.read { tx in
                try tx.count(Specimen.where(#Predicate { $0.amount.flatMap { $0 > nine } ?? false }))
            }
            try contract.expectEqual(above, 3, "rows above 9")
            try await contract.expectError(.valueNotRepresentable, "a decimal of 39 digits") {
                try await store.write { tx in
                    try tx.insert(
                        Specimen(amount: Decimal(string: "100000000000000000000000000000000000000")))
                }
            }
        },
        Requirement("V8", "a boolean is true or false, and a stored 2 is corruption") { contract in
            let store = try await contract.makeStore()
            try await store.write {
                try $0.insert(contentsOf: [Specimen(flag: true), Specimen(flag: false)])
            }
            let sorted = try await store.read { try $0.fetch(Specimen.sorted(by: \.flag)).map(\.flag) }
            try contract.expectEqual(sorted, [false, true], "booleans in order")
            let fault = PlantedFault.integerTwo(entity: "Specimen", attribute: "flag")
            if try await contract.plant(fault, in: store) {
                let error = try await contract.expectError(.corrupted, "a stored 2") {
                    try await store.read { try $0.fetch(Specimen.all) }
                }
                try contract.expectEqual(error.attribute, "flag", "the attribute of the error")
            }
        },
    ]

    private static let others: [Requirement] = [
        Requirement("V9", "timestamps are microseconds, rounded to nearest, and come back as inserted") {
            contract in
            // 1,700,000,000.1234567 s: the seventh digit rounds the sixth up.
            let date = Date(timeIntervalSince1970: 1_700_000_000) + 0.123_456_7
            let (inserted, fetched) = try await roundTrip(contract, Specimen(moment: date))
            try contract.expectEqual(inserted.moment, fetched.moment, "the time as inserted and as fetched")
            let store = try await contract.makeStore()
            try await store.write { try $0.insert(Specimen(moment: date)) }
            let values = try await store.read { tx in
                try tx.fetchRows(of: "Specimen").map { $0[10] }
            }
            try contract.expectEqual(values, [.timestamp(1_700_000_000_123_457)], "the stored microseconds")
            let early = Date(timeIntervalSince1970: -62_135_596_800)
            let (_, first) = try await roundTrip(contract, Specimen(moment: early))
            try contract.expectEqual(first.moment, early, "the first moment of year 1")
            try await contract.expectError(.valueNotRepresentable, "a time in the year 10000") {
                try await store.write {
                    try $0.insert(Specimen(moment: Date(timeIntervalSince1970: 253_402_300_800)))
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
            let (_, fetched) = try await roundTrip(contract, Specimen(certainty: .high, rank: .second))
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
            let longest = String(repeating: "z", count: Limits.valueBytes - 2) + "é"
            let text = try await store.write { try $0.insert(Note(body: longest)) }
            let read = try await store.read { try $0.find(text.id) }
            // The length tells the accented letter at the end from its other forms, which `==` does not.
            try contract.expect(
                read?.body == longest && read?.body.utf8.count == Limits.valueBytes,
                "a text of 64 MiB", expected: "the same bytes",
                found: "others, \(read?.body.utf8.count ?? 0) bytes")
            try await contract.expectError(.valueNotRepresentable, "a text beyond the limit") {
                try await store.write { try $0.insert(Note(body: longest + "z")) }
            }
        },
    ]

    /// JSON without a Swift type is stored in the form in which a Codable value would be.
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
        Requirement("V3", "invalid UTF-8 in the store is an error that names the place") { contract in
            let store = try await contract.makeStore()
            try await store.write { try $0.insert(Specimen(text: "whole")) }
            let fault = PlantedFault.invalidUTF8(entity: "Specimen", attribute: "text")
            if try await contract.plant(fault, in: store) {
                let error = try await contract.expectError(.corrupted, "invalid UTF-8 in the store") {
                    try await store.read { try $0.fetch(Specimen.all) }
                }
                try contract.expectEqual(error.attribute, "text", "the attribute of the error")
            }
        },
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
        },
    ]
}
