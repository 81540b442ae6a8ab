public import Foundation
public import SwitchyardCore

/// How the values of a column are written.
public struct AdoptedForm: Sendable {
    enum Kind: Sendable {
        case asIs
        case number
        case date(DateForm)
        case formatted(DateFormat)
        case custom(@Sendable (ForeignValue) throws -> StoredValue)
    }

    let kind: Kind

    /// As the attribute's type has it: 0 and 1 for true and false, a decimal also as a double or as text, a time as ISO 8601
    /// with its zone, a day as `2026-11-21`, and text only for text.
    public static let asIs = AdoptedForm(kind: .asIs)
    /// A number, also as text; of a text, a double must not lose a digit.
    public static let number = AdoptedForm(kind: .number)
    /// Any value as bytes: a text in UTF-8, a number as its digits, for a column whose values are of several types.
    public static let bytes = AdoptedForm(
        kind: .custom { try $0.bytes().map { .blob($0) } ?? .null })

    /// A time or a day in a form that must be declared.
    public static func date(_ form: DateForm) -> AdoptedForm { AdoptedForm(kind: .date(form)) }

    /// A time or a day in a Unicode format (UTS 35), such as `dd.MM.yyyy HH:mm`, in English and the Gregorian
    /// calendar.
    ///
    /// A text that the format would not produce is refused, such as `1.2.2024` for this one. So is a time
    /// that the zone's clocks skip, and one that they show twice unless `repeated` says which one is meant.
    ///
    /// - Parameters:
    ///   - format: The format.
    ///   - timeZone: The zone of times, if the format has none; days have no zone.
    ///   - repeated: The meaning of a time that the clocks show twice.
    /// - Returns: The form.
    public static func date(
        format: String, timeZone: TimeZone, repeated: RepeatedTime = .refused
    ) -> AdoptedForm {
        AdoptedForm(kind: .formatted(DateFormat(format, timeZone, repeated)))
    }

    /// How a time is written.
    public enum DateForm: Sendable, Hashable {
        /// ISO 8601, in this zone if the text names none.
        ///
        /// A time that the zone's clocks skip is refused, and one that they show twice unless `repeated` says which one is
        /// meant.
        case iso8601(in: TimeZone, repeated: RepeatedTime = .refused)
        /// Seconds since 1970-01-01 00:00 UTC.
        case unixSeconds
        /// Milliseconds since 1970-01-01 00:00 UTC.
        case unixMilliseconds
        /// Seconds since 2001-01-01 00:00 UTC, as Core Data and Foundation count.
        case appleReference
    }
}

/// Why a value cannot be converted, without the value.
struct Unconvertible: Error {
    let reason: String
    let kind: AdoptionFault.Kind?

    init(_ reason: String, _ kind: AdoptionFault.Kind? = nil) { (self.reason, self.kind) = (reason, kind) }

    init(_ fault: LocalClock.Fault) {
        kind = nil
        reason =
            switch fault {
            case .repeated: "the clocks show the time twice: say by `repeated` which one is meant"
            case .skipped: "the clocks skip the time"
            }
    }
}

extension AdoptedForm {
    /// The value of an attribute.
    ///
    /// - Throws: `Unconvertible`.
    func value(_ value: ForeignValue, for attribute: Attribute) throws -> StoredValue {
        let converted: StoredValue
        switch kind {
        case .custom(let convert):
            do { converted = try convert(value) } catch let refusal as Unconvertible { throw refusal } catch {
                throw Unconvertible("the conversion fails")
            }
        case _ where value == .null: converted = .null
        case .date(let form): converted = try form.value(value, as: attribute.type)
        case .formatted(let format):
            guard case .text(let text) = value, let time = try Self.moment(text, format, attribute.type)
            else { throw Unconvertible("\(value.kind) is not a time in the declared form") }
            converted = try Self.time(time, as: attribute.type)
        case .number: converted = try Self.natural(Self.number(value), as: attribute.type)
        case .asIs: converted = try Self.natural(value, as: attribute.type)
        }
        if converted.isNull, !attribute.isOptional {
            throw Unconvertible("the attribute needs a value", .needsValue)
        }
        guard converted.isNull || converted.type == attribute.type, attribute.allows(converted) else {
            throw Unconvertible("the attribute does not allow the value")
        }
        return converted
    }

    /// The number in a text.
    private static func number(_ value: ForeignValue) throws -> ForeignValue {
        guard case .text(let text) = value else { return value }
        if let integer = Int64(text) { return .integer(integer) }
        guard CanonicalDecimal.decimal(text) != nil else { throw Unconvertible("the text is no number") }
        return value
    }

    private static func natural(_ value: ForeignValue, as type: AttributeType) throws -> StoredValue {
        let found: StoredValue? =
            switch (type, value) {
            case (.bool, .integer(0)): .bool(false)
            case (.bool, .integer(1)): .bool(true)
            case (.int, .integer(let integer)): .int(integer)
            case (.int, .real(let real)): Int64(exactly: real).map { .int($0) }
            case (.double, .real(let real)): real.isNaN ? nil : .double(real == 0 ? 0 : real)
            case (.double, .integer(let integer)): Double(exactly: integer).map { .double($0) }
            case (.double, .text(let text)): double(text).map { .double($0) }
            case (.decimal, .integer(let integer)): .decimal(Decimal(integer))
            case (.decimal, .real(let real)): decimal(real).map { .decimal($0) }
            case (.decimal, .text(let text)): CanonicalDecimal.decimal(text).map { .decimal($0) }
            case (.text, .text(let text)): text.utf8.contains(0) ? nil : .text(text)
            case (.blob, .blob(let data)): .blob(data)
            case (.uuid, _): value.uuid.map { .uuid($0) }
            case (.timestamp, .text(let text)): try timestamp(text, by: nil).map { .timestamp($0) }
            case (.timestamp, .timestamp(let microseconds)) where Timestamp.range.contains(microseconds):
                .timestamp(microseconds)
            case (.day, .timestamp(let microseconds)): try time(microseconds, as: .day)
            case (.day, .text(let text)): CalendarDay(text).map { .day($0) }
            case (.json, .text(let text)): CanonicalJSON.canonical(text).map { .json($0) }
            default: nil
            }
        guard let found else { throw Unconvertible("\(value.kind) is not of type \(type.rawValue)") }
        return found
    }

