internal import Foundation
internal import SwitchyardCore

/// The result of a pass over a database: how its tables are converted, and the faults.
struct AdoptionSurvey: Sendable {
    private(set) var conversions: [TableConversion] = []
    private(set) var ignoredTables: [String] = []
    private(set) var faults: [AdoptionFault] = []
    private(set) var tables: [AdoptionPreview.Table] = []
    private(set) var digests: [String: RowsDigest] = [:]
    /// The ids of the rows that others may refer to, by their entities.
    private var known: [String: Set<UUID>] = [:]
    private let ids: AdoptedID

    /// Reads all rows that the plan converts.
    ///
    /// - Throws: The errors of reading, and those of `check`, which is called repeatedly.
    /// - Complexity: O(rows) time; holds the id of each row of one table and of those that are referred to, and 16 bytes for
    ///   each row with a unique constraint.
    init(_ plan: AdoptionPlan, _ snapshot: any ForeignSnapshot, _ check: () throws -> Void) throws {
        ids = plan.ids
        try match(plan, try snapshot.tables())
        let referred = Set(
            conversions.flatMap { $0.sources }.compactMap { source in
                if case .reference(_, let entity, _) = source { entity } else { nil }
            })
        // Without a whole plan the rows would only repeat what is missing.
        guard faults.isEmpty else { return }
        for conversion in conversions where referred.contains(conversion.entity.name) {
            var found: Set<UUID> = []
            let columns = conversion.key.map { conversion.columns[$0] }
            try snapshot.forEachRow(of: conversion.table, columns) { key in
                try check()
                if let id = ids.id(of: key, in: conversion.table.name) { found.insert(id) }
            }
            known[conversion.entity.name] = found
        }
        for conversion in conversions { try survey(conversion, snapshot, plan, check) }
    }

    private mutating func match(_ plan: AdoptionPlan, _ found: [ForeignTable]) throws {
        var planned: [(table: ForeignTable, entity: Entity, rules: [ColumnRule])] = []
        let named = Set(plan.tables.compactMap { $0.entity?.name })
        for rule in plan.tables where !found.contains(where: { $0.name.folded == rule.name.folded }) {
            faults.append(
                AdoptionFault(table: rule.name, column: nil, reason: "the database has no such table"))
        }
        for table in found {
            if let rule = plan.tables.first(where: { $0.name.folded == table.name.folded }) {
                if let entity = rule.entity {
                    planned.append((table, entity, rule.rules))
                } else {
                    ignoredTables.append(table.name)
                }
            } else if !table.isTable {
                ignoredTables.append(table.name)
            } else if let entity = plan.schema.entities.first(where: { entity in
                !named.contains(entity.name)
                    && [entity.name.plain, entity.table.plain].contains(table.name.plain)
            }), !planned.contains(where: { $0.entity.name == entity.name }) {
                planned.append((table, entity, []))
            } else {
                faults.append(
                    AdoptionFault(
                        table: table.name, column: nil, reason: "the plan does not mention the table"))
            }
        }
        var targets: [String: (table: ForeignTable, key: [String])] = [:]
        for (table, entity, rules) in planned {
            let key = rules.flatMap { rule -> [String] in
                if case .key(let columns) = rule { columns } else { [] }
            }
            targets[entity.name] = (table, key.isEmpty ? table.primaryKey : key)
        }
        let twins = Dictionary(grouping: found, by: \.name.folded).filter { $0.value.count > 1 }
        for (table, _, _) in planned where twins[table.name.folded] != nil {
            faults.append(
                AdoptionFault(
                    table: table.name, column: nil,
                    reason:
                        "another table has the same name but for its case: adopt a view with another name"))
        }
        conversions = planned.filter { twins[$0.table.name.folded] == nil }.map {
            TableConversion($0.table, as: $0.entity, $0.rules, tables: targets, &faults)
        }
    }

