extension PluginRegistry {
    /// Finds out which version each table of a store has, whatever its marker says, and what a repair would do.
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
    /// - Returns: What was found.
    /// - Throws: `schemaInvalid` for a plan that is wrong; `schemaTooNew` for a store of a newer app; `unsupported` for a backend that keeps no tables; `notFound`,
    ///   `notAStore`, `scopeMismatch`, and what else opening a store throws before it looks at marker and tables.
    /// - Complexity: O(rows); it counts them, and looks up each reference.
    public func diagnose(
        url: String, migrating plan: any SchemaMigrationPlan.Type, options: OpenOptions = OpenOptions(),
        home: String? = nil
    ) async throws -> StoreDiagnosis {
        try await MigrationPlan(plan).diagnose(options) { schema, options in
            try await open(url: url, schema: schema, options: options, home: home)
        }
    }

    /// Puts a store right that was left half-way between two versions, without losing a row.
    ///
    /// The tables become those of one version, and the marker says so; see `StoreDiagnosis.version`. All of it is one
    /// transaction, after a copy was made beside the file of an SQLite store, which stays. Opening the store by the plan then
    /// takes it to the newest version. A sound store is left as it is.
    ///
    /// Tables that a stage writes by code are not guessed at: a store with such a table, left behind others that have gone
    /// through the stage, is refused.
    ///
    /// - Parameters:
    ///   - url: The URL of a store that exists.
    ///   - plan: The versions, and the stages between them.
    ///   - options: How the store is opened.
    ///   - home: The home directory, for a path that begins with `~`.
    /// - Returns: What was found and done.
    /// - Throws: `corrupted`, with the findings, for a store that cannot be repaired; `schemaMismatch` for one whose only
    ///   fault is what others have added to its tables; `outOfService` for one that is
    ///   superseded; as `diagnose`; `unique`, `notNull`, `check` or `foreignKey` if rows do not fit. After an error the store
    ///   is as it was.
    public func repair(
        url: String, migrating plan: any SchemaMigrationPlan.Type, options: OpenOptions = OpenOptions(),
        home: String? = nil
    ) async throws -> RepairReport {
        try await MigrationPlan(plan).repair(options) { schema, options in
            try await open(url: url, schema: schema, options: options, home: home)
        }
    }
}
