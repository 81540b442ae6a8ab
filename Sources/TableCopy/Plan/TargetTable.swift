internal import Foundation
internal import SQLiteStore

/// A table as PostgreSQL gets it: the statements that make it, and the types of its columns.
struct TargetTable: Sendable {
    let source: SourceTable
    let types: [TargetType]
    /// The number of rows that the census counted.
    let rows: Int
    let census: [ColumnCensus]
    /// Makes the table, without keys and indexes.
    let create: String
    /// The indexes that have names of their own in the file, those that keep them first.
    let indexes: [Index]
    /// Creates the primary key and the unique constraints, and continues the numbering after existing rows.
    let keys: [String]
    /// The objects that the server locks until the table is committed.
    let locks: Int

    struct Index: Sendable {
        let name: String
        let sql: String

        /// Whether PostgreSQL chooses another name, since this one is too long.
        var isRenamed: Bool { name.utf8.count > TablePlanner.longestName }
    }

    /// The table's name in the database schema.
    let name: String
    /// The names of the columns, in quotes and between commas.
    let columnList: String
    /// Reads the rows of the file, from the table itself rather than from an index of it.
    var select: String { "SELECT \(columnList) FROM \(source.name.quoted) NOT INDEXED" }
    /// Reads the rows of the server.
    var readBack: String {
        let columns = zip(source.columns, types).map { $1.reading($0.name.quoted) }
        return "SELECT \(columns.joined(separator: ", ")) FROM \(name)"
    }

    init(
        _ source: SourceTable, _ types: [TargetType], rows: Int, _ census: [ColumnCensus], schema: String,
        _ constants: ConstantColumns, _ limits: ServerLimits, _ findings: inout [TableCopyFinding]
    ) {
        (self.source, self.types, self.rows, self.census) = (source, types, rows, census)
        let table = "\(schema.quoted).\(source.name.quoted)"
        name = table
        columnList = source.columns.map(\.name.quoted).joined(separator: ", ")
        let names = source.columns.map(\.name.quoted)
        let translation = Translation(source, types, census, constants)
        var definitions: [String] = []
        for (place, column) in source.columns.enumerated() {
            var words = ["\(names[place]) \(types[place].sql)"]
            // SQLite numbers the rows whatever default the column of their numbers has.
            if let sql = column.defaultSQL, !column.isGenerated, place != source.rowNumber {
                if let value = translation.defaultValue(sql, of: place) {
                    words.append("DEFAULT \(value)")
                } else {
                    findings.append(
                        .omitted(
                            "The default of the column \(source.name).\(column.name) is not copied: \(sql)",
                            table: source.name, column: column.name))
                }
            }
            let nulls = census[place].nulls
            if column.isRequired, nulls == 0 { words.append("NOT NULL") }
            if column.isRequired, nulls > 0 {
                findings.append(
                    .changed(
                        "The column \(source.name).\(column.name) is NOT NULL and holds NULL in \(nulls) "
                            + "row\(nulls == 1 ? "" : "s"); in PostgreSQL it is nullable.",
                        table: source.name, column: column.name, count: nulls))
            }
            definitions.append(words.joined(separator: " "))
        }
        create = "CREATE TABLE \(table) (\(definitions.joined(separator: ", ")))"

        let size = IndexSize(source, types, census, limits)
        let key =
            size.isTaken(source.primaryKey, "The primary key of \(source.name)", &findings)
            ? source.primaryKey : []
        let holdsNull = key.contains { census[$0].nulls > 0 }
        let list = key.map { names[$0] }.joined(separator: ", ")
        let primaryKey =
            key.isEmpty ? nil : "ALTER TABLE \(table) ADD \(holdsNull ? "UNIQUE" : "PRIMARY KEY") (\(list))"
        if holdsNull {
            findings.append(
                .changed(
                    "The primary key of \(source.name) holds NULL, and becomes a unique constraint.",
                    table: source.name, count: key.map { census[$0].nulls }.max()))
        }
        let uniqueConstraints = source.indexes.filter(\.isConstraint).compactMap(\.columns).filter {
            size.isTaken($0, "A unique constraint of \(source.name)", &findings)
        }.map { columns in
            "ALTER TABLE \(table) ADD UNIQUE (\(columns.map { names[$0] }.joined(separator: ", ")))"
        }
        let ownIndexes = source.indexes.filter { !$0.isConstraint }.compactMap { index -> Index? in
            let columns = index.terms.map { translation.column(of: $0) }
            guard let sql = Self.create(index, on: table, source, names, translation, &findings),
                size.isTaken(columns, "The index \(index.name)", &findings)
            else { return nil }
            return Index(name: index.name, sql: sql)
        }
        indexes = ownIndexes.filter { !$0.isRenamed } + ownIndexes.filter(\.isRenamed)
        let numbering = source.rowNumber.flatMap { column -> String? in
            let last = max(census[column].integerRange?.upperBound ?? 0, source.lastNumber ?? 0, 0)
            guard last < .max else {
                findings.append(
                    .omitted(
                        "The numbers of \(source.name).\(source.columns[column].name) are used up, so that new rows get none.",
                        table: source.name, column: source.columns[column].name))
                return nil
            }
            return "ALTER TABLE \(table) ALTER COLUMN \(names[column]) ADD GENERATED BY DEFAULT AS IDENTITY "
                + "(START WITH \(last + 1))"
        }
        keys = [primaryKey].compactMap(\.self) + uniqueConstraints + [numbering].compactMap(\.self)
        // The table and its row type; the table of its long values, with an index; each constraint and its index; the
        // sequence of the numbers.
        let constraints = uniqueConstraints.count + (primaryKey == nil ? 0 : 1)
        locks =
            2 + (types.contains(where: \.hasLongValues) ? 2 : 0) + indexes.count + 2 * constraints
            + (numbering == nil ? 0 : 1)
    }

    private static func create(
        _ index: SourceIndex, on table: String, _ source: SourceTable, _ names: [String],
        _ translation: Translation, _ findings: inout [TableCopyFinding]
    ) -> String? {
        var terms: [String] = []
        for term in index.terms {
            let sql: String? =
                switch term.what {
                case .column(let column): names[column]
                case .expression(let tokens): translation.expression(tokens)
                }
            guard let sql else {
                findings.append(
                    .omitted(
                        "The index \(index.name) is not copied, because of an expression.",
                        table: source.name))
                return nil
            }
            terms.append(sql + (term.isDescending ? " DESC" : ""))
        }
        var condition = ""
        if let tokens = index.condition {
            guard let sql = translation.condition(tokens) else {
                findings.append(
                    .omitted(
                        "The index \(index.name) is not copied, because of its condition.",
                        table: source.name))
                return nil
            }
            condition = " WHERE \(sql)"
        }
        var name = index.name.quoted + " "
        if index.name.utf8.count > TablePlanner.longestName {
            name = ""
            findings.append(
                .changed(
                    "The name of the index \(index.name) is longer than PostgreSQL's, which chooses another.",
                    table: source.name))
        }
        return
            "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(name)ON \(table) (\(terms.joined(separator: ", ")))"
            + condition
    }
}
