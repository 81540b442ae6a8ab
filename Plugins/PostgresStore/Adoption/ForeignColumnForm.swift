internal import Foundation
internal import SwitchyardCore

/// How the server is asked for the values of a column, by the fixed object id of its type (`pg_type.dat`).
enum ForeignColumnForm {
    /// A number, a truth value or bytes.
    case plain
    case uuid
    /// A time with or without a zone, which JSON has in the form of ISO 8601, with the session's zone: UTC.
    case time
    /// The server's text of any other type; a `numeric` may have more digits than an attribute.
    case text

    init(typeOID: UInt32) {
        self =
            switch typeOID {
            // bool, bytea, int8, int2, int4, oid, float4 and float8.
            case 16, 17, 20, 21, 23, 26, 700, 701: .plain
            case 2950: .uuid
            // timestamp and timestamptz.
            case 1114, 1184: .time
            default: .text
            }
    }

    /// The expression that is selected for a quoted column.
    func sql(_ column: String) -> String {
        switch self {
        case .plain, .uuid: column
        case .time: "pg_catalog.to_jsonb(\(column)) #>> '{}'"
        case .text: "\(column)::text"
        }
    }

    /// The value of a cell that was read by this form.
    func value(_ cell: Cell) -> ForeignValue {
        guard self == .uuid, cell.kind == .blob, cell.count == 16 else { return ForeignValue(cell) }
        return .uuid(UUID(uuid: cell.bytes.loadUnaligned(as: uuid_t.self)))
    }
}
