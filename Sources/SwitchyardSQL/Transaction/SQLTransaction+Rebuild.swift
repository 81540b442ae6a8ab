internal import Foundation
public import SwitchyardCore

extension SQLTransaction {
    /// Compares the tables with those of schemas.
    ///
    /// - Throws: As `TableRebuilding` says.
    public func examine(_ schemas: [Schema]) throws -> StoreExamination {
        let catalog = try connection.catalog()
        let plans = try schemas.map { try SQLPlan(plan.sql.printing($0)) }
        let unknown = try SQLPlan.unknownParts(beside: plans, in: catalog)
        let names = Set(schemas.flatMap { $0.entities.map(\.table) })
        var tables: [String: ExaminedTable] = [:]
        for name in names.intersection(catalog.tables) {
            var differences: [EntityPlace: TableDifferences] = [:]
            for (place, plan) in plans.enumerated() {
                for entity in plan.schema.entities where entity.table == name {
                    let place = EntityPlace(place, entity.name)
                    differences[place] = try plan.differences(
                        of: entity, in: catalog, beside: unknown)
                }
            }
            tables[name] = ExaminedTable(rows: try countRows(name), differences: differences)
        }
        let drafts = catalog.tables.filter { $0.hasPrefix("switchyard_draft_") }
        let hasMarker = catalog.tables.contains(SQLGenerator.markerTable)
        let found = hasMarker ? try foundMarker() : nil
        let faults = try plan.columnFaults(of: Entity.historyTables, in: catalog).filter {
            // That there is no marker is told by `marker`.
            !$0.hasPrefix("the table \(SQLGenerator.markerTable) ")
        }
        return StoreExamination(
            marker: found?.marker, isSummaryRight: found?.isSummaryRight ?? true, bookkeepingFaults: faults,
            bookkeepingIndexFaults: faults.isEmpty
                ? try plan.indexFaults(of: Entity.historyTables, in: catalog) : [],
            lastEra: faults.isEmpty ? try lastEra() : 0, tables: tables,
            drafts: Dictionary(uniqueKeysWithValues: try drafts.map { ($0, try countRows($0)) }),
            unknown: unknown.map { $0.unknown() })
    }

    private func countRows(_ table: String) throws -> Int {
        try count(by: "SELECT COUNT(*) FROM \(plan.sql.qualified(table))", of: table)
    }

    private func count(by text: String, of table: String) throws -> Int {
        var count = 0
        try telling(text).query(
            SQLStatement(text: text), types: [.int],
            context: ErrorContext(entity: table, attributes: ["count"])
        ) { row in
            count = try Int(from: &row)
            return false
        }
        return count
    }

    /// The marker, and whether what is kept beside it fits; nil if the table of the marker is empty.
    func foundMarker() throws -> (marker: Result<StoreMarker, StoreError>, isSummaryRight: Bool)? {
        var found: (Result<StoreMarker, StoreError>, Bool)?
        let columns = SQLGenerator.markerColumns
        let text = SQLGenerator.selectMarkerColumns(in: plan.sql.namespace)
        try telling(text).query(
            SQLStatement(text: text), types: columns.map(\.type) + [.text],
            context: ErrorContext(
                entity: SQLGenerator.markerTable, attributes: columns.map(\.name) + ["marker"])
        ) { row in
            let beside = try columns.map { try row.read($0.type) }
            let json = try String(from: &row)
            do {
                let marker = try StoreMarker.decode(json)
                found = (
                    .success(marker.absolute(in: plan.sql.directory)),
                    beside == SQLGenerator.values(of: marker, json: json)
                )
            } catch let error as StoreError {
                found = (.failure(error), false)
            }
            return false
        }
        return found
    }

