import Foundation

/// Texts that are almost queries, the same ones for the same seed.
struct RandomTexts {
    /// What SWITCHYARD_TEST_SEED says, or another number in each run.
    let seed: UInt64
    private var generator: Generator
    private static let words = ParserTests.texts.flatMap { $0.0.split(separator: " ").map(String.init) }

    init() {
        let given = ProcessInfo.processInfo.environment["SWITCHYARD_TEST_SEED"].flatMap { UInt64($0) }
        seed = given ?? UInt64.random(in: 1...UInt64.max)
        generator = Generator(state: seed)
    }

    /// A query of the parser's tests, with up to three of its parts replaced by words or by bytes.
    mutating func next() -> String {
        var bytes = Array((ParserTests.texts.randomElement(using: &generator)?.0 ?? "").utf8)
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            let end = Int.random(in: place...min(place + 8, bytes.count), using: &generator)
            bytes.replaceSubrange(place..<end, with: part())
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A query over feeds that parses.
    mutating func nextQuery() -> String {
        let terms = (1...Int.random(in: 1...3, using: &generator)).map { _ in
            "\(Bool.random(using: &generator) ? "not " : "")(\(term()))"
        }
        let joined = terms.joined(separator: Bool.random(using: &generator) ? " and " : " or ")
        let orders = [
            "count", "baby.name desc, count", "amount, start desc", "baby.house.name, memo, count desc",
        ]
        let order = orders.randomElement(using: &generator) ?? "count"
        let items = [
            "baby", "baby.house(show name)", "count(baby.feeds)", "first(baby.feeds sort start desc)",
        ]
        let item = items.randomElement(using: &generator) ?? "baby"
        return
            "Feed where \(joined) sort \(order) limit \(Int.random(in: 0...6, using: &generator)) include \(item)"
    }

    private mutating func term() -> String {
        let texts = ["baby.name", "baby.nick", "memo", "kind", "baby.house.name"]
        let text = texts.randomElement(using: &generator) ?? "memo"
        let number = ["count", "amount", "`limit`", "count(baby.feeds)", "price"].randomElement(
            using: &generator)
        let comparison = ["=", "!=", "<", "<=", ">", ">="].randomElement(using: &generator) ?? "="
        let terms = [
            "\(text) \(["=", "!="].randomElement(using: &generator) ?? "=") null",
            "\(text) \(["contains", "starts with", "ends with"].randomElement(using: &generator) ?? "") 'o'",
            "\(number ?? "count") \(comparison) \(Int.random(in: 0...100, using: &generator))",
            "\(number ?? "count") in (3, 11, 80)", "baby.name \(comparison) baby.nick",
            "start \(comparison) 1970-01-02", "end \(comparison) start",
            "has baby where (has feeds where (count \(comparison) 12))",
        ]
        return terms.randomElement(using: &generator) ?? "count = 1"
    }

    private mutating func part() -> [UInt8] {
        if Bool.random(using: &generator) {
            return Array((Self.words.randomElement(using: &generator) ?? "").utf8)
        }
        return (0..<Int.random(in: 0...4, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
        }
    }
}

/// SplitMix64.
private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
