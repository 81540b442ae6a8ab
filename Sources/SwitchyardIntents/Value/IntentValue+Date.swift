public import Foundation

extension Date: IntentValue {
    /// The type as data.
    public static var valueType: IntentValueType {
        IntentValueType(name: "date", description: "a date and time, such as 2026-11-21T08:30:00Z")
    }

    /// Accepts ISO 8601.
    ///
    /// A time without a zone is in the context's time zone; a day alone means its first moment there. A time that the
    /// zone's clocks show twice or never is refused.
    public static func resolve(
        _ argument: IntentArgument, in context: IntentContext
    ) async throws -> IntentResolution<Date> {
        let text = try argument.text(for: valueType)
        do {
            guard let date = try DateText.date(text, timeZone: { context.timeZone }) else {
                throw valueType.refusal(of: text)
            }
            return .value(date)
        } catch let error as DateText.UnclearTime {
            throw IntentError(.invalidValue, error.description)
        }
    }

    /// The date in ISO 8601, in UTC.
    public var displayRepresentation: DisplayRepresentation {
        DisplayRepresentation(title: formatted(.iso8601))
    }
}
