internal import Foundation
internal import SwitchyardCore

/// A key of the groups of figures: an attribute, or a part of a time.
public struct FigureKey: Sendable, Hashable {
    /// A part of a time on a clock; a weekday is a number, 1 for Monday.
    public enum Part: String, Sendable, Hashable, CaseIterable {
        case hour, hourOfDay, day, weekday, week, month, quarter, year

        init?(word: String) {
            guard let part = Self.allCases.first(where: { $0.rawValue.lowercased() == word.lowercased() })
            else { return nil }
            self = part
        }
    }

    /// The attribute.
    public let path: AttributePath
    /// The part of it; nil for its value.
    public let part: Part?
    /// The name of the time zone; nil for UTC.
    public let zone: String?

    init(_ path: AttributePath, part: Part?, zone: String?) {
        (self.path, self.part, self.zone) = (path, part, zone)
    }

    /// The key's name in the answer, such as `month(start)`.
    var title: String {
        let name = (path.references + [path.attribute]).joined(separator: ".")
        return part.map { "\($0.rawValue)(\(name))" } ?? name
    }

    /// The key as typed queries have it.
    ///
    /// - Throws: `invalidArgument` if this system does not know the time zone.
    func grouping() throws -> GroupingKey {
        var key = GroupingKey(path.attribute)
        key.references = path.references
        guard let part else { return key }
        guard let zone = zone.map({ TimeZone(identifier: $0) }) ?? .gmt else {
            throw StoreError(.invalidArgument, "This system does not know the time zone of `\(title)`.")
        }
        key.part = CalendarPart(part.unit, in: zone)
        return key
    }
}

extension FigureKey.Part {
    fileprivate var unit: CalendarPart.Unit {
        switch self {
        case .hour: .hour
        case .hourOfDay: .hourOfDay
        case .day: .day
        case .weekday: .weekday
        case .week: .week(from: .monday)
        case .month: .month
        case .quarter: .quarter
        case .year: .year
        }
    }
}
