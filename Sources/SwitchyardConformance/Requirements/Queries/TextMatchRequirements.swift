internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Requirement Q4 for prefixes and suffixes, which each backend matches in its own way.
enum TextMatchRequirements {
    static let all: [Requirement] = [
        Requirement("Q4+suffix", "a suffix is compared by bytes, whole, empty and in part of a letter") {
            contract in
            let store = try await contract.makeStore()
            try await insert(texts, into: store)
            try await check(contract, store, .hasSuffix, suffixes)
        },
        Requirement("Q4+prefix", "a prefix has rows up to the last of its scalars, and no others") {
            contract in
            let store = try await contract.makeStore()
            try await insert(prefixed, into: store)
            try await check(contract, store, .hasPrefix, prefixes)
        },
        Requirement("Q4+folded", "searches look at the folded text's beginning, end and whole") { contract in
            try await folded(contract)
        },
        Requirement("Q4+search", "a predicate searches the folded text: whole, its beginning and within") {
            contract in
            try await searches(contract)
        },
    ]

    // The second and third text look the same, but have one scalar and two.
    private static let texts = ["", "é", "e\u{301}", "café", "%", "a%", "a_b", "ab", "b", "😀b", "a\\", "bb"]
    private static let suffixes: [(String, [String])] = [
        ("", texts), ("b", ["a_b", "ab", "b", "😀b", "bb"]), ("ab", ["ab"]), ("xab", []),
        ("é", ["é", "café"]), ("\u{301}", ["e\u{301}"]), ("e\u{301}", ["e\u{301}"]), ("%", ["%", "a%"]),
        ("_b", ["a_b"]), ("\\", ["a\\"]), ("😀b", ["😀b"]), ("bb", ["bb"]), ("bbb", []), ("B", []),
    ]

    // U+D7FF is the last scalar before the surrogates and U+10FFFF the last of all, so adding 1 does not give the
    // next scalar.
    private static let prefixed = [
        "", "a", "a\u{D7FF}", "a\u{D7FF}z", "a\u{D7FF}\u{10FFFF}", "a\u{E000}", "a\u{10FFFF}", "a\u{10FFFF}b",
        "a\u{10FFFF}\u{10FFFF}", "b", "\u{10FFFF}", "\u{10FFFF}\u{10FFFF}", "\u{7F}", "\u{80}", "\u{7FF}",
        "\u{800}", "\u{FFFF}", "\u{10000}",
    ]
    private static let prefixes: [(String, [String])] = [
        ("", prefixed), ("a\u{D7FF}", ["a\u{D7FF}", "a\u{D7FF}z", "a\u{D7FF}\u{10FFFF}"]),
        ("a\u{10FFFF}", ["a\u{10FFFF}", "a\u{10FFFF}b", "a\u{10FFFF}\u{10FFFF}"]),
        ("a\u{10FFFF}\u{10FFFF}", ["a\u{10FFFF}\u{10FFFF}"]),
        ("\u{10FFFF}", ["\u{10FFFF}", "\u{10FFFF}\u{10FFFF}"]), ("\u{7F}", ["\u{7F}"]),
        ("\u{7FF}", ["\u{7FF}"]), ("\u{FFFF}", ["\u{FFFF}"]), ("a\u{D7FF}zz", []), ("A", []), ("b", ["b"]),
    ]

    private static func insert(_ texts: [String], into store: any Store) async throws {
        try await store.write { tx in
            _ = try tx.insert(
                contentsOf: texts.enumerated().map {
                    Specimen(whole: $0.offset, text: $0.element, memo: $0.element, renamed: $0.element)
                } + [Specimen(whole: -1, text: "\u{1}")])
        }
    }

