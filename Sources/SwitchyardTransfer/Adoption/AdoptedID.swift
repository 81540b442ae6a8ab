internal import Foundation
internal import SwitchyardCore

/// Derives ids from the keys of a foreign database, the same ones each time.
///
/// A key that is a UUID becomes the id. For any other, the id is derived from the table's name in lower case,
/// and from each part of the key as text.
struct AdoptedID: Sendable {
    /// The namespace of ids from keys, which can be that of one copy of the database.
    let namespace: UUID
    /// The namespace of ids from columns, which are the same in each copy.
    let columnNamespace: UUID

    init(_ plan: AdoptionPlan, _ snapshot: any ForeignSnapshot) throws {
        namespace = try plan.namespace ?? snapshot.databaseID() ?? AdoptionPlan.namespace
        columnNamespace = plan.namespace ?? AdoptionPlan.namespace
    }

    /// The id of a row of a table, whose name is in lower case; nil for a key with a part that has no value or cannot be
    /// compared.
    func id(of key: [ForeignValue], in table: String) -> UUID? { Self.id(of: key, in: table, namespace) }

    /// The id that columns give; nil if one has no value, or the nil UUID (RFC 9562, section 5.9).
    func id(ofColumns values: [ForeignValue], in table: String) -> UUID? {
        let id = Self.id(of: values, in: table, columnNamespace)
        return id == Self.nilUUID ? nil : id
    }

    private static let nilUUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    private static func id(of key: [ForeignValue], in table: String, _ namespace: UUID) -> UUID? {
        if key.count == 1, let uuid = key[0].uuid { return uuid }
        let parts = key.compactMap(\.keyText)
        guard parts.count == key.count, !parts.isEmpty else { return nil }
        return DerivedID(namespace: namespace).uuid([table] + parts)
    }
}

extension ForeignValue {
    /// A part of a key as text.
    ///
    /// Numbers are the same as their digits, because a reference may have another type than the key.
    var keyText: String? {
        switch self {
        case .null, .invalidText, .unreadable: nil
        case .integer(let integer): String(integer)
        case .real(let real): Int64(exactly: real).map { String($0) } ?? real.description
        case .text(let text): text
        case .blob(let data): "\\x" + String(hexadecimal: data)
        case .uuid(let uuid): uuid.uuidString.lowercased()
        case .timestamp(let microseconds): String(microseconds)
        }
    }
}

extension String {
    /// The name with its ASCII letters in lower case.
    var folded: String {
        String(decoding: utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// The same without underscores: `artist_id` and `artistID` are one name.
    var plain: String { folded.filter { $0 != "_" } }
}
