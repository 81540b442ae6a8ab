internal import SwitchyardCore

/// The column types that store attributes, with PostgreSQL's fixed object ids.
///
/// The ids are part of PostgreSQL's catalogue (`pg_type.dat`) and have never changed.
package enum WireType: UInt32, Sendable, CaseIterable {
    case bool = 16
    case bytea = 17
    case int8 = 20
    case text = 25
    case float8 = 701
    case date = 1082
    case timestamptz = 1184
    case numeric = 1700
    case uuid = 2950

    /// The column type of an attribute.
    ///
    /// JSON is stored as text, which compares as bytes; `jsonb` would not.
    init(_ attribute: AttributeType) {
        self =
            switch attribute {
            case .bool: .bool
            case .int: .int8
            case .double: .float8
            case .decimal: .numeric
            case .text, .json: .text
            case .blob: .bytea
            case .uuid: .uuid
            case .timestamp: .timestamptz
            case .day: .date
            }
    }

    /// The type's own id.
    var oid: UInt32 { rawValue }

    /// The id of the type's array.
    var arrayOID: UInt32 {
        switch self {
        case .bool: 1000
        case .bytea: 1001
        case .int8: 1016
        case .text: 1009
        case .float8: 1022
        case .date: 1182
        case .timestamptz: 1185
        case .numeric: 1231
        case .uuid: 2951
        }
    }
}

/// The difference between the epochs: PostgreSQL counts time from 2000-01-01, Switchyard from 1970-01-01.
enum WireEpoch {
    static let microseconds: Int64 = 946_684_800_000_000
    static let days: Int64 = 10_957
}
