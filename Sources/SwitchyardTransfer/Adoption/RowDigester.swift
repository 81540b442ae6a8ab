internal import SwitchyardCore

/// The digests of rows that are not stored yet, which are those that a store gives.
final class RowDigester {
    private let entity: Entity
    private let check: RowCheck?
    private var writer: RowWriter
    private let canonical: CanonicalRow

    /// Prepares for whole rows or, unchecked, for those of an entity that has some attributes alone.
    init(_ entity: Entity, isWhole: Bool = true) {
        self.entity = entity
        check = isWhole ? RowCheck(entity) : nil
        writer = RowWriter(context: entity.errorContext)
        canonical = CanonicalRow(entity)
    }

    /// The digest of a row.
    ///
    /// - Throws: `valueNotRepresentable` for a row that no store takes.
    func digest(_ row: [StoredValue]) throws -> UInt128 {
        writer.reset()
        for value in row { try writer.write(value) }
        try check?.complete(&writer)
        return try writer.withReader { reader in
            try canonical.read(&reader)
            return canonical.digest
        }
    }
}

/// The values that rows have in a unique constraint: 16 bytes for each.
struct UniqueKeys {
    private let constraint: UniqueConstraint
    private let positions: [Int]
    private let searchable: [Int]
    private let filter: CompiledCondition?
    private let digester: RowDigester
    private var seen: Set<UInt128> = []

    /// The attributes.
    var attributes: [String] { constraint.attributes }
    /// The names of the attributes.
    var names: String { attributes.joined(separator: ", ") }

    init(_ constraint: UniqueConstraint, of entity: Entity, in schema: Schema) throws {
        self.constraint = constraint
        positions = constraint.attributes.compactMap { entity.column($0) }
        searchable = entity.attributes.indices.filter { entity.attributes[$0].isSearchable }
        digester = RowDigester(
            Entity(entity.name, attributes: positions.map { entity.attributes[$0] }), isWhole: false)
        filter = try constraint.filter.map { filter in
            try CompiledCondition(
                filter.validated(in: entity, schema: schema, isKept: true), entity: entity, schema: schema
            ) { _, _ in throw StoreError(.schemaInvalid, "The filter of an index looks at other rows.") }
        }
    }

    /// Adds the values of a row.
    ///
    /// - Returns: Whether no other row has the same.
    mutating func insert(_ row: [StoredValue]) throws -> Bool {
        if let filter {
            // A row in memory is followed by the folded copies of its searchable attributes.
            let copies = searchable.map { position -> StoredValue in
                if case .text(let text) = row[position] { .text(SearchFolding.fold(text)) } else { .null }
            }
            guard try filter.holds(row + copies) else { return true }
        }
        let values = positions.map { row[$0] }
        if constraint.nilsAreDistinct, values.contains(where: \.isNull) { return true }
        return seen.insert(try digester.digest(values)).inserted
    }
}
