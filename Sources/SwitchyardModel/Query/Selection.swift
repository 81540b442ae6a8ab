/// A validated query for a driver: columns, rows, order and limit.
public struct Selection: Sendable, Hashable {
    /// The entity of the rows.
    public var entity: Entity
    /// The columns of each row of the result, in order.
    public var columns: [SelectedColumn]
    /// The condition that the rows fulfil.
    public var condition: Condition
    /// The complete order: if there are attributes among the columns it ends with `id`, so that it is total.
    public var order: [SortKey]
    /// The keys of the groups; empty for plain rows, or for one group of all rows.
    ///
    /// Groups are returned in the order of their keys.
    public var groups: [GroupKey]
    /// The maximum number of rows; nil for all, never negative.
    public var limit: Int?
    /// The number of rows to skip, never negative.
    public var offset: Int
    /// Restricts the rows to some values of an attribute, with a limit for each; nil for one limit for all rows.
    ///
    /// The limit and the offset count for each value.
    /// Only a driver that is `PartitionLimiting` receives one. The rows of one value come in the order of the selection,
    /// and those of different values in any.
    public var partition: Partition?

    /// Creates a selection.
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

    /// Selects whole rows: all attributes in the entity's order.
    public static func rows(
        of entity: Entity, where condition: Condition = .constant(true), order: [SortKey] = [SortKey("id")],
        limit: Int? = nil, offset: Int = 0
    ) -> Selection {
        Selection(
            entity: entity, columns: entity.attributes.map { .attribute($0.name) }, condition: condition,
            order: order, limit: limit, offset: offset)
    }

    /// Values of an attribute whose rows are selected.
    public struct Partition: Sendable, Hashable {
        /// The attribute.
        public let attribute: String
        /// Its values, each once, none of them nil.
        public let values: [StoredValue]

        package init(_ attribute: String, _ values: [StoredValue]) {
            (self.attribute, self.values) = (attribute, values)
        }
    }

    /// Whether the result consists of groups and aggregates rather than rows.
    public var isAggregate: Bool {
        !groups.isEmpty
            || columns.contains {
                if case .aggregate = $0 { true } else { false }
            }
    }

    /// What readers of the result's rows need to describe an error.
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

/// One column of a result.
public enum SelectedColumn: Sendable, Hashable {
    /// An attribute of the row.
    case attribute(String)
    /// The key of the group, which is also among `Selection.groups`.
    case group(GroupKey)
    /// A figure over the rows of the group.
    case aggregate(AggregateFunction)
}

/// A key by which rows are grouped.
public enum GroupKey: Sendable, Hashable {
    /// The value of an attribute.
    case attribute(String)
    /// The number of the period in which a timestamp lies on the clock that the offsets make of UTC, rounded down; the period
    /// that begins at 1970-01-01 00:00 is 0. The column of a day is a day, and that of an hour is an integer.
    case period(ClockPeriod, of: String, ClockOffsets)

    /// The attribute that determines the key.
    public var attribute: String {
        switch self {
        case .attribute(let name), .period(_, of: let name, _): name
        }
    }
}

extension AggregateFunction {
    /// The type of the figure over rows of an entity; nil for a value that has no such figure.
    package func type(in entity: Entity, of schema: Schema) -> AttributeType? {
        plain.type(of: valueType(in: entity, of: schema))
    }

    /// The type of the figure of an attribute over rows of an entity; nil for an attribute that has no such figure.
    package func type(in entity: Entity) -> AttributeType? {
        type(of: attribute.flatMap { entity.attribute($0)?.type })
    }

    /// The type of the values that are aggregated; nil for `count`, and for what is always nil.
    package func valueType(in entity: Entity, of schema: Schema) -> AttributeType? {
        calculated.map { $0.type(in: entity, of: schema) } ?? attribute.flatMap { entity.attribute($0)?.type }
    }

    private func type(of type: AttributeType?) -> AttributeType? {
        switch self {
        case .count: return .int
        case .countOf, .countDistinct: return type == nil ? nil : .int
        case .minimum, .maximum: return type == .json ? nil : type
        case .sum: return type?.isNumber == true ? type : nil
        case .average, .percentile:
            return type?.isNumber == true ? (type == .decimal ? .decimal : .double) : nil
        case .calculated(let function, _): return function.type(of: type)
        }
    }
}

extension AttributeType {
    /// Whether its values can be added.
    fileprivate var isNumber: Bool { self == .int || self == .double || self == .decimal }
}
