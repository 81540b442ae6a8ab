internal import Foundation

/// Completes and checks encoded rows of one entity before a driver sees them: adds the folded copy of each
/// searchable attribute, and refuses what only one backend would take.
struct RowCheck {
    private let entity: Entity
    private let searchable: [Int]
    private let indexes: [[Int]]

    init(_ entity: Entity) {
        self.entity = entity
        let columns = Dictionary(uniqueKeysWithValues: entity.attributes.enumerated().map { ($1.name, $0) })
        searchable = entity.attributes.indices.filter { entity.attributes[$0].isSearchable }
        indexes = (entity.indexes.map(\.attributes) + entity.uniqueConstraints.map(\.attributes)).compactMap {
            let variable = $0.compactMap { name in
                columns[name].flatMap {
                    [.text, .json, .blob].contains(entity.attributes[$0].type) ? $0 : nil
                }
            }
            return variable.isEmpty ? nil : variable
        }
    }

    func complete(_ row: inout RowWriter) throws {
        guard row.count == entity.attributes.count else {
            throw StoreError(
                .schemaMismatch,
                "A row has \(row.count) columns, the store's entity \(entity.attributes.count).",
                entity: entity.name)
        }
        if !indexes.isEmpty { try checkIndexes(&row) }
        if !searchable.isEmpty { try appendFolded(&row) }
    }

    /// The attributes of variable length that share an index entry, for each index that has any.
    var indexedTogether: [[Attribute]] { indexes.map { $0.map { entity.attributes[$0] } } }

    /// Checks the size of an index entry.
    ///
    /// - Throws: `valueNotRepresentable`, naming the attribute.
    func requireIndexable(bytes: Int, _ attribute: Attribute) throws {
        guard bytes <= Limits.indexEntryBytes else {
            throw StoreError(
                .valueNotRepresentable,
                "An index entry would have \(bytes) bytes; \(Limits.indexEntryBytes) is the most.",
                entity: entity.name, attribute: attribute.name)
        }
    }

    private func checkIndexes(_ row: inout RowWriter) throws {
        try row.withCells { cells in
            for columns in indexes {
                let bytes = columns.reduce(0) { $0 + cells[$1].count }
                try requireIndexable(bytes: bytes, entity.attributes[columns[0]])
            }
        }
    }

    private func appendFolded(_ row: inout RowWriter) throws {
        for column in searchable {
            let text: String? = row.withCells { cells in
                guard cells[column].kind == .text else { return nil }
                return String(validating: cells[column].bytes, as: UTF8.self)
            }
            if let text { try row.write(.text, utf8: SearchFolding.fold(text)) } else { row.writeNull() }
        }
    }
}

/// How searchable text is folded: by Swift's rules, the same on every backend, in no locale.
public enum SearchFolding {
    /// The text without case and diacritics.
    public static func fold(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    }
}