    private mutating func survey(
        _ conversion: TableConversion, _ snapshot: any ForeignSnapshot, _ plan: AdoptionPlan,
        _ check: () throws -> Void
    ) throws {
        let name = conversion.table.name
        var found: [String: AdoptionFault] = [:]
        var (rows, derived, removed, seen, digest) = (0, 0, 0, Set<UUID>(), RowsDigest())
        let digester = RowDigester(conversion.entity)
        var keys = try conversion.entity.uniqueConstraints.map {
            try UniqueKeys($0, of: conversion.entity, in: plan.schema)
        }
        try snapshot.forEachRow(of: conversion.table, conversion.columns) { values in
            try check()
            rows += 1
            let key = conversion.key.map { values[$0] }
            if key.count != 1 || key[0].uuid == nil { derived += 1 }
            func note(_ column: String?, _ reason: String) {
                var fault =
                    found["\(column ?? "")\u{0}\(reason)"]
                    ?? AdoptionFault(table: name, column: column, reason: reason)
                fault.rows += 1
                if fault.firstRow == nil { (fault.firstRow, fault.firstKey) = (rows, key) }
                found["\(column ?? "")\u{0}\(reason)"] = fault
            }
            let converted = try row(values, conversion) {
                note($0, $1)
            } removed: {
                removed += 1
            }
            guard let converted, case .uuid(let id)? = converted.first else { return }
            if !seen.insert(id).inserted { note(nil, "another row has the same key") }
            do { digest.add(try digester.digest(converted)) } catch let error as StoreError {
                note(nil, error.message)
            }
            for index in keys.indices where try !keys[index].insert(converted) {
                note(nil, "another row has the same values in \(keys[index].names)")
            }
        }
        faults += found.values.sorted {
            ($0.firstRow ?? 0, $0.column ?? "", $0.reason) < ($1.firstRow ?? 0, $1.column ?? "", $1.reason)
        }
        digests[conversion.entity.name] = digest
        let sources = zip(conversion.entity.attributes, conversion.sources).map {
            ($0.name, conversion.columns(of: $1))
        }
        let used = Set(conversion.columns)
        tables.append(
            AdoptionPreview.Table(
                name: name, entity: conversion.entity.name, rows: rows, derivedIDs: derived,
                removedReferences: removed,
                sources: Dictionary(sources, uniquingKeysWith: { first, _ in first }),
                ignoredColumns: conversion.table.columns.map(\.name).filter { !used.contains($0) }))
    }

    /// The values of a row in the order of the entity's attributes.
    ///
    /// - Parameters:
    ///   - values: The values of the table.
    ///   - conversion: The conversion of the table.
    ///   - refused: Receives a column and the reason why its value cannot be converted.
    ///   - removed: Is called for a reference that becomes nil.
    /// - Returns: The values; nil if one cannot be converted.
    /// - Throws: Only errors that are not faults of a value.
    func row(
        _ values: [ForeignValue], _ conversion: TableConversion, refused: (String?, String) -> Void,
        removed: () -> Void
    ) throws -> [StoredValue]? {
        var row: [StoredValue] = []
        for (attribute, source) in zip(conversion.entity.attributes, conversion.sources) {
            let column = conversion.columns(of: source).first
            switch source {
            case .constant(let value): row.append(value)
            case .id:
                let key = conversion.key.map { values[$0] }
                if let id = ids.id(of: key, in: conversion.table.name) {
                    row.append(.uuid(id))
                } else {
                    refused(column, "the key has no value, or a text in no valid encoding")
                }
            case .value(let position, let form):
                do { row.append(try form.value(values[position], for: attribute)) } catch let refusal
                    as Unconvertible
                {
                    refused(column, refusal.reason)
                }
            case .reference(let positions, let target, let missing):
                let key = positions.map { values[$0] }
                guard !key.contains(.null) else {
                    if attribute.isOptional {
                        row.append(.null)
                    } else {
                        refused(column, "the reference needs a value")
                    }
                    continue
                }
                let table = conversions.first { $0.entity.name == target }?.table.name ?? ""
                if let id = ids.id(of: key, in: table), known[target]?.contains(id) == true {
                    row.append(.uuid(id))
                } else if missing == .orNil {
                    removed()
                    row.append(.null)
                } else {
                    refused(column, "the row that it refers to does not exist")
                }
            }
        }
        return row.count == conversion.sources.count ? row : nil
    }
}
