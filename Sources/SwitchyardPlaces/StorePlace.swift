/// The place of a store, existing or not: a backend and its settings, from which it can be opened repeatedly.
///
/// ```swift
/// let schema = try DairySchema.schema
/// let place = StorePlace(url: "postgres://server/family", registry: registry, schema: schema)
/// ```
public struct StorePlace: Sendable {
    /// The place in a form for people, without a password.
    public let location: String
    package let open: @Sendable (OpenOptions) async throws -> any Store
    /// The plan by which the store is migrated when it is opened; nil if it is by none.
    package let plan: MigrationPlan?

    /// Creates a place.
    ///
    /// - Parameters:
    ///   - location: The place in a form for people; a password in it is masked.
    ///   - open: Opens the store in the place, or creates one if the options allow it.
    public init(
        _ location: String, open: @escaping @Sendable (OpenOptions) async throws -> any Store
    ) {
        self.location = Redaction.redact(location)
        self.open = open
        plan = nil
    }

    /// Creates a place whose store is in the newest version of a plan once it is opened.
    ///
    /// - Parameters:
    ///   - location: The place in a form for people; a password in it is masked.
    ///   - plan: The plan.
    ///   - open: Opens the store with a schema.
    package init(
        _ location: String, migrating plan: MigrationPlan,
        open: @escaping @Sendable (Schema, OpenOptions) async throws -> any Store
    ) {
        self.location = Redaction.redact(location)
        self.open = { try await plan.open($0, status: { _ in }, open) }
        self.plan = plan
    }

    /// The place that a URL names.
    public init(url: String, registry: PluginRegistry, schema: Schema) {
        self.init(url) { options in try await registry.open(url: url, schema: schema, options: options) }
    }

    /// The place that a URL names, whose store is in the newest version of a plan once it is opened.
    ///
    /// - Throws: `schemaInvalid` for a plan that is wrong.
    public init(url: String, registry: PluginRegistry, migrating plan: any SchemaMigrationPlan.Type) throws {
        self.init(url, migrating: try MigrationPlan(plan)) { schema, options in
            try await registry.open(url: url, schema: schema, options: options)
        }
    }

    /// Reads the marker of the store without changing anything; nil if there is no store.
    package func marker() async throws -> StoreMarker? {
        var scope: StoreScope?
        while true {
            do {
                return try await withMarker(.readOnly, scope: scope) { store in try await store.marker() }
            } catch let error as StoreError where error.code == .scopeMismatch && scope == nil {
                scope = StoreScope.unused
            } catch let error as StoreError where error.code == .notFound { return nil }
        }
    }

    /// Opens the store for its marker, in any role and with rows of any version, and closes it after the
    /// body.
    ///
    /// The store refuses no change of the body, so the body checks the marker first.
    package func withMarker<Result>(
        _ access: OpenOptions.Access, scope: StoreScope?, _ body: (any Store) async throws -> Result
    ) async throws -> Result {
        var options = OpenOptions(access: access, createsIfMissing: false, scope: scope)
        options.isAsFound = true
        return try await withStore(options, body)
    }

    /// Opens the store, and closes it after the body.
    package func withStore<Result>(
        _ options: OpenOptions, _ body: (any Store) async throws -> Result
    ) async throws -> Result {
        try await open(options).closing(body)
    }
}
