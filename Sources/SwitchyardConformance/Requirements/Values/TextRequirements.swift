internal import Foundation
internal import Switchyard

/// Requirements V1 to V4: text and empty values.
enum TextRequirements {
    static let all: [Requirement] = [
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
            let (_, fetched) = try await contract.roundTrip(Specimen(text: "", memo: "", data: Data()))
            try contract.expectEqual(fetched.text, "", "empty text")
            try contract.expectEqual(fetched.memo, "", "empty optional text")
            try contract.expectEqual(fetched.data, Data(), "an empty blob")
            let (_, bare) = try await contract.roundTrip(Specimen())
            try contract.expectEqual(bare.memo, nil, "absent text")
            try contract.expectEqual(bare.data, nil, "an absent blob")
            let store = try await contract.makeStore()
            try await store.write { try $0.insert(contentsOf: [Specimen(memo: ""), Specimen()]) }
            let empty = try await store.read { try $0.count(Specimen.where(#Predicate { $0.memo == "" })) }
            let absent = try await store.read { try $0.count(Specimen.where(#Predicate { $0.memo == nil })) }
            try contract.expectEqual([empty, absent], [1, 1], "rows with empty and with absent text")
        },
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
    ]
}
