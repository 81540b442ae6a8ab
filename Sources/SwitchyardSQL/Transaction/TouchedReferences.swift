internal import Foundation
internal import SwitchyardCore

/// The ids of rows that a transaction has deleted or made others refer to, by table: at its end, no reference may point
/// at one that does not exist.
///
/// Rows of a savepoint that was rolled back stay in it, and are checked needlessly.
struct TouchedReferences {
    /// The most ids per table; beyond that, all rows that refer to the table are checked.
    static let mostIDs = 10_000

    /// The ids of one table.
    enum IDs {
        case these(Set<UUID>)
        /// Too many, or unknown.
        case all

        mutating func insert(_ id: UUID) {
            guard case .these(var ids) = self else { return }
            // The other reference is dropped, so that the set grows in place.
            self = .all
            ids.insert(id)
            if ids.count <= TouchedReferences.mostIDs { self = .these(ids) }
        }
    }

    private(set) var tables: [String: IDs] = [:]

    /// Records a row that was deleted, or that others now refer to.
    mutating func insert(_ id: UUID, in table: String) { tables[table, default: .these([])].insert(id) }

    /// Records that others may now refer to any row of a table.
    mutating func insertAll(of table: String) { tables[table] = .all }
}

/// Puts the scope before the cells of inserted rows, and records what the rows refer to.
final class ScopedRows {
    private let scope: UnsafeMutableRawBufferPointer
    private var cells: [Cell] = []
    /// The columns of references, with their target tables and the last id that was recorded.
    private var references: [(column: Int, table: String, last: UUID?)]
    private let changes: TransactionChanges

    init(_ scope: StoreScope, of entity: Entity, in schema: Schema, changes: TransactionChanges) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
        withUnsafeBytes(of: scope.uuid.uuid) { bytes.copyMemory(from: $0) }
        self.scope = bytes
        references = entity.references(in: schema).compactMap { attribute, target in
            entity.column(attribute.name).map { ($0, target.table, nil) }
        }
        self.changes = changes
    }

    deinit { scope.deallocate() }

    /// Calls the body with a row and its scope; the cells are only valid inside the closure.
    func withCells(
        _ row: UnsafeBufferPointer<Cell>, _ body: (UnsafeBufferPointer<Cell>) throws -> Void
    ) rethrows {
        for index in references.indices {
            let cell = row[references[index].column]
            guard cell.kind == .blob, cell.count == 16 else { continue }
            let id = UUID(uuid: cell.bytes.loadUnaligned(as: uuid_t.self))
            guard references[index].last != id else { continue }
            references[index].last = id
            changes.references.insert(id, in: references[index].table)
        }
        cells.removeAll(keepingCapacity: true)
        cells.append(Cell(.blob, start: UnsafeRawPointer(scope.baseAddress), count: scope.count))
        cells.append(contentsOf: row)
        try cells.withUnsafeBufferPointer(body)
    }
}

extension Entity {
    /// The attributes that are references, with their target entities.
    func references(in schema: Schema) -> [(attribute: Attribute, target: Entity)] {
        attributes.compactMap { attribute in
            attribute.reference.flatMap { schema.entity($0) }.map { (attribute, $0) }
        }
    }
}
