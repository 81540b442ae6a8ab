internal import Foundation
internal import SQLiteStore
internal import SwitchyardCore

/// What a Core Data store says about itself: its tables, `Z_PRIMARYKEY`, `Z_METADATA` and the cached model.
struct StoreCatalogue {
    /// The most bytes of the model or of the metadata, compressed.
    private static let mostBytes = 4 << 20
    /// The number from which Core Data numbers the entities of its own bookkeeping.
    private static let firstOwnNumber: Int64 = 16_000
    /// The maximum number of entities; the time to compare them all grows with its square.
    private static let mostEntities = 4_000

    /// The entities that have numbers, in the order of those: depth first.
    let entities: [NumberedEntity]
    /// The tables, by name.
    let tables: [PhysicalTable]
    /// The store's UUID, if it has one.
    let storeID: UUID?
    /// The model, if the store has one that can be read.
    let model: ManagedModel?
    /// Why there is no model; nil if there is one.
    let modelFault: ForeignFinding?
    private let byNumber: [Int64: NumberedEntity]
    private let byName: [String: NumberedEntity]
    private let modelByName: [String: ManagedEntity]
    private let tablesByName: [String: PhysicalTable]
    /// The entities that inherit from the same one, by the number of that one.
    private let families: [Int64: [NumberedEntity]]

