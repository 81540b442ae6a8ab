public import Foundation

/// What the rows of one group have in common, for `ReadTransaction.aggregate`.
public struct Grouping<Element: Model, Value>: Sendable {
    let key: Result<GroupKey, StoreError>
}

extension Grouping {
    /// The value of an attribute; nil is a group of its own.
    public static func attribute(_ keyPath: KeyPath<Element, Value>) -> Self {
        Grouping(key: Element.attribute(at: keyPath).map { .attribute($0) })
    }
}

extension Grouping where Value == CalendarDay {
    /// The calendar day of a time.
    ///
    /// - Parameters:
    ///   - keyPath: The attribute.
    ///   - offset: The seconds to add before the day is taken: the zone's distance from UTC, less the time of
    ///     day at which a day begins. A history day that begins at 07:00 in Berlin in winter has 3,600 −
    ///     25,200. At most two days.
    /// - Returns: The key, a day of its own for each distinct one.
    public static func day(of keyPath: KeyPath<Element, Date>, offset: Int = 0) -> Self {
        Grouping(key: .day(of: keyPath, offset: offset))
    }
}

extension Grouping where Value == CalendarDay? {
    /// The calendar day of a time that may be missing; nil is a group of its own.
    ///
    /// - Parameters:
    ///   - keyPath: The attribute.
    ///   - offset: The seconds to add before the day is taken.
    /// - Returns: The key, a day of its own for each distinct one.
    public static func day(of keyPath: KeyPath<Element, Date?>, offset: Int = 0) -> Self {
        Grouping(key: .day(of: keyPath, offset: offset))
    }
}

extension Result where Success == GroupKey, Failure == StoreError {
    fileprivate static func day<Element: Model>(of keyPath: PartialKeyPath<Element>, offset: Int) -> Self {
        Element.attribute(at: keyPath).flatMap { name in
            guard (-172_800...172_800).contains(offset) else {
                return .failure(
                    StoreError(
                        .invalidArgument, "The offset of a day is at most two days, in seconds.",
                        entity: Element.entityName, attribute: name))
            }
            return .success(.day(of: name, offset: offset))
        }
    }
}
