internal import PostgresStore

/// The PostgreSQL type of a column, and how its values are carried.
enum TargetType: Sendable, Hashable {
    case bigint
    case double
    /// Exact, with the declared number of digits; any number of digits without one.
    case numeric(Precision?)
    case boolean
    case text
    case bytea
    /// A day or a time, and the form of its texts.
    case date
    case timestamp(TextForm)

    struct Precision: Sendable, Hashable {
        let digits: Int, fraction: Int
    }

    /// The type's name.
    var name: String {
        switch self {
        case .bigint: "bigint"
        case .double: "double precision"
        case .numeric(let precision): precision.map { "numeric(\($0.digits),\($0.fraction))" } ?? "numeric"
        case .boolean: "boolean"
        case .text: "text"
        case .bytea: "bytea"
        case .date: "date"
        case .timestamp(let form): form.hasZone ? "timestamp with time zone" : "timestamp"
        }
    }

    /// The type in the definition of a column; text is ordered by its bytes, as SQLite does.
    var sql: String { self == .text ? "text COLLATE \"C\"" : name }

    /// The type on the wire: times without a zone travel as those with one, whose bytes are the same.
    var wire: WireType {
        switch self {
        case .bigint: .int8
        case .double: .float8
        case .numeric: .numeric
        case .boolean: .bool
        case .text: .text
        case .bytea: .bytea
        case .date: .date
        case .timestamp: .timestamptz
        }
    }

    /// Whether values may be stored outside the row.
    var hasLongValues: Bool { [.text, .bytea, .numeric(nil)].contains(self) }

    /// The expression that reads a column as that.
    func reading(_ column: String) -> String {
        if case .timestamp(let form) = self, !form.hasZone { return "\(column) AT TIME ZONE 'UTC'" }
        return column
    }

    /// Whether PostgreSQL can compare values of this type with a key of the other, as SQLite did.
    func refers(to key: TargetType) -> Bool {
        switch (self, key) {
        case (.numeric, .numeric), (.bigint, .numeric), (.bigint, .double): true
        default: self == key
        }
    }
}