    /// `text` is indexed; `renamed` is not, and is nil in one additional row.
    private static func check(
        _ contract: Contract, _ store: any Store, _ match: TextMatch, _ cases: [(String, [String])]
    ) async throws {
        func rows(_ condition: Condition) async throws -> [[UInt8]] {
            try await store.read { tx in
                try tx.fetch(Specimen.sorted(by: \.whole).matching(condition)).map { Array($0.text.utf8) }
            }
        }
        let all = try await rows(.constant(true))
        for (part, expected) in cases {
            let bytes = expected.map { Array($0.utf8) }
            let value = Operand.value(.text(part))
            let what = "\(match) \(ShownValue.text(part))"
            // The text of the one row without `renamed` has an empty part only.
            let more = part.isEmpty ? [[UInt8(1)]] : []
            try contract.expectEqual(
                try await rows(.match(.attribute("text"), match, value)), more + bytes, "text that \(what)")
            try contract.expectEqual(
                try await rows(.match(.attribute("renamed"), match, value)), bytes,
                "optional text that \(what)")
            try contract.expectEqual(
                try await rows(.not(.match(.attribute("renamed"), match, value))),
                all.filter { !bytes.contains($0) },
                "optional text or nil to which this does not apply: \(what)")
        }
        try contract.expectEqual(
            try await rows(.match(.attribute("text"), match, .attribute("renamed"))), Array(all.dropFirst()),
            "text that matches itself in another attribute: \(match)")
        try contract.expectEqual(
            try await rows(.match(.attribute("text"), match, .value(.null))), [], "text and nil: \(match)")
    }

    private static func folded(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let texts = ["Éclair", "eclairs", "ÉCLAIR au café", "%Éc", "", "café Éclair"]
        try await insert(texts, into: store)
        let cases: [(TextMatch, String, [String])] = [
            (.hasPrefix, "eclair", ["Éclair", "eclairs", "ÉCLAIR au café"]),
            (.hasSuffix, "eclair", ["Éclair", "café Éclair"]), (.equals, "eclair", ["Éclair"]),
            (.contains, "cafe", ["ÉCLAIR au café", "café Éclair"]), (.hasPrefix, "%e", ["%Éc"]),
            (.hasSuffix, "", texts), (.hasPrefix, "", texts), (.equals, "", [""]), (.hasPrefix, "_", []),
        ]
        for (match, text, expected) in cases {
            let condition = Condition.search(attribute: "memo", match, text: text)
            let (found, others) = try await store.read { tx in
                (
                    try tx.fetch(Specimen.sorted(by: \.whole).matching(condition), \.memo),
                    try tx.fetch(Specimen.sorted(by: \.whole).matching(.not(condition)), \.memo)
                )
            }
            try contract.expectEqual(found, expected, "rows of a search: \(match) \"\(text)\"")
            try contract.expectEqual(
                others, [nil] + texts.filter { !expected.contains($0) },
                "rows outside of a search: \(match) \"\(text)\"")
        }
    }

    private static func searches(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        try await insert(["Éclair", "eclairs", "mini éclair", "Äpfel", "ΣΊΣΥΦΟΣ", "Straße"], into: store)
        let begins = "ÉCL"
        let whole = "STRASSE"
        let cases: [(String, Predicate<Specimen>, [String?])] = [
            (
                "starts(with:)", #Predicate { $0.memo?[\.folded].starts(with: begins) == true },
                ["Éclair", "eclairs"]
            ),
            (
                "contains", #Predicate { $0.memo?[\.folded].contains(begins) == true },
                ["Éclair", "eclairs", "mini éclair"]
            ),
            (
                "localizedStandardContains",
                #Predicate { $0.memo?.localizedStandardContains("σισυφοσ") == true },
                ["ΣΊΣΥΦΟΣ"]
            ),
            ("==", #Predicate { $0.memo[\.folded] == whole }, ["Straße"]),
            (
                "!=", #Predicate { $0.memo[\.folded] != whole },
                [nil, "Éclair", "eclairs", "mini éclair", "Äpfel", "ΣΊΣΥΦΟΣ"]
            ),
        ]
        for (what, predicate, expected) in cases {
            let found = try await store.read {
                try $0.fetch(Specimen.where(predicate).sorted(by: \.whole), \.memo)
            }
            try contract.expectEqual(found, expected, "rows of a predicate with \(what)")
        }
        let whatever = "x"
        try await contract.expectError(.unsupported, "a search in text that is not searchable") {
            try await store.read {
                try $0.count(Specimen.where(#Predicate { $0.text[\.folded] == whatever }))
            }
        }
    }
}
