internal import Foundation

/// Completes and checks encoded rows of one entity before a driver sees them: adds the folded copy of each
/// searchable attribute, and refuses rows that not every backend could store.
package struct RowCheck: Sendable {
    let entity: Entity
    private let searchable: [Int]
    private let rowBytes: Int
    /// The entries of indexes over attributes of variable length.
    package let indexEntries: [IndexEntry]

    package init(_ entity: Entity) { self.init(entity, rowBytes: Limits.rowBytes) }

    init(_ entity: Entity, rowBytes: Int) {
        self.entity = entity
        self.rowBytes = rowBytes
        searchable = entity.attributes.indices.filter { entity.attributes[$0].isSearchable }
        let folded = entity.indexes.filter { $0.hasFoldedCopies(in: entity) }.map(\.attributes)
        indexEntries =
            (entity.indexes.map(\.attributes) + entity.uniqueConstraints.map(\.attributes)).compactMap {
                IndexEntry($0, of: entity)
            } + folded.compactMap { IndexEntry($0, of: entity, isFolded: true) }
    }

    package func complete(_ row: inout RowWriter) throws {
        guard row.count == entity.attributes.count else {
            throw StoreError(
                .schemaMismatch,
                "A row has \(row.count) columns, but the store's entity has \(entity.attributes.count). Use the model "
                    + "that the store's schema was made from.",
                entity: entity.name)
        }
        if !searchable.isEmpty { try appendFolded(&row) }
        try requireRow(bytes: row.byteCount)
        guard !indexEntries.isEmpty else { return }
        try row.withCells { cells in
            for entry in indexEntries {
                try entry.requireFit(bytes: entry.parts.reduce(0) { $0 + cells[$1.column].count })
            }
        }
    }

    /// Checks the size of a row.
    ///
    /// - Throws: `valueNotRepresentable`.
    func requireRow(bytes: Int) throws {
        guard bytes <= rowBytes else {
            throw StoreError(
                .valueNotRepresentable,
                "The values of a row would take \(bytes) bytes, and the limit is \(rowBytes). Keep large values in "
                    + "rows of their own.", entity: entity.name)
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

/// The attributes of an index of one entity, as far as their size depends on the row.
package struct IndexEntry: Sendable {
    /// An attribute of variable length.
    struct Part: Sendable {
        let attribute: Attribute
        let isFolded: Bool
        /// The column in the row layout that drivers receive.
        let column: Int

        /// Returns the bytes that a value takes in the entry.
        func bytes(of value: StoredValue) -> Int { value.contentBytes(isFolded: isFolded) }
    }

    let parts: [Part]
    private let entity: String
    /// The maximum number of bytes of all attributes, without the contents of those of variable length.
    private let fixedBytes: Int

    /// Creates the entry of an index, or of the index over its folded copies; nil if no attribute has a variable
    /// length.
    init?(_ names: [String], of entity: Entity, isFolded: Bool = false) {
        let attributes = names.compactMap { entity.attribute($0) }
        let variable = attributes.filter(\.type.hasVariableLength)
        guard !variable.isEmpty else { return nil }
        let folded = isFolded ? entity.searchColumns : [:]
        parts = variable.compactMap { attribute in
            (folded[attribute.name] ?? entity.column(attribute.name)).map {
                Part(attribute: attribute, isFolded: folded[attribute.name] != nil, column: $0)
            }
        }
        self.entity = entity.name
        fixedBytes = attributes.reduce(0) { $0 + $1.type.indexBytes }
    }

    /// Checks the size of an entry, given the bytes of its text, JSON and blob attributes.
    ///
    /// - Throws: `valueNotRepresentable`, naming the attribute.
    package func requireFit(bytes: Int) throws {
        let most = min(Limits.indexEntryBytes, Limits.indexEntryTotalBytes - fixedBytes)
        guard bytes <= most else {
            throw StoreError(
                .valueNotRepresentable,
                "An index entry would take \(bytes) bytes, and the limit is \(most). Store shorter values, or index "
                    + "others.", entity: entity, attribute: parts[0].attribute.name)
        }
    }
}

extension StoredValue {
    /// The length in bytes of a text, its folded copy, JSON or a blob; 0 for any other value.
    package func contentBytes(isFolded: Bool) -> Int {
        switch self {
        case .text(let text): (isFolded ? SearchFolding.fold(text) : text).utf8.count
        case .json(let text): text.utf8.count
        case .blob(let data): data.count
        default: 0
        }
    }
}

extension AttributeType {
    /// Whether the bytes of a value depend on it.
    package var hasVariableLength: Bool {
        switch self {
        case .text, .json, .blob: true
        case .bool, .int, .double, .decimal, .uuid, .timestamp, .day: false
        }
    }

    /// The maximum number of bytes that an attribute takes in an index entry, padding included, without the contents of
    /// text, JSON and blobs.
    fileprivate var indexBytes: Int {
        switch self {
        // A length of 4 bytes, a header of 4, and ten or eleven groups of four digits.
        case .decimal: 32
        case .uuid: 16
        case .text, .json, .blob: 12
        case .bool, .int, .double, .timestamp, .day: 8
        }
    }
}