    /// The greatest era among the rows of the history, in any scope; 0 without rows.
    ///
    /// - Throws: As `TableRebuilding` says.
    public func lastEra() throws -> Int64 {
        let table = HistoryAddition.entity.table
        var era: Int64 = 0
        guard try connection.catalog().tables.contains(table) else { return era }
        let text = "SELECT \"id\" FROM \(plan.sql.qualified(table)) ORDER BY \"id\" DESC LIMIT 1"
        try telling(text).query(
            SQLStatement(text: text), types: [.int], context: ErrorContext(entity: table, attributes: ["id"])
        ) { row in
            era = try HistoryRowID(from: &row).era
            return true
        }
        return era
    }

    /// The number of rows of a table that refer to rows which none of some tables has.
    ///
    /// - Throws: As `TableRebuilding` says.
    public func strayReferences(
        _ attribute: Attribute, in table: String, to targets: [String]
    ) throws -> Int {
        try count(by: plan.sql.countStrays(attribute, in: table, to: targets), of: table)
    }

    /// Makes tables anew, and everything else that the store lacks of a schema.
    ///
    /// - Throws: As `TableRebuilding` says.
    public func rebuild(_ rebuild: StoreRebuild) throws {
        let newer = try SQLPlan(plan.sql.printing(rebuild.schema))
        let before = try connection.catalog()
        // An index is not as it was made if its name is that of another one: it goes first.
        let indexes = try newer.schema.tables.flatMap { try newer.sql.indexes(of: $0) }
        let unlike = try indexes.map { SQLMade(index: $0) }.filter { index in
            if case .unlike = try before.find(index) { true } else { false }
        }
        let versions = try rebuild.versions.map { try SQLPlan(plan.sql.printing($0)) }
        let unknown = try SQLPlan.unknownParts(beside: versions, in: before)
        // One of another version could refuse rows that this one allows.
        let strays = try newer.schema.entities.filter { before.tables.contains($0.table) }.flatMap {
            try newer.indexesOfOthers(of: $0, in: before, beside: unknown)
        }
        try run(
            Set(unlike.map(\.name) + strays).sorted().map { "DROP INDEX \(newer.sql.qualified($0))" })
        try remake(try newer.sql.rebuild(rebuild, without: before.looseForeignKeys))
        let rows = confined(to: [], newer)
        for scope in try rows.everyScope() {
            let rows = confined(to: scope, newer)
            for change in rebuild.changes {
                try rows.requireFit(change.withoutIndexesBefore)
                try rows.fold(change)
            }
        }
        try addMissing(of: newer)
        try keep(unknown, after: rebuild.changes, newer)
        try write(rebuild.marker, newer, hasTable: before.tables.contains(SQLGenerator.markerTable))
    }

    /// Adds the indexes that are missing, and the foreign keys that are not part of their tables.
    private func addMissing(of newer: SQLPlan) throws {
        let catalog = try connection.catalog()
        for entity in newer.schema.tables {
            try run(
                try newer.sql.indexes(of: entity).filter { text in
                    if case .missing = try catalog.find(SQLMade(index: text)) { true } else { false }
                })
        }
        guard newer.sql.dialect.addsForeignKeysLater else { return }
        for entity in newer.schema.tables { try run(try newer.sql.foreignKeys(of: entity).map(\.add)) }
    }

    private func write(_ marker: StoreMarker, _ newer: SQLPlan, hasTable: Bool) throws {
        if !hasTable {
            let sql = newer.sql
            try run(
                [sql.createMarkerTable()]
                    + (sql.isDistributed ? sql.distribute([SQLGenerator.markerTable]) : []))
        }
        let update = try newer.sql.updateMarker(marker)
        guard try telling(update.text).run(update) == 0 else { return }
        let insert = try newer.sql.insertMarker(marker)
        _ = try telling(insert.text).run(insert)
    }
}

extension TableChange {
    /// A change of the table that has the rows by now, which had no indexes before.
    fileprivate var withoutIndexesBefore: TableChange {
        guard case .change(_, let new, _) = self else { return self }
        let bare = Entity(new.name, attributes: new.attributes, table: new.table)
        return .change(bare, to: new, new.attributes.map { ValueSource($0.name) })
    }
}
