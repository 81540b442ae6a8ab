package import Foundation
package import Switchyard

/// Specimens that differ in every attribute: each alternates values, empty values and nil at its own period.
///
/// The values are given twice, as Swift types and as stored values, neither derived from the other.
package enum BatchSpecimen {
    /// The batch sizes to test: full rounds of readers and writers of 32, 64, 128, 256 or 1,000 rows, and one row more.
    package static let sizes = [0, 1, 2, 31, 32, 33, 64, 65, 128, 129, 256, 257, 1_000, 1_001]

    package static func id(_ number: Int) -> UUID {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        return UUID(
            uuid: (1, 152, 0, 0, 0, 0, 112, 0, 128, 0, 0, 0, bytes[0], bytes[1], bytes[2], bytes[3]))
    }

    /// The text of an id, as `Identifier` describes it.
    package static func text(_ number: Int) -> String {
        "01980000-0000-7000-8000-0000" + String(format: "%08x", number)
    }

    /// One of several values, in turn.
    private static func turn<Value>(_ number: Int, _ values: [Value]) -> Value {
        values[number % values.count]
    }

    /// The n-th specimen as a model, optionally with another one's id.
    package static func make(_ number: Int, id: Int? = nil) -> Specimen {
        let texts = ["", "Éclair \(number)", "a\u{301}%_\\", "😀"]
        let label = Label(name: turn(number, texts), weight: number)
        var specimen = Specimen(id: Specimen.ID(Self.id(id ?? number)))
        specimen.flag = number.isMultiple(of: 3)
        specimen.whole = turn(number, [0, number, -number, .max, .min])
        specimen.small = turn(number, [nil, 0, -128, 127])
        specimen.real = turn(number, [0, -0.0, Double(number) / 8, -.infinity, .leastNonzeroMagnitude])
        specimen.amount = turn(
            number,
            [
                nil, Decimal(0), Decimal(string: "-\(number).0625"),
                Decimal(sign: .plus, exponent: -37, significand: 1),
            ])
        specimen.text = turn(number, texts)
        specimen.memo = turn(number + 1, [nil] + texts.map(Optional.some))
        specimen.data = turn(number, [nil, Data(), Data([0]), Data([255, 0, UInt8(number % 256)])])
        specimen.key = number.isMultiple(of: 2) ? Self.id(number + 7) : nil
        specimen.moment = turn(
            number, [nil, Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: Double(number) - 0.5)])
        specimen.day = turn(number, [nil, CalendarDay("1970-01-01"), CalendarDay("0001-01-01")])
        specimen.certainty = turn(number, [nil, .low, .high])
        specimen.rank = turn(number, [.first, .second])
        specimen.labels = turn(number, [[], [label]])
        specimen.label = turn(number, [nil, label])
        specimen.renamed = turn(number, [nil, "", "row \(number)"])
        specimen.otherReal = turn(number, [nil, 0, Double(number) + 0.1])
        specimen.otherWhole = turn(number, [nil, 0, number])
        specimen.ratio = turn(number, [nil, 0, 0.5])
        specimen.octet = turn(number, [nil, 0, 255])
        return specimen
    }

    /// The n-th specimen as a row.
    package static func values(_ number: Int, id: Int? = nil) -> [StoredValue] {
        var row = rows.indices.contains(number) ? rows[number] : makeValues(number)
        row[0] = .uuid(Self.id(id ?? number))
        return row
    }

    /// Created once, since they are used again and again.
    private static let rows = (0...1_002).map { makeValues($0) }

    private static func makeValues(_ number: Int) -> [StoredValue] {
        let texts = ["", "Éclair \(number)", "a\u{301}%_\\", "😀"]
        let json = turn(
            number,
            ["\"\"", "\"Éclair \(number)\"", #""a\#u{301}%_\\""#, "\"😀\""]
        )
        let label = #"{"name":\#(json),"weight":\#(number)}"#
        let wide = Int64(number)
        return [
            .uuid(Self.id(number)),
            .bool(number.isMultiple(of: 3)),
            .int(turn(number, [0, wide, -wide, .max, .min])),
            turn(number, [.null, .int(0), .int(-128), .int(127)]),
            .double(turn(number, [0, 0, Double(number) / 8, -.infinity, .leastNonzeroMagnitude])),
            turn(
                number,
                [
                    .null, .decimal(0), .decimal(Decimal(string: "-\(number).0625") ?? 0),
                    .decimal(Decimal(sign: .plus, exponent: -37, significand: 1)),
                ]),
            .text(turn(number, texts)),
            turn(number + 1, [.null] + texts.map { .text($0) }),
            turn(
                number,
                [.null, .blob(Data()), .blob(Data([0])), .blob(Data([255, 0, UInt8(number % 256)]))]),
            number.isMultiple(of: 2) ? .uuid(Self.id(number + 7)) : .null,
            turn(number, [.null, .timestamp(0), .timestamp(wide * 1_000_000 - 500_000)]),
            turn(number, [.null] + days),
            turn(number, [.null, .text("low"), .text("high")]),
            .int(turn(number, [1, 2])),
            .json(turn(number, ["[]", "[\(label)]"])),
            turn(number, [.null, .json(label)]),
            turn(number, [.null, .text(""), .text("row \(number)")]),
            turn(number, [.null, .double(0), .double(Double(number) + 0.1)]),
            turn(number, [.null, .int(0), .int(wide)]),
            turn(number, [.null, .double(0), .double(0.5)]),
            turn(number, [.null, .int(0), .int(255)]),
        ]
    }

    private static let days = ["1970-01-01", "0001-01-01"].compactMap { CalendarDay($0).map(StoredValue.day) }
}