    /// Reads the catalogue of a snapshot.
    ///
    /// - Throws: `notAStore` for a database that Core Data has not made; the errors of reading.
    init(_ snapshot: FileSnapshot, at path: String) throws {
        let tables = try snapshot.tables().map { try PhysicalTable($0, snapshot) }
        func has(_ name: String, _ columns: String...) -> Bool {
            guard let table = tables.first(where: { $0.name == name }) else { return false }
            return columns.allSatisfy { table.has($0) }
        }
        guard has("Z_PRIMARYKEY", "Z_ENT", "Z_NAME", "Z_SUPER"), has("Z_METADATA", "Z_UUID") else {
            throw StoreError(
                .notAStore,
                "The file \(path) is an SQLite database, and not one of Core Data or SwiftData: it lacks their catalogue."
            )
        }
        self.tables = tables
        var entities: [NumberedEntity] = []
        try snapshot.forEachRow("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT") { cells in
            guard cells[0].kind == .integer, cells[1].kind == .text,
                let name = String(validating: cells[1].bytes, as: UTF8.self)
            else {
                throw StoreError(
                    .corrupted,
                    "The table Z_PRIMARYKEY of \(path) is damaged. Restore the file from a backup.")
            }
            let parent = cells[2].kind == .integer && cells[2].word != 0 ? cells[2].word : nil
            entities.append(NumberedEntity(number: cells[0].word, name: name, parent: parent))
        }
        entities.removeAll { !(1..<Self.firstOwnNumber).contains($0.number) }
        guard entities.count <= Self.mostEntities else {
            throw StoreError(.unsupported, "The store \(path) has more than \(Self.mostEntities) entities.")
        }
        self.entities = entities
        let byNumber = Dictionary(entities.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        self.byNumber = byNumber
        byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        tablesByName = Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        families = Dictionary(grouping: entities) { Self.root(of: $0, byNumber).number }
        storeID = try Self.text("SELECT Z_UUID FROM Z_METADATA LIMIT 1", snapshot).flatMap {
            UUID(uuidString: $0)
        }
        (model, modelFault) =
            has("Z_MODELCACHE", "Z_CONTENT")
            ? try Self.model(snapshot) : (nil, Self.noModel("The store keeps no model"))
        modelByName = Dictionary(
            (model?.entities ?? []).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func text(_ sql: String, _ snapshot: FileSnapshot) throws -> String? {
        var text: String?
        try snapshot.forEachRow(sql) { cells in
            if cells[0].kind == .text { text = String(validating: cells[0].bytes, as: UTF8.self) }
        }
        return text
    }

    private static func model(_ snapshot: FileSnapshot) throws -> (ManagedModel?, ForeignFinding?) {
        var content: [UInt8] = []
        var isTooLarge = false
        try snapshot.forEachRow("SELECT Z_CONTENT FROM Z_MODELCACHE WHERE Z_CONTENT IS NOT NULL LIMIT 1") {
            cells in
            isTooLarge = cells[0].count > mostBytes
            if !isTooLarge { content = Array(cells[0].bytes) }
        }
        if isTooLarge { return (nil, unreadable("it is larger than \(mostBytes) bytes")) }
        guard !content.isEmpty else { return (nil, noModel("The store's model is empty")) }
        do { return (try ModelCache.model(content), nil) } catch { return (nil, unreadable(error.reason)) }
    }

    private static func noModel(_ fact: String) -> ForeignFinding {
        ForeignFinding(.modelMissing, "\(fact): \(names)")
    }

    private static func unreadable(_ reason: String) -> ForeignFinding {
        ForeignFinding(
            .modelUnreadable, needsAcknowledgement: true,
            "The store's model cannot be read, because \(reason): \(names)")
    }

    private static var names: String {
        "names come from the tables, in upper case, and references are integers unless the plan names them."
    }
}

/// An entity of `Z_PRIMARYKEY`.
struct NumberedEntity: Sendable, Hashable {
    /// `Z_ENT`, which its rows have.
    let number: Int64
    let name: String
    /// The number of the entity that it inherits from.
    let parent: Int64?
}

/// A table or view of the file.
struct PhysicalTable: Sendable {
    let name: String
    let isTable: Bool
    let columns: [(name: String, type: String)]
    private let positions: [String: Int]

    init(_ table: FileSnapshot.Table, _ snapshot: FileSnapshot) throws {
        (name, isTable) = (table.name, table.kind == .table)
        var columns: [(name: String, type: String)] = []
        let literal = "'" + table.name.replacingBytes(of: "'", with: "''") + "'"
        try snapshot.forEachRow("SELECT name, type FROM pragma_table_info(\(literal)) ORDER BY cid") {
            cells in
            columns.append(
                (
                    String(decoding: cells[0].bytes, as: UTF8.self),
                    String(decoding: cells[1].bytes, as: UTF8.self)
                )
            )
        }
        self.columns = columns
        positions = Dictionary(
            columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether it has a column.
    func has(_ column: String) -> Bool { positions[column] != nil }

    /// The declared type of a column.
    func type(of column: String) -> String { positions[column].map { columns[$0].type } ?? "" }
}

extension StoreCatalogue {
    /// The table with a name.
    func table(_ name: String) -> PhysicalTable? { tablesByName[name] }

    /// The entity with a number.
    func entity(_ number: Int64) -> NumberedEntity? { byNumber[number] }

    /// The entity with a name.
    func entity(named name: String) -> NumberedEntity? { byName[name] }

    /// What the model says about an entity.
    func managedEntity(_ name: String) -> ManagedEntity? { modelByName[name] }

    /// The entity from which one inherits at last, whose table has its rows.
    func root(of entity: NumberedEntity) -> NumberedEntity { Self.root(of: entity, byNumber) }

    private static func root(of entity: NumberedEntity, _ entities: [Int64: NumberedEntity]) -> NumberedEntity
    {
        var (root, steps) = (entity, entities.count)
        // A catalogue is input: its entities may inherit in a circle.
        while let parent = root.parent.flatMap({ entities[$0] }), steps > 0 {
            root = parent
            steps -= 1
        }
        return root
    }

    /// The entities whose rows one table has, in the order of their numbers.
    func family(of root: NumberedEntity) -> [NumberedEntity] { families[root.number] ?? [] }

    /// An entity and those that inherit from it.
    func descendants(of entity: NumberedEntity) -> [NumberedEntity] {
        family(of: root(of: entity)).filter { candidate in
            var (next, steps) = (candidate, entities.count)
            while next.number != entity.number {
                guard steps > 0, let parent = next.parent.flatMap({ self.entity($0) }) else { return false }
                next = parent
                steps -= 1
            }
            return true
        }
    }

    /// Whether an entity has rows of its own, as far as the model tells.
    func isConcrete(_ entity: NumberedEntity) -> Bool { managedEntity(entity.name)?.isAbstract != true }

    /// The entities that the rows of a reference may have.
    func targets(of name: String) -> [NumberedEntity] {
        guard let entity = entity(named: name) else { return [] }
        return descendants(of: entity).filter(isConcrete)
    }
}
