internal import Foundation

/// What becomes of one table when a store goes from one schema to another.
public enum TableChange: Sendable, Hashable {
    /// The table is new, and has no rows.
    case create(Entity)
    /// The table goes, with its rows.
    case drop(Entity)
    /// The table becomes that of another entity, or of another version of its own: it keeps all rows, with values from the
    /// sources, one for each attribute of the new entity in its order.
    case change(Entity, to: Entity, [ValueSource])
    /// The table goes, and one of another entity, or of another version of its own, comes in its place, whose rows somebody
    /// else writes.
    case replace(Entity, by: Entity)

    /// A table that keeps its columns, with the constraints of another version of its entity.
    package static func keep(_ old: Entity, as new: Entity) -> TableChange {
        .change(old, to: new, new.attributes.map { ValueSource($0.name) })
    }

    /// The entity before; nil for a table that is new.
    public var old: Entity? {
        switch self {
        case .create: nil
        case .drop(let entity), .change(let entity, _, _), .replace(let entity, _): entity
        }
    }

    /// The entity afterwards; nil for a table that goes.
    public var new: Entity? {
        switch self {
        case .create(let entity), .change(_, let entity, _), .replace(_, let entity): entity
        case .drop: nil
        }
    }
}

/// Where the values of an attribute come from.
public struct ValueSource: Sendable, Hashable {
    /// The attribute of the old entity; nil if it has none.
    ///
    /// It has the same type, or is of integers that become decimals or doubles.
    public let attribute: String?
    /// The value of a row that has none; null if the attribute may be nil, or no row lacks a value.
    public let fallback: StoredValue

    /// Creates a source.
    public init(_ attribute: String?, fallback: StoredValue = .null) {
        self.attribute = attribute
        self.fallback = fallback
    }

    /// The value that a row gets, given the value that it has; nil if it has none.
    public func value(of old: StoredValue?, as type: AttributeType) -> StoredValue {
        guard let old, !old.isNull else { return fallback }
        guard case .int(let integer) = old else { return old }
        switch type {
        case .decimal: return .decimal(Decimal(integer))
        case .double: return .double(Double(integer))
        default: return old
        }
    }
}

extension Schema {
    /// The schema while the rows of its new tables are written, and the others are still those of the older version.
    ///
    /// The new tables are under other names, the `drafts` of their entities. Those that will be changed are nowhere yet.
    public func whileFilling(_ changes: [TableChange]) -> Schema {
        var tables: [String: String] = [:]
        for (number, change) in changes.enumerated() {
            guard let entity = change.new else { continue }
            tables[entity.name] = change.isFilled ? TableChange.draft(number) : "switchyard_later_\(number)"
        }
        return storing(in: tables)
    }
}

extension TableChange {
    /// The name, unquoted, that the table of a change has while others take new names.
    package static func draft(_ number: Int) -> String { "switchyard_draft_\(number)" }

    /// Whether the table is new, and its rows come from `TableFilling`, if any do.
    public var isFilled: Bool {
        switch self {
        case .create, .replace: true
        case .drop, .change: false
        }
    }
}
