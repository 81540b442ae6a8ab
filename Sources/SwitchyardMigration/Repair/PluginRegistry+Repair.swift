extension PluginRegistry {
    /// Determines the version of each table of a store, whatever its marker says, and what a repair would do.
    ///
    /// Nothing is changed. A store of an earlier version is sound.
    ///
    /// ```swift
    /// let diagnosis = try await registry.diagnose(url: "sqlite:/data/meals.sqlite", migrating: MealPlan.self)
    /// if diagnosis.canBeRepaired { print(diagnosis.operations.map(\.message)) }
    /// ```
    ///
    /// - Parameters:
    ///   - url: The URL of a store that exists.
    ///   - plan: The versions, and the stages between them.
    ///   - options: How the store is opened; in any case read-only.
    ///   - home: The home directory, for a path that begins with `~`.
    /// - Returns: The diagnosis.
    /// - Throws: `schemaInvalid` for an invalid plan; `schemaTooNew` for a store of a newer app;
    ///   `unsupported` for a backend that keeps no tables; `notFound`, `notAStore`, `scopeMismatch`, and the
    ///   other errors of opening a store before its marker and tables are read.
    /// - Complexity: O(rows); it counts them, and looks up each reference.
    public func diagnose(
        url: String, migrating plan: any SchemaMigrationPlan.Type, options: OpenOptions = OpenOptions(),
        home: String? = nil
    ) async throws -> StoreDiagnosis {
        try await MigrationPlan(plan).diagnose(options) { schema, options in
            try await open(url: url, schema: schema, options: options, home: home)
        }
    }

    /// Repairs a store that was left half-way between two versions, without losing a row.
    ///
    /// The tables become those of one version, and the marker says so; see `StoreDiagnosis.version`. All of
    /// it is one transaction, after the file of an SQLite store was copied; the copy stays. Opening the store
    /// with the plan then takes it to the newest version. A sound store is unchanged.
    ///
    /// A repair does not guess at tables that a stage writes by code: a store with such a table, left behind
    /// others that have gone through the stage, is refused.
    ///
    /// - Parameters:
    ///   - url: The URL of a store that exists.
    ///   - plan: The versions, and the stages between them.
    ///   - options: How the store is opened.
    ///   - home: The home directory, for a path that begins with `~`.
    /// - Returns: What was found and done.
    /// - Throws: `corrupted`, with the findings, for a store that cannot be repaired; `schemaMismatch` for
    ///   one whose only fault is what others have added to its tables; `outOfService` for one that is
    ///   superseded; as `diagnose`; `unique`, `notNull`, `check` or `foreignKey` if rows do not fit. After an
    ///   error the store is unchanged.
    public func repair(
        url: String, migrating plan: any SchemaMigrationPlan.Type, options: OpenOptions = OpenOptions(),
        home: String? = nil
    ) async throws -> RepairReport {
        try await MigrationPlan(plan).repair(options) { schema, options in
            try await open(url: url, schema: schema, options: options, home: home)
        }
    }
}
