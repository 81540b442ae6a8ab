/// A validated question to a driver: columns, rows, order and number.
public struct Selection: Sendable, Hashable {
    /// The entity asked about.
    public var entity: Entity
    /// What each row of the answer holds, in order.
    public var columns: [SelectedColumn]
    /// The rows asked for.
    public var condition: Condition
    /// The whole order: with attributes in the columns it ends in `id`, so that it is total.
    public var order: [SortKey]
    /// The groups' keys; empty for plain rows, or for one group of all rows.
    ///
    /// Groups come in the order of their keys.
    public var groups: [GroupKey]
    /// The most rows to give; nil for all, never negative.
    public var limit: Int?
    /// How many rows to leave out first, never negative.
    public var offset: Int

    /// Describes a selection.
    public init(
        entity: Entity, columns: [SelectedColumn], condition: Condition = .constant(true),
        order: [SortKey] = [],
        groups: [GroupKey] = [], limit: Int? = nil, offset: Int = 0
    ) {
        self.entity = entity
        self.columns = columns
        self.condition = condition
        self.order = order
        self.groups = groups
        self.limit = limit
        self.offset = offset
    }

    /// Whole rows: every attribute in the entity's order.
    public static func rows(
        of entity: Entity, where condition: Condition = .constant(true), order: [SortKey] = [SortKey("id")],
        limit: Int? = nil, offset: Int = 0
    ) -> Selection {
        Selection(
            entity: entity, columns: entity.attributes.map { .attribute($0.name) }, condition: condition,
            order: order, limit: limit, offset: offset)
    }

    /// Whether the answer is groups and aggregates rather than rows.
    public var isAggregate: Bool {
        !groups.isEmpty
            || columns.contains {
                if case .aggregate = $0 { true } else { false }
            }
    }

    /// What readers of the answer's rows need to name a fault.
    public var errorContext: ErrorContext {
        let names = columns.map { column in
            switch column {
            case .attribute(let name): name
            case .group(let key): key.attribute
            case .aggregate(let function): function.attribute ?? "count"
            }
        }
        return ErrorContext(entity: entity.name, attributes: names)
    }
}

/// What one column of an answer holds.
public enum SelectedColumn: Sendable, Hashable {
    /// An attribute of the row.
    case attribute(String)
    /// The key of the group, which is also among `Selection.groups`.
    case group(GroupKey)
    /// A figure over the rows of the group.
    case aggregate(AggregateFunction)
}

/// What the rows of one group have in common.
public enum GroupKey: Sendable, Hashable {
    /// The value of an attribute.
    case attribute(String)
    /// The calendar day of a timestamp, once `offset` seconds are added to it: the zone's distance from UTC
    /// less the hour at which a day begins. The column is a day.
    case day(of: String, offset: Int)

    /// The attribute that the key is worked out from.
    public var attribute: String {
        switch self {
        case .attribute(let name), .day(of: let name, offset: _): name
        }
    }
}

/// A figure over the rows of a group.
///
/// Drivers are asked for sums of integers only, and for no average; those, and sums of doubles and decimals, are
/// worked out in Core, exactly and independent of the order of rows, so that all backends agree in every bit.
public enum AggregateFunction: Sendable, Hashable {
    /// The number of rows.
    case count
    /// The number of rows in which the attribute is not nil.
    case countOf(String)
    /// The exact sum of the numbers that are not nil, 0 if there are none; overflow is `arithmetic`.
    case sum(String)
    /// The sum, rounded, divided by the count; nil if there is nothing to divide.
    case average(String)
    /// The smallest value; nil if there is none.
    case minimum(String)
    /// The greatest value; nil if there is none.
    case maximum(String)

    /// The attribute that the figure is about; nil for `count`.
    public var attribute: String? {
        switch self {
        case .count: nil
        case .countOf(let name), .sum(let name), .average(let name), .minimum(let name), .maximum(let name):
            name
        }
    }
}
