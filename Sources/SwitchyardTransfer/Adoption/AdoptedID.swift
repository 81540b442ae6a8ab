internal import Foundation
internal import SwitchyardCore

/// Derives ids from the keys of a foreign database, the same ones each time.
///
/// A key that is a UUID becomes the id. For any other, the id is derived from the table's name in lower case,
/// and from each part of the key as text.
struct AdoptedID: Sendable {
    let namespace: UUID

    /// The id of a row; nil for a key with a part that has no value or cannot be compared.
    func id(of key: [ForeignValue], in table: String) -> UUID? {
        if key.count == 1, let uuid = key[0].uuid { return uuid }
        let parts = key.compactMap(\.keyText)
        guard parts.count == key.count, !parts.isEmpty else { return nil }
        return DerivedID(namespace: namespace).uuid([table.folded] + parts)
    }
}

extension ForeignValue {
    /// A part of a key as text.
    ///
    /// Numbers are the same as their digits, because a reference may have another type than the key.
    var keyText: String? {
        switch self {
        case .null, .invalidText: nil
        case .integer(let integer): String(integer)
        case .real(let real): Int64(exactly: real).map { String($0) } ?? real.description
        case .text(let text): text
        case .blob(let data): "\\x" + String(hexadecimal: data)
        case .uuid(let uuid): uuid.uuidString.lowercased()
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
