/// One line of the table: two measurements of the same work, and the ratio of their times to reach.
struct Comparison {
    let work: String
    let against: String
    /// The ratio to reach; nil for what is only shown beside another line.
    let target: Double?
    let ours: String
    let theirs: String
    let preparations: [String]
    /// What the memory of our side must stay below; nil if it is only shown.
    var memoryLimitKiB: Int?

    /// What importing and exporting takes, however many rows there are.
    private static let streamKiB = 64 * 1024

    static let all = [
        Comparison(
            work: "fetch all as models, SQLite", against: "C API loop in Swift", target: 1.6,
            ours: "fetch-switchyard",
            theirs: "fetch-c", preparations: ["prepare-sqlite"]),
        Comparison(
            work: "fetch all as models, SQLite", against: "GRDB Codable records", target: 0.25,
            ours: "fetch-switchyard",
            theirs: "fetch-grdb", preparations: ["prepare-sqlite", "prepare-grdb"]),
        Comparison(
            work: "insert in one transaction, SQLite", against: "GRDB Codable records", target: 0.4,
            ours: "insert-switchyard", theirs: "insert-grdb", preparations: ["prepare-sqlite"]),
        Comparison(
            work: "fetch all as models, PostgreSQL", against: "libpq binary loop", target: 1.5,
            ours: "fetch-postgres",
            theirs: "fetch-libpq", preparations: ["prepare-postgres"]),
        Comparison(
            work: "fetch all as models, PostgreSQL", against: "libpq, row by row", target: 1.1,
            ours: "fetch-postgres", theirs: "fetch-libpq-rows", preparations: ["prepare-postgres"]),
        Comparison(
            work: "fetch all as models, PostgreSQL", against: "libpq, COPY BINARY", target: 1.1,
            ours: "fetch-postgres", theirs: "fetch-libpq-copy", preparations: ["prepare-postgres"]),
        Comparison(
            work: "insert, PostgreSQL", against: "psql \\copy", target: 1.2, ours: "insert-postgres",
            theirs: "insert-psql", preparations: []),
        Comparison(
            work: "find by id, a tenth of the rows", against: "prepared C API statement", target: 2.5,
            ours: "find-switchyard", theirs: "find-c", preparations: ["prepare-sqlite"]),
        Comparison(
            work: "find by id, each in its own read", against: "GRDB Codable records", target: 0.35,
            ours: "find-each-switchyard", theirs: "find-each-grdb",
            preparations: ["prepare-sqlite", "prepare-grdb"]),
        Comparison(
            work: "find by id, each in its own read", against: "BEGIN, SELECT, COMMIT by C", target: nil,
            ours: "find-each-switchyard", theirs: "find-each-c", preparations: ["prepare-sqlite"]),
        Comparison(
            work: "one-row writes, SQLite", against: "GRDB Codable records", target: 0.7,
            ours: "write-each-switchyard", theirs: "write-each-grdb", preparations: ["prepare-sqlite"]),
        Comparison(
            work: "one-row writes, SQLite", against: "BEGIN, INSERT, COMMIT by C", target: nil,
            ours: "write-each-switchyard", theirs: "write-each-c", preparations: ["prepare-sqlite"]),
        Comparison(
            work: "update one by one, SQLite", against: "prepared C API statement", target: 2,
            ours: "update-switchyard", theirs: "update-c", preparations: ["prepare-sqlite"]),
        Comparison(
            work: "upsert, half of it there, SQLite", against: "ON CONFLICT by C API", target: 1.5,
            ours: "upsert-switchyard", theirs: "upsert-c", preparations: ["prepare-sqlite"]),
        Comparison(
            work: "upsert, half of it there, PostgreSQL", against: "\\copy, INSERT ON CONFLICT", target: 1.5,
            ours: "upsert-postgres", theirs: "upsert-psql", preparations: ["prepare-postgres"]),
        Comparison(
            work: "find by id, 16 tasks, PostgreSQL", against: "pgbench, pipelined", target: 2,
            ours: "find-each-postgres", theirs: "find-each-pgbench", preparations: ["prepare-postgres"]),
        Comparison(
            work: "one-row writes, 16 tasks, PostgreSQL", against: "pgbench, pipelined", target: 1.67,
            ours: "write-each-postgres", theirs: "write-each-pgbench", preparations: []),
        Comparison(
            work: "one-row writes, history, SQLite", against: "without a history", target: 1.25,
            ours: "write-each-history", theirs: "write-each-switchyard", preparations: ["prepare-sqlite"]),
        Comparison(
            work: "insert, history, SQLite", against: "without a history", target: 1.5,
            ours: "insert-history", theirs: "insert-switchyard", preparations: ["prepare-sqlite"]),
        Comparison(
            work: "insert, history, PostgreSQL", against: "without a history", target: 1.5,
            ours: "insert-postgres-history", theirs: "insert-postgres", preparations: []),
        Comparison(
            work: "bulk update, history, SQLite", against: "without a history", target: 2.5,
            ours: "update-all-history", theirs: "update-all-switchyard", preparations: []),
        Comparison(
            work: "bulk update, history, PostgreSQL", against: "without a history", target: 2.5,
            ours: "update-all-postgres-history", theirs: "update-all-postgres", preparations: []),
        Comparison(
            work: "read as much history, SQLite", against: "fetch all as models", target: nil,
            ours: "read-history", theirs: "fetch-switchyard",
            preparations: ["prepare-sqlite", "prepare-history"]),
        Comparison(
            work: "one-row writes, history, 16 tasks", against: "pgbench, counter, pipelined",
            target: 1.43, ours: "write-each-postgres-history", theirs: "write-each-pgbench-history",
            preparations: []),
        Comparison(
            work: "one-row writes, history, 16 scopes", against: "pgbench, counters, scopes", target: 1.43,
            ours: "write-each-scopes-history", theirs: "write-each-pgbench-scopes", preparations: []),
        Comparison(
            work: "one-row writes, history, 16 scopes", against: "pgbench, same statements", target: 1.43,
            ours: "write-each-scopes-history", theirs: "write-each-pgbench-same", preparations: []),
        Comparison(
            work: "one baby's day by an index", against: "same SQL by C API", target: 2,
            ours: "day-switchyard",
            theirs: "day-c", preparations: ["prepare-sqlite"]),
        Comparison(
            work: "babies with last feeds, count and sum", against: "same SQL by C API", target: 1.3,
            ours: "cards-switchyard", theirs: "cards-c", preparations: ["prepare-related"]),
        Comparison(
            work: "babies with two kinds of children", against: "same SQL by C API", target: 1.3,
            ours: "children-switchyard", theirs: "children-c", preparations: ["prepare-related"]),
        Comparison(
            work: "a page with related rows, in the middle", against: "the first page", target: 1.2,
            ours: "last-page", theirs: "first-page", preparations: ["prepare-related"]),
        Comparison(
            work: "legacy CSV import into SQLite", against: "sqlite3 .import, same table", target: 0.6,
            ours: "import-switchyard", theirs: "import-sqlite3-store",
            preparations: ["prepare-sqlite", "prepare-csv"], memoryLimitKiB: streamKiB),
        Comparison(
            work: "legacy CSV import into SQLite", against: "sqlite3 .import, text table", target: 1,
            ours: "import-switchyard", theirs: "import-sqlite3-plain",
            preparations: ["prepare-sqlite", "prepare-csv"], memoryLimitKiB: streamKiB),
        Comparison(
            work: "legacy CSV import into PostgreSQL", against: "\\copy, INSERT SELECT", target: 1,
            ours: "import-postgres", theirs: "import-psql",
            preparations: ["prepare-sqlite", "prepare-csv"], memoryLimitKiB: streamKiB),
        Comparison(
            work: "CSV export from PostgreSQL", against: "\\copy (SELECT)", target: 1.5,
            ours: "export-postgres", theirs: "export-psql", preparations: ["prepare-postgres"],
            memoryLimitKiB: streamKiB),
        Comparison(
            work: "CSV export from SQLite", against: "sqlite3 -csv", target: 2, ours: "export-switchyard",
            theirs: "export-sqlite3", preparations: ["prepare-sqlite"], memoryLimitKiB: streamKiB),
        Comparison(
            work: "switch, SQLite to PostgreSQL", against: "pgloader, compares nothing", target: 0.6,
            ours: "switch-to-postgres", theirs: "load-pgloader", preparations: ["prepare-sqlite"],
            memoryLimitKiB: 96 * 1024),
        Comparison(
            work: "switch, PostgreSQL to SQLite", against: "pgloader, the other way", target: 0.5,
            ours: "switch-to-sqlite", theirs: "load-pgloader", preparations: ["prepare-sqlite"],
            memoryLimitKiB: 96 * 1024),
        Comparison(
            work: "verify, SQLite and PostgreSQL", against: "the whole switch", target: 0.25,
            ours: "verify", theirs: "switch-to-postgres", preparations: ["prepare-sqlite"]),
        Comparison(
            work: "relocate a file of 1 GiB", against: "cp twice, integrity_check", target: 1,
            ours: "relocate", theirs: "copy-twice-and-check", preparations: ["prepare-gibibyte"],
            memoryLimitKiB: 64 * 1024),
        Comparison(
            work: "migrate: a new column, SQLite", against: "sqlite3 .backup, ALTER TABLE", target: 1.2,
            ours: "add-column-switchyard", theirs: "add-column-sqlite3", preparations: ["prepare-doses"]),
        Comparison(
            work: "migrate: a table anew, SQLite", against: "the same SQL by sqlite3", target: 1.3,
            ours: "rebuild-switchyard", theirs: "rebuild-sqlite3", preparations: ["prepare-doses"]),
        Comparison(
            work: "migrate: rows by code, SQLite", against: "INSERT SELECT by sqlite3", target: 2.5,
            ours: "convert-switchyard", theirs: "convert-sqlite3", preparations: ["prepare-doses"],
            memoryLimitKiB: 64 * 1024),
        Comparison(
            work: "100 openings, up to date", against: "open, SELECT by C", target: nil,
            ours: "open-switchyard", theirs: "open-c", preparations: ["prepare-doses"]),
        Comparison(
            work: "one intent, process start to exit", against: "sqlite3 inserting a row", target: 5,
            ours: "intent-switchyard", theirs: "intent-sqlite3", preparations: ["prepare-intent"]),
    ]
}
