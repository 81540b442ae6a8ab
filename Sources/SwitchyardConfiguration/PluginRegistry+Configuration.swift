public import SwitchyardCore
public import SwitchyardMirror

extension PluginRegistry {
    /// Opens the store that a configuration selects; a `MirroredStore` if it names a server.
    ///
    /// A store that is opened for reading only is opened alone.
    ///
    /// - Parameters:
    ///   - configuration: Where the store and its server are.
    ///   - schema: The schema of both.
    ///   - options: How the store is opened.
    ///   - functions: The functions that the models name for merging their attributes.
    /// - Returns: The store.
    /// - Throws: `configuration` if the backend is not in this registry, `schemaInvalid`, and anything that the
    ///   plugin's `open` throws. That a server cannot be reached is not an error: see `MirroredStore.status`.
    public func open(
        _ configuration: StoreConfiguration, schema: Schema, options: OpenOptions = OpenOptions(),
        mergingBy functions: MergeFunctions = MergeFunctions()
    ) async throws -> any Store {
        let store = try await openAlone(configuration, schema, options)
        return try await mirrored(store, configuration, options) { mirror in
            try mirror.server(registry: self, schema: schema, mergingBy: functions)
        }
    }

    /// Opens the store that a configuration selects, in the newest version of a plan, after the stages that it lacks; a
    /// `MirroredStore` if it names a server, whose store is brought to that version as well.
    ///
    /// - Throws: As with a `Schema`, and as with a URL and a plan.
    public func open(
        _ configuration: StoreConfiguration, migrating plan: any SchemaMigrationPlan.Type,
        options: OpenOptions = OpenOptions(), mergingBy functions: MergeFunctions = MergeFunctions(),
        status: @Sendable (MigrationStatus) -> Void = { _ in }
    ) async throws -> any Store {
        let store = try await MigrationPlan.open(plan, options, status: status) { schema, options in
            try await openAlone(configuration, schema, options)
        }
        return try await mirrored(store, configuration, options) { mirror in
            try mirror.server(registry: self, migrating: plan, mergingBy: functions)
        }
    }

    fileprivate func openAlone(
        _ configuration: StoreConfiguration, _ schema: Schema, _ options: OpenOptions
    ) async throws -> any Store {
        try await plugin(configuration.backend).open(configuration.settings, schema: schema, options: options)
    }

    private func mirrored(
        _ store: any Store, _ configuration: StoreConfiguration, _ options: OpenOptions,
        _ server: (MirrorConfiguration) throws -> MirrorServer
    ) async throws -> any Store {
        guard let mirror = configuration.mirror, options.access == .readWrite, !options.isAsFound else {
            return store
        }
        do {
            return try await MirroredStore.open(
                store, mirroring: try server(mirror), device: mirror.device ?? options.device)
        } catch {
            // The first error says what is wrong.
            try? await store.close()
            throw error
        }
    }

    /// Works out what opening the store that a configuration selects by a plan would do, and changes nothing.
    ///
    /// - Throws: As opening it, as far as its rows do not matter.
    public func preview(
        _ configuration: StoreConfiguration, migrating plan: any SchemaMigrationPlan.Type,
        options: OpenOptions = OpenOptions()
    ) async throws -> MigrationPreview {
        try await MigrationPlan(plan).preview(options) { schema, options in
            try await openAlone(configuration, schema, options)
        }
    }

    /// Makes the database that a configuration selects a store in place; with read-only options, it is only
    /// compared with the versions of the plan.
    ///
    /// - Throws: As with a URL; a comparison throws no differences.
    public func adopt(
        _ configuration: StoreConfiguration, as plan: any SchemaMigrationPlan.Type,
        options: OpenOptions = OpenOptions()
    ) async throws -> InPlaceAdoption {
        try await adopt(
            configuration.settings, of: plugin(configuration.backend), as: plan, options: options)
    }

    /// The database that a configuration selects, which is not a store; it is not opened yet.
    ///
    /// - Throws: As with a URL.
    public func foreignDatabase(_ configuration: StoreConfiguration) throws -> any ForeignDatabase {
        try foreignDatabase(configuration.settings, of: plugin(configuration.backend))
    }

    /// Opens the store that a configuration selects.
    ///
    /// - Throws: As with a `Schema`.
    public func open(
        _ configuration: StoreConfiguration, schema: any VersionedSchema.Type,
        options: OpenOptions = OpenOptions(), mergingBy functions: MergeFunctions = MergeFunctions()
    ) async throws -> any Store {
        try await open(configuration, schema: schema.schema, options: options, mergingBy: functions)
    }
}

extension StorePlace {
    /// The place that a configuration selects, whose store is in the newest version of a plan once it is opened.
    ///
    /// - Throws: `schemaInvalid` for a plan that is wrong.
    public init(
        _ configuration: StoreConfiguration, registry: PluginRegistry,
        migrating plan: any SchemaMigrationPlan.Type
    ) throws {
        self.init(configuration.location, migrating: try MigrationPlan(plan)) { schema, options in
            try await registry.openAlone(configuration, schema, options)
        }
    }

    /// The place that a configuration selects.
    public init(_ configuration: StoreConfiguration, registry: PluginRegistry, schema: Schema) {
        self.init(configuration.location) { options in
            try await registry.openAlone(configuration, schema, options)
        }
    }
}

extension MirrorConfiguration {
    /// The server, as a device of a schema reaches it.
    ///
    /// - Throws: `configuration` if the backend is not in the registry.
    public func server(
        registry: PluginRegistry, schema: Schema, mergingBy functions: MergeFunctions = MergeFunctions()
    ) throws -> MirrorServer {
        try server(mergingBy: functions) { backend, settings in
            StorePlace(location) { options in
                try await registry.plugin(backend).open(settings, schema: schema, options: options)
            }
        }
    }

    /// The server; a store that is reached directly is in the newest version of a plan once it is opened.
    ///
    /// - Throws: `schemaInvalid` for a plan that is wrong; as with a `Schema`.
    public func server(
        registry: PluginRegistry, migrating plan: any SchemaMigrationPlan.Type,
        mergingBy functions: MergeFunctions = MergeFunctions()
    ) throws -> MirrorServer {
        try server(mergingBy: functions) { backend, settings in
            StorePlace(location, migrating: try MigrationPlan(plan)) { schema, options in
                try await registry.plugin(backend).open(settings, schema: schema, options: options)
            }
        }
    }

    private func server(
        mergingBy functions: MergeFunctions, _ place: (String, StoreSettings) throws -> StorePlace
    ) throws -> MirrorServer {
        switch server {
        case .store(let backend, let settings):
            .direct(try place(backend, settings), scope: scope, functions: functions)
        case .service(let url, let token?): .service(url, token: token)
        // The store knows the service that it has joined.
        case .service(_, nil): .joined
        }
    }
}
