public import Foundation

/// A key to group rows by, for `ReadTransaction.aggregate`.
public struct Grouping<Element: Model, Value>: Sendable {
    package let key: Result<GroupKey, StoreError>
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
    ///   - offset: The seconds to add before the day is taken: the zone's offset from UTC minus the time at which a day
    ///     begins. For days that begin at 07:00 in Berlin in winter, it is 3,600 − 25,200. At most two days.
    /// - Returns: The key, with one group for each distinct day.
    public static func day(of keyPath: KeyPath<Element, Date>, offset: Int = 0) -> Self {
        Grouping(key: .day(of: keyPath, offset: offset))
    }
}

extension Grouping where Value == CalendarDay? {
    /// The calendar day of an optional time; nil is a group of its own.
    ///
    /// - Parameters:
    ///   - keyPath: The attribute.
    ///   - offset: The seconds to add before the day is taken.
    /// - Returns: The key, with one group for each distinct day.
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
                        .invalidArgument, "The offset of a day, in seconds, must be at most two days.",
                        entity: Element.entityName, attribute: name))
            }
            return .success(.day(of: name, offset: offset))
        }
    }
}
