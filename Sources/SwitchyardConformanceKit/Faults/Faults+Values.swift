internal import Foundation
internal import Switchyard
internal import SwitchyardCore

extension Fault {
    /// Faults in storing values.
    static let values: [Fault] = [
        stores("text-trimmed", "White space at both ends of text is lost.") { value, _ in
            value.mapText { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        },
        stores("text-trailing-space", "Spaces at the end of text are lost.") { value, _ in
            value.mapText { String($0.reversed().drop { $0 == " " }.reversed()) }
        },
        stores("text-normalized", "Text is stored in Unicode's composed form.") { value, _ in
            value.mapText(\.precomposedStringWithCanonicalMapping)
        },
        stores("text-line-ends", "CR LF in text becomes LF.") { value, _ in
            value.mapText { $0.replacingOccurrences(of: "\r\n", with: "\n") }
        },
        stores("text-beyond-bmp", "A scalar beyond U+FFFF becomes U+FFFD.") { value, _ in
            value.mapText { text in
                String(
                    String.UnicodeScalarView(text.unicodeScalars.map { $0.value > 0xFFFF ? "\u{FFFD}" : $0 }))
            }
        },
        stores("text-255", "Text is cut after 255 characters.") { value, _ in
            value.mapText { String($0.prefix(255)) }
        },
        stores("text-empty-as-nil", "Empty text is stored as nil where that is allowed.") {
            value, attribute in
            value == .text("") && attribute.isOptional ? .null : value
        },
        stores("text-nil-as-empty", "A nil text is stored as an empty one.") { value, attribute in
            value.isNull && attribute.type == .text && attribute.cases == nil ? .text("") : value
        },
        stores("blob-empty-as-nil", "An empty blob is stored as nil where that is allowed.") {
            value, attribute in
            value == .blob(Data()) && attribute.isOptional ? .null : value
        },
        stores("blob-zero-byte", "A blob ends at its first zero byte.") { value, _ in
            if case .blob(let data) = value { .blob(Data(data.prefix { $0 != 0 })) } else { value }
        },
        stores("blob-16-mebibytes", "A blob is cut at 16 MiB.") { value, _ in
            if case .blob(let data) = value { .blob(Data(data.prefix(16_777_216))) } else { value }
        },
        stores("integer-as-double", "Integers are stored as doubles.") { value, _ in
            guard case .int(let integer) = value else { return value }
            return .int(Int64(exactly: Double(integer)) ?? .max)
        },
        stores("integer-32", "Integers are stored in 32 bits.") { value, _ in
            if case .int(let integer) = value {
                .int(Int64(Int32(truncatingIfNeeded: integer)))
            } else {
                value
            }
        },
        stores("integer-nil-as-zero", "A nil integer is stored as 0.") { value, attribute in
            value.isNull && attribute.type == .int && attribute.cases == nil ? .int(0) : value
        },
        stores("double-as-float", "Doubles are stored in single precision.") { value, _ in
            if case .double(let double) = value { .double(Double(Float(double))) } else { value }
        },
        stores("double-15-digits", "Doubles are stored as text of 15 digits.") { value, _ in
            guard case .double(let double) = value, double.isFinite else { return value }
            return .double(Double(String(format: "%.15g", double)) ?? double)
        },
        stores("double-infinity", "An infinite double is stored as the greatest finite one.") { value, _ in
            guard case .double(let double) = value, double.isInfinite else { return value }
            return .double(double > 0 ? .greatestFiniteMagnitude : -.greatestFiniteMagnitude)
        },
        Fault(
            "double-negative-zero", "A double that is 0 is read as −0.",
            FaultHooks(cell: { cell, attribute in
                attribute.type == .double && cell.kind == .double && cell.word == 0
                    ? Cell(double: -0.0) : cell
            })),
        stores("decimal-as-double", "Decimals keep the 15 digits of a double.") { value, _ in
            guard case .decimal(let decimal) = value else { return value }
            let text = String(format: "%.15g", (decimal as NSDecimalNumber).doubleValue)
            // A value that needs more than 38 digits even when rounded would be refused.
            guard let rounded = Decimal(string: text), CanonicalDecimal.text(rounded) != nil else {
                return value
            }
            return .decimal(rounded)
        },
        stores("decimal-28-digits", "Decimals keep 28 places after the point.") { value, _ in
            value.mapDecimal { $0.rounded(28) }
        },
        stores("decimal-10-places", "Decimals keep 10 places after the point.") { value, _ in
            value.mapDecimal { $0.rounded(10) }
        },
        stores("time-milliseconds", "Times are cut to milliseconds.") { value, _ in
            if case .timestamp(let time) = value { .timestamp(time / 1_000 * 1_000) } else { value }
        },
        stores("time-before-1970", "Times before 1970 are cut to seconds.") { value, _ in
            if case .timestamp(let time) = value, time < 0 {
                .timestamp(time / 1_000_000 * 1_000_000)
            } else {
                value
            }
        },
        stores("day-before-1970", "Days before 1970 are stored as the day after.") { value, _ in
            guard case .day(let day) = value, day.daysSince1970 < 0 else { return value }
            return CalendarDay(daysSince1970: Int(day.daysSince1970) + 1).map { .day($0) } ?? value
        },
        stores("uuid-zero-as-nil", "The UUID of zeros is stored as nil.") { value, attribute in
            guard case .uuid(let uuid) = value, attribute.isOptional else { return value }
            return uuid.uuidString.contains { !"0-".contains($0) } ? value : .null
        },
        stores("json-spaces", "JSON is stored with spaces.") { value, _ in
            if case .json(let text) = value {
                .json(text.replacingOccurrences(of: ",", with: ", "))
            } else {
                value
            }
        },
    ]

    private static func stores(
        _ name: String, _ summary: String,
        _ change: @escaping @Sendable (StoredValue, Attribute) -> StoredValue
    ) -> Fault { Fault(name, summary, FaultHooks(value: change)) }
}

extension StoredValue {
    func mapText(_ change: (String) -> String) -> StoredValue {
        if case .text(let text) = self { .text(change(text)) } else { self }
    }

    fileprivate func mapDecimal(_ change: (Decimal) -> Decimal) -> StoredValue {
        if case .decimal(let decimal) = self { .decimal(change(decimal)) } else { self }
    }
}

extension Decimal {
    fileprivate func rounded(_ places: Int) -> Decimal {
        var (value, rounded) = (self, Decimal())
        NSDecimalRound(&rounded, &value, places, .plain)
        return rounded
    }
}
