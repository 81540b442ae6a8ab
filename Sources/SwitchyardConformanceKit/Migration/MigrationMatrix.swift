internal import Foundation
internal import Switchyard
public import SwitchyardCore

/// Tries a migration plan with data: from a version to every later one, on every backend.
///
/// A store is filled with many rows and migrated to the next version; another one with fewer rows to each later version, one
/// stage at a time, closed in between; and others to each of them, or to those that are named, in one go. Each time the store must have exactly the rows
/// that the same stages make of them in a reference store, its marker must list the stages, and `Store.check` must find
/// nothing. After one go, and in a new store of each version, every entity must take rows, change them and delete them as
/// the reference does.
///
/// A store that keeps a history, with other rows in each of two scopes, is migrated to the next version, and from the
/// first to the last. Each scope must then have its own rows, and its history must
/// describe the changes from before the migration unchanged.
///
/// ```swift
/// static let matrix = try MigrationMatrix(MealPlan.self, seed: 1, reference: { MemoryStore.opener() })
///
/// @Test("every version becomes every later one", arguments: MealPlan.schemas.map(\.version))
/// func migrate(from version: SchemaVersion) async throws {
///     try await Self.matrix.verify(from: version, on: backends)
/// }
/// ```
///
/// Rows that a stage makes need ids that are the same each time: see `Identifier.init(derivedFrom:_:)`.
///
/// The reference runs the same stages, so it cannot tell a stage that does the wrong thing from one that does the right
/// thing. Say what must come out in `expecting`.
public struct MigrationMatrix: Sendable {
    /// Opens one place with a schema, and creates a missing store.
    public typealias Opener = @Sendable (Schema, OpenOptions) async throws -> any Store
    /// Checks the rows of a migrated store, given those that it was filled with; throws if something is wrong.
    public typealias Expectation = @Sendable (_ before: SchemaRows, _ after: SchemaRows) throws -> Void

    /// A backend on which stores are made.
    public struct Backend: Sendable {
        /// The name, for failures.
        public let name: String
        let hasScopes: Bool
        let withPlace: @Sendable (_ body: (@escaping Opener) async throws -> Void) async throws -> Void

        /// Names a backend.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - hasScopes: Whether its stores can have scopes.
        ///   - withPlace: Lends a place without a store, and clears it away afterwards.
        public init(
            _ name: String, hasScopes: Bool = true,
            withPlace:
                @escaping @Sendable (_ body: (@escaping Opener) async throws -> Void) async throws ->
                Void
        ) {
            (self.name, self.hasScopes, self.withPlace) = (name, hasScopes, withPlace)
        }
    }

    let name: String
    let plan: MigrationPlan
    /// What the models of each version read of their JSON.
    private let json: [SchemaVersion: JSONSamples]
    let seed: UInt64
    let rows: Int
    let values: SchemaRows.Values
    let reference: @Sendable () -> Opener
    let expecting: Expectation

    /// Prepares the matrix of a plan.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - seed: Equal seeds give equal rows.
    ///   - rows: How many rows each entity has in the store that goes to the next version: more than the plan's own code
    ///     reads at once. The other stores have a twentieth, and no row of one entity.
    ///   - values: Values that the models or the stages need. An attribute that is stored as JSON is drawn as its default, or
    ///     as the first of `{}`, `[]`, `""`, `0` and `true` that its model reads: give it a value if it reads none of these.
    ///   - reference: Makes a place in memory.
    ///   - expecting: Checks what has come out of each pair of versions.
    /// - Throws: `schemaInvalid` for a plan that is wrong.
    public init(
        _ plan: any SchemaMigrationPlan.Type, seed: UInt64, rows: Int = 300,
        values: @escaping SchemaRows.Values = { _, _, _ in nil },
        reference: @escaping @Sendable () -> Opener, expecting: @escaping Expectation = { _, _ in }
    ) throws {
        name = "\(plan)"
        self.plan = try MigrationPlan(plan)
        json = Dictionary(
            plan.schemas.map { ($0.version, JSONSamples($0.models)) }, uniquingKeysWith: { first, _ in first }
        )
        self.seed = seed
        self.rows = rows
        self.values = values
        self.reference = reference
        self.expecting = expecting
    }

    /// Tries a new store of a version, and the migration from it to every later one.
    ///
    /// - Parameters:
    ///   - version: The version.
    ///   - backends: The backends.
    ///   - targets: The later versions that a store is migrated to in one go; all of them unless given. Their pairs take most
    ///     of the time of a long plan, and an app only ever migrates to its newest.
    /// - Throws: `ConformanceFailure` at the first difference, naming the plan, the versions, the entity and the backend;
    ///   what `expecting` throws.
    public func verify(
        from version: SchemaVersion, on backends: [Backend], inOneGoTo targets: [SchemaVersion]? = nil
    ) async throws {
        let start = try plan.upTo(version).schema
        let later = plan.schemas.map(\.version).filter { $0 > version }
        let many = draw(start, seed: seed, count: { _ in rows }, values: values)
        let few = draw(
            start, seed: seed, count: { $0.name == leaf(of: start) ? 0 : max(1, rows / 20) },
            values: values)
        let memory = Backend("the reference", hasScopes: false) { try await $0(reference()) }
        let new = try await journey(nil, on: memory, to: [version])
        let far = try await journey(few, on: memory, to: later)
        let near = try await journey(many, on: memory, to: Array(later.prefix(1)), isTried: false)
        let shared = try await shares(few, from: start, far, on: memory)
        // The backends mostly wait, each for its own disk or server.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for backend in backends {
                group.addTask {
                    func verify(
                        _ rows: SchemaRows?, _ reference: [MatrixOutcome], isTried: Bool, _ manner: String
                    ) async throws {
                        let versions = reference.map(\.version)
                        let found = try await journey(rows, on: backend, to: versions, isTried: isTried)
                        try compare(found, reference, rows, "\(backend.name), \(manner)")
                    }
                    try await verify(nil, new, isTried: true, "a new store")
                    try await verify(many, near, isTried: false, "with many rows")
                    try await verify(few, far, isTried: false, "one stage at a time")
                    for reference in far where targets?.contains(reference.version) ?? true {
                        try await verify(few, [reference], isTried: true, "in one go")
                    }
                    for shares in shared { try await verifyShares(shares, on: backend) }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Draws rows of a version that its models can read.
    func draw(
        _ schema: Schema, seed: UInt64, from first: Int = 0, count: (Entity) -> Int,
        values: @escaping SchemaRows.Values
    ) -> SchemaRows {
        SchemaRows(
            of: schema, seed: seed, from: first, count: count, json: json[schema.version] ?? JSONSamples([]),
            values: values)
    }

    /// An entity without references from others, so that its rows can be removed; nil for a schema with one entity or
    /// without such an entity.
    private func leaf(of schema: Schema) -> String? {
        let targets = Set(schema.entities.flatMap { $0.attributes.compactMap(\.reference) })
        let leaves = schema.entities.map(\.name).filter { !targets.contains($0) }
        guard schema.entities.count > 1, !leaves.isEmpty else { return nil }
        return leaves[Int(seed % UInt64(leaves.count))]
    }
}
