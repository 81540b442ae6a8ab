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
            "folded(baby.name) desc nulls first, start", "count % 3, count", "price * 2 desc, count",
            "sum(baby.feeds.count * 2) nulls last, count desc", "percentile(baby.feeds.amount, 0.3), start",
        ]
        let order = orders.randomElement(using: &generator) ?? "count"
        let items = [
            "baby", "baby.house(show name)", "count(baby.feeds)", "first(baby.feeds sort start desc)",
            "sum(baby.feeds.count * baby.feeds.count where \(term(ofFigure: true)))",
            "maximum(baby.feeds.baby.name)",
            "count(distinct baby.feeds.kind where \(term(ofFigure: true)))",
        ]
        let item = items.randomElement(using: &generator) ?? "baby"
        return
            "Feed where \(joined) sort \(order) limit \(Int.random(in: 0...6, using: &generator)) include \(item)"
    }

    /// A query of figures over groups of feeds that parses.
    mutating func nextFigures() -> String {
        let keys = ["kind", "baby.name", "day(start)", "weekday(start in 'Pacific/Auckland')", "isNight"]
        let figures = [
            "count", "count(where \(term(ofFigure: true)))", "sum(count * 2)", "count(distinct baby)",
            "sum(amount where \(term(ofFigure: true)))",
            "percentile(amount, 0.75)", "average(count - 11)", "maximum(baby.name)", "median(price)",
        ]
        let key = keys.randomElement(using: &generator) ?? "kind"
        let first = figures.randomElement(using: &generator) ?? "count"
        let second = figures.randomElement(using: &generator) ?? "count"
        let order = Bool.random(using: &generator) ? "\(key) desc" : "first desc nulls last"
        return """
            Feed where \(term()) by \(key) \(first) as first, running(\(second)), overall(\(first)) as whole \
            having count >= \(Int.random(in: 0...2, using: &generator)) sort \(order) limit 3
            """
    }

    private mutating func term(ofFigure: Bool = false) -> String {
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
            "count * 2 - 3 \(comparison) \(Int.random(in: 15...30, using: &generator))",
            "(`limit` + count) * 2 \(comparison) 28", "memo \(comparison) baby.nick",
            "start + 3600 \(comparison) end",
            "price * 2 \(comparison) 25",
            "folded(baby.name) \(comparison) 'MIA'", "folded(baby.name) contains 'O'",
            "count(distinct baby.feeds.kind) \(comparison) 1",
            "count(baby.feeds) * 2 \(comparison) count - 9",
        ]
        let overall = [
            "amount \(comparison) overall(average(amount))",
            "count \(comparison) overall(average(count where kind = 'breast'))",
            "has baby.house where (has babies where (has feeds where (has baby where (has feeds where (count = 12)))))",
        ]
        return (ofFigure ? terms : terms + overall).randomElement(using: &generator) ?? "count = 1"
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
