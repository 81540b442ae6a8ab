public import Foundation
public import SwitchyardCore

/// The plan that converts the rows of a foreign database into a new store.
///
/// ```swift
/// let plan = try AdoptionPlan(
///     ShelfSchema.self,
///     .table("book", as: Book.self, .column("added_at", to: \.addedAt, .date(.unixSeconds)), .ignored("cover")),
///     .ignored("grdb_migrations"))
/// let preview = try await plan.preview(database)
/// let report = try await plan.run(from: database, into: place)
/// ```
///
/// A table, column or foreign key with the name of an entity, attribute or reference needs no declaration,
/// ignoring case, underscores and the suffix `id` of a reference. Everything else does: no table and no
/// column is left out, and no required attribute stays without a value, unless the plan says so.
///
/// Keys that are UUIDs become ids. All other ids are derived from the table and the key, so they are the same
/// each time, and references stay intact. A table can name other columns for its ids, such as a UUID that the app made,
/// while references name its key. The database is only read.
public struct AdoptionPlan: Sendable {
    /// The namespace of derived ids unless the plan gives another, or the database has one.
    ///
    /// In one namespace, rows of different databases whose tables and keys have the same names get the same
    /// ids. Give each database a namespace of its own if their rows may meet.
    public static let namespace = UUID(
        uuid: (
            0x6F, 0x2D, 0x1C, 0x1E, 0x5B, 0x0E, 0x5F, 0x3A, 0x9D, 0x57, 0x3A, 0x1F, 0x0C, 0x8E, 0x7B, 0x42
        ))

    /// The schema of the new store.
    public let schema: Schema
    let tables: [PlannedTable]
    let namespace: UUID?
    private(set) var acknowledged: Set<ForeignFinding.Code>

    /// A table that the plan names.
    struct PlannedTable: Sendable {
        let name: String
        let entity: Entity?
        let rules: [ColumnRule]
    }

    /// Checks a plan, as far as that is possible without the database.
    ///
    /// - Parameters:
    ///   - version: The version of the new store.
    ///   - tables: The declarations of the tables.
    ///   - namespace: The namespace of derived ids; nil for the one of the database if it has any, which ids from
    ///     columns do not use, and else `AdoptionPlan.namespace`.
    ///   - acknowledged: The codes of findings that need not be resolved.
    /// - Throws: `schemaInvalid`, naming the table and the fault.
    public init(
        _ version: any VersionedSchema.Type, _ tables: AdoptedTable..., namespace: UUID? = nil,
        acknowledging acknowledged: Set<ForeignFinding.Code> = []
    ) throws {
        try self.init(version, tables, namespace: namespace, acknowledging: acknowledged)
    }

    /// Checks a plan whose declarations are in an array.
    ///
    /// - Throws: `schemaInvalid`, naming the table and the fault.
    public init(
        _ version: any VersionedSchema.Type, _ tables: [AdoptedTable], namespace: UUID? = nil,
        acknowledging acknowledged: Set<ForeignFinding.Code> = []
    ) throws {
        try self.init(schema: version.schema, tables, namespace: namespace, acknowledging: acknowledged)
    }

    /// Checks a plan for a schema that no models declare.
    ///
    /// - Throws: `schemaInvalid`, naming the table and the fault.
    package init(
        schema: Schema, _ tables: [AdoptedTable], namespace: UUID? = nil,
        acknowledging acknowledged: Set<ForeignFinding.Code> = []
    ) throws {
        self.schema = schema
        (self.namespace, self.acknowledged) = (namespace, acknowledged)
        var names: Set<String> = [], entities: Set<String> = []
        var planned: [PlannedTable] = []
        for table in tables {
            guard names.insert(table.name.folded).inserted else {
                throw Self.fault("The table \(table.name) is named twice")
            }
            let entity = try table.entity.map { name in
                guard let entity = schema.entity(name) else {
                    throw Self.fault("The version \(schema.version) has no model \(name)")
                }
                guard entities.insert(name).inserted else {
                    throw Self.fault("Two tables become rows of \(name)")
                }
                return entity
            }
            let rules = try table.rules.map { try $0.get() }
            if let entity { try Self.check(rules, of: table.name, as: entity) }
            planned.append(PlannedTable(name: table.name, entity: entity, rules: rules))
        }
        self.tables = planned
    }

    /// The same plan, which acknowledges more findings.
    package func acknowledging(_ codes: [ForeignFinding.Code]) -> AdoptionPlan {
        var plan = self
        plan.acknowledged.formUnion(codes)
        return plan
    }

    private static func check(_ rules: [ColumnRule], of table: String, as entity: Entity) throws {
        guard rules.count(where: { if case .id = $0 { true } else { false } }) <= 1 else {
            throw fault("The ids of \(table) come from two places")
        }
        var filled: Set<String> = []
        for rule in rules {
            guard let name = rule.attribute else { continue }
            guard name != "id", let attribute = entity.attribute(name) else {
                throw fault("\(entity.name).\(name) cannot be given values from \(table)")
            }
            guard filled.insert(name).inserted else {
                throw fault("\(entity.name).\(name) is given values twice")
            }
            switch rule {
            case .value(let column, _, let form) where attribute.reference != nil:
                guard case .asIs = form.kind else {
                    throw fault(
                        "\(table).\(column) is given a form, and \(entity.name).\(name) is a reference")
                }
            case .reference(_, _, let missing):
                guard attribute.reference != nil else {
                    throw fault("\(entity.name).\(name) is not a reference")
                }
                guard missing == .refused || attribute.isOptional else {
                    throw fault("\(entity.name).\(name) is not optional, so that it cannot become nil")
                }
            case .fill(_, let value):
                guard value.isNull ? attribute.isOptional : value.type == attribute.type,
                    attribute.allows(value), attribute.reference == nil
                else { throw fault("\(entity.name).\(name) cannot hold the value that it is filled with") }
            default: break
            }
        }
        let columns = rules.flatMap { rule -> [String] in
            switch rule {
            case .key, .id: []
            default: rule.columns.map(\.folded)
            }
        }
        let ignored = rules.flatMap { rule -> [String] in
            if case .ignored(let columns) = rule { columns.map(\.folded) } else { [] }
        }
        if let twice = ignored.first(where: { name in columns.count { $0 == name } > 1 }) {
            throw fault("The column \(table).\(twice) is both left out and used")
        }
    }

    private static func fault(_ what: String) -> StoreError {
        StoreError(.schemaInvalid, "The adoption is invalid: \(what). Correct the plan.")
    }
}
