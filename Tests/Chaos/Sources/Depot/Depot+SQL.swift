import Foundation

/// What is written to a database by hand.
extension Depot {
    /// Makes the tables of the first version, without indexes, beside one of another program.
    func tables(on backend: CopiedBackend) -> String {
        """
        \(Self.namespace(on: backend))
        \(Self.table("Pallet", [("label", "TEXT NOT NULL")], on: backend))
        \(Self.table("Crate", [("name", "TEXT NOT NULL"), ("grams", "INTEGER NOT NULL"), ("note", "TEXT")], on: backend))
        CREATE TABLE "remarks" ("id" INTEGER PRIMARY KEY, "text" TEXT);
        """
    }

    /// Makes the first rows of a migration that has not come to its end: boxes, with titles that they have been given since.
    func boxes(_ count: Int, on backend: CopiedBackend) -> String {
        let columns = [
            ("title", "TEXT NOT NULL"), ("grams", "INTEGER NOT NULL"), ("note", "TEXT NOT NULL"),
        ]
        return Self.table("Box", columns, on: backend)
            + """
            INSERT INTO "Box" ("id", "title", "grams", "note", "pallet")
            SELECT "id", replace("name", 'Crate', 'Box'), "grams", coalesce("note", 'none'), "pallet" FROM "Crate"
            WHERE "id" IN (\(crates.prefix(count).map { Self.literal($0.id, on: backend) }.joined(separator: ", ")));
            """
    }

    /// Inserts all rows into tables of the first version.
    func inserting(on backend: CopiedBackend) -> String {
        let id = { (id: UUID) in Self.literal(id, on: backend) }
        let pallets = pallets.map { "(\(id($0.id)), '\($0.label)')" }
        let crates = crates.map { crate in
            let pallet = crate.pallet.map { id(self.pallets[$0].id) }
            return "(\(id(crate.id)), \(Self.values(of: crate)), \(pallet ?? "NULL"))"
        }
        return """
            INSERT INTO "Pallet" ("id", "label") VALUES \(pallets.joined(separator: ", "));
            INSERT INTO "Crate" ("id", "name", "grams", "note", "pallet") VALUES \(crates.joined(separator: ", "));
            """
    }

    /// Makes tables whose keys are whole numbers, with all rows.
    func numbered(on backend: CopiedBackend) -> String {
        let pallets = pallets.enumerated().map { "(\($0 + 1), '\($1.label)')" }
        let crates = crates.enumerated().map { place, crate in
            "(\(place + 1), \(Self.values(of: crate)), \(crate.pallet.map { "\($0 + 1)" } ?? "NULL"))"
        }
        return """
            \(Self.namespace(on: backend))
            CREATE TABLE "pallet" ("id" INTEGER PRIMARY KEY, "label" TEXT NOT NULL);
            CREATE TABLE "crate" ("id" INTEGER PRIMARY KEY, "name" TEXT NOT NULL, "grams" INTEGER NOT NULL, "note" TEXT,
                "pallet_id" INTEGER REFERENCES "pallet" ("id"));
            INSERT INTO "pallet" VALUES \(pallets.joined(separator: ", "));
            INSERT INTO "crate" VALUES \(crates.joined(separator: ", "));
            """
    }

    private static func values(of crate: Crate) -> String {
        "'\(crate.name)', \(crate.grams), \(crate.note.map { "'\($0)'" } ?? "NULL")"
    }

    private static func literal(_ id: UUID, on backend: CopiedBackend) -> String {
        backend == .sqlite ? "x'\(id.hex)'" : "'\(id.hex)'"
    }

    private static func namespace(on backend: CopiedBackend) -> String {
        guard backend == .postgres else { return "" }
        return "CREATE SCHEMA \(CopiedBackend.namespace); SET search_path = \(CopiedBackend.namespace);"
    }

    /// Makes a table as a store has it, but for its indexes.
    ///
    /// - Parameters:
    ///   - name: Its name. Any but `Pallet` refers to that.
    ///   - columns: The columns beside the id and the reference: their names and SQLite's types.
    ///   - backend: Where it is made.
    /// - Returns: The statement.
    private static func table(
        _ name: String, _ columns: [(name: String, type: String)], on backend: CopiedBackend
    ) -> String {
        let columns = columns.map { "\"\($0.name)\" \(type($0.type, on: backend))" }
        let reference = """
            CONSTRAINT "reference_\(name)_pallet" FOREIGN KEY ("pallet") REFERENCES "Pallet" ("id")
            DEFERRABLE INITIALLY DEFERRED
            """
        let isPallet = name == "Pallet"
        let parts =
            [id("id", of: name, on: backend, "NOT NULL")] + columns
            + (isPallet ? [] : [id("pallet", of: name, on: backend)])
            + ["CONSTRAINT \"primary_\(name)\" PRIMARY KEY (\"id\")"] + (isPallet ? [] : [reference])
        let options = backend == .sqlite ? " STRICT, WITHOUT ROWID" : ""
        return "CREATE TABLE \"\(name)\" (\(parts.joined(separator: ", ")))\(options);\n"
    }

    private static func id(
        _ column: String, of table: String, on backend: CopiedBackend, _ rest: String = ""
    ) -> String {
        guard backend == .sqlite else { return "\"\(column)\" uuid \(rest)" }
        return """
            "\(column)" BLOB \(rest) CONSTRAINT "check_\(table)_\(column)" CHECK (length("\(column)") = 16)
            """
    }

    private static func type(_ type: String, on backend: CopiedBackend) -> String {
        guard backend == .postgres else { return type }
        return type.replacing("TEXT", with: "text COLLATE \"C\"").replacing("INTEGER", with: "bigint")
    }
}