    /// The value of a time in microseconds since 1970.
    fileprivate static func time(_ microseconds: Int64, as type: AttributeType) throws -> StoredValue {
        if type == .timestamp { return .timestamp(microseconds) }
        guard type == .day, microseconds.isMultiple(of: Timestamp.microsecondsPerDay),
            let day = CalendarDay(daysSince1970: Int(microseconds / Timestamp.microsecondsPerDay))
        else { throw Unconvertible("the time is no whole day") }
        return .day(day)
    }

    /// The number in a text; nil if it has more digits than a double keeps.
    private static func double(_ text: String) -> Double? {
        guard let number = CanonicalDecimal.decimal(text), let double = Double(text) else { return nil }
        if double == 0 { return number == 0 ? 0 : nil }
        return decimal(double) == number ? double : nil
    }

    /// The shortest decimal that is read as the same double.
    private static func decimal(_ real: Double) -> Decimal? {
        guard real.isFinite, let decimal = Decimal(string: real.description, locale: nil) else { return nil }
        return CanonicalDecimal.text(decimal) == nil ? nil : decimal
    }

    /// Microseconds since 1970; nil for a text that the format would not have written.
    ///
    /// - Throws: `Unconvertible` for a time that the clocks show twice or never.
    private static func moment(_ text: String, _ format: DateFormat, _ type: AttributeType) throws -> Int64? {
        do { return try format.microseconds(text, isDay: type == .day) } catch { throw Unconvertible(error) }
    }

    /// Microseconds since 1970; nil for a text without a zone where no clock is given.
    ///
    /// - Throws: `Unconvertible` for a time that the clock shows twice or never.
    fileprivate static func timestamp(_ text: String, by clock: LocalClock?) throws -> Int64? {
        guard let time = ISO8601Time(text) else { return nil }
        let microseconds: Int64
        if let offset = time.offset {
            let seconds = Int64(time.day.daysSince1970) * 86_400 - Int64(offset)
            microseconds = seconds * 1_000_000 + time.microseconds
        } else {
            guard let clock else { return nil }
            do { microseconds = try clock.microseconds(time) } catch { throw Unconvertible(error) }
        }
        return Timestamp.range.contains(microseconds) ? microseconds : nil
    }
}

extension AdoptedForm.DateForm {
    fileprivate func value(_ value: ForeignValue, as type: AttributeType) throws -> StoredValue {
        let found: Int64? =
            switch (self, value) {
            case (.iso8601(let zone, let repeated), .text(let text)):
                try AdoptedForm.timestamp(
                    text, by: LocalClock(type == .day ? .gmt : zone, repeated: repeated))
            case (.unixSeconds, .integer(let seconds)): Self.microseconds(seconds, times: 1_000_000)
            case (.unixMilliseconds, .integer(let milliseconds)):
                Self.microseconds(milliseconds, times: 1_000)
            case (.appleReference, .integer(let seconds)):
                Self.microseconds(seconds, times: 1_000_000, since: 978_307_200_000_000 as Int64)
            case (.unixSeconds, .real(let seconds)):
                Timestamp.microseconds(Date(timeIntervalSince1970: seconds))
            case (.unixMilliseconds, .real(let milliseconds)):
                Timestamp.microseconds(Date(timeIntervalSince1970: milliseconds / 1_000))
            case (.appleReference, .real(let seconds)):
                Timestamp.microseconds(Date(timeIntervalSinceReferenceDate: seconds))
            default: nil
            }
        guard let found else { throw Unconvertible("\(value.kind) is not a time in the declared form") }
        return try AdoptedForm.time(found, as: type)
    }

    private static func microseconds(
        _ count: Int64, times unit: Int64, since epoch: Int64 = 0
    ) -> Int64? {
        let (product, overflows) = count.multipliedReportingOverflow(by: unit)
        let (sum, overflowsToo) = product.addingReportingOverflow(epoch)
        return !overflows && !overflowsToo && Timestamp.range.contains(sum) ? sum : nil
    }
}

extension ForeignValue {
    /// Any value as bytes; nil for null.
    ///
    /// - Throws: `Unconvertible` for a value that cannot be read.
    fileprivate func bytes() throws -> Data? {
        switch self {
        case .null: nil
        case .blob(let data), .invalidText(let data): data
        case .unreadable(let reason): throw Unconvertible(reason)
        default: keyText.map { Data($0.utf8) }
        }
    }

    /// The value as a UUID: a UUID, 16 bytes or text.
    var uuid: UUID? {
        switch self {
        case .uuid(let uuid): uuid
        case .text(let text): UUID(uuidString: text)
        case .blob(let data) where data.count == 16:
            data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        default: nil
        }
    }

    /// What kind of value it is, in words.
    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .integer: "an integer"
        case .real: "a double"
        case .text: "a text"
        case .blob: "a blob"
        case .uuid: "a UUID"
        case .timestamp: "a time"
        case .invalidText: "a text in no valid encoding"
        case .unreadable(let reason): "a value that cannot be read (\(reason))"
        }
    }
}
