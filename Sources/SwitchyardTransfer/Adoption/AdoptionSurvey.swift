internal import Foundation
internal import SwitchyardCore

/// The result of a pass over a database: how its tables are converted, and the faults.
struct AdoptionSurvey: Sendable {
    private(set) var conversions: [TableConversion] = []
    private(set) var ignoredTables: [String] = []
    private(set) var faults: [AdoptionFault] = []
    private(set) var tables: [AdoptionPreview.Table] = []
    private(set) var digests: [String: RowsDigest] = [:]
    /// What the database tells besides tables and values.
    let findings: [ForeignFinding]
    /// The ids that come from keys, of the rows that others may refer to, by their entities.
    private var known: [String: KnownIDs] = [:]
    /// The tables that become entities, by these.
    private var tablesByEntity: [String: String] = [:]

    /// The ids of the rows of a table that come from keys: those of integers by these, which takes less time than to make them
    /// again.
    private struct KnownIDs {
        var numbered = KeyedIDs()
        var others: Set<UUID> = []
    }
    /// The ids that do not come from keys, by the entities of the rows.
    private(set) var keyedIDs: [String: KeyedIDs] = [:]
    let ids: AdoptedID

    /// Reads all rows that the plan converts.
    ///
    /// - Throws: The errors of reading, and those of `check`, which is called repeatedly.
    /// - Complexity: O(rows) time; holds the id of each row of one table and of those that are referred to, and 16 bytes for
    ///   each row with a unique constraint.
    init(_ plan: AdoptionPlan, _ snapshot: any ForeignSnapshot, _ check: () throws -> Void) throws {
        ids = try AdoptedID(plan, snapshot)
        findings = try snapshot.findings()
        try match(plan, try snapshot.tables())
        let referred = Set(
            conversions.flatMap { $0.sources }.compactMap { source in
                if case .reference(_, let entity, _) = source { entity } else { nil }
            })
        // Without a whole plan the rows would only repeat what is missing.
        guard faults.isEmpty else { return }
        for conversion in conversions { tablesByEntity[conversion.entity.name] = conversion.foldedName }
        for finding in findings
        where finding.needsAcknowledgement && !plan.acknowledged.contains(finding.code) {
            faults.append(
                AdoptionFault(
                    table: finding.table ?? "the database", column: nil,
                    reason: "\(finding.message) Let the plan acknowledge \(finding.code) to go on"))
        }
        // Ids that come from those of other rows are made last.
        let identified = conversions.filter { $0.identity != nil }
        for conversion in identified.filter({ $0.referredIdentities.isEmpty }) {
            keyedIDs[conversion.entity.name] = try keyedIDs(of: conversion, snapshot, check)
        }
        for conversion in identified.filter({ !$0.referredIdentities.isEmpty }) {
            let targets = conversion.referredIdentities
            if let circle = targets.first(where: { target in
                conversions.contains { $0.entity.name == target && !$0.referredIdentities.isEmpty }
            }) {
                faults.append(
                    AdoptionFault(
                        table: conversion.table.name, column: nil,
                        reason: "its ids come from those of \(circle), which come from those of others"))
                continue
            }
            for conversion in conversions where targets.contains(conversion.entity.name) {
                try note(keysOf: conversion, snapshot, check)
            }
            keyedIDs[conversion.entity.name] = try keyedIDs(of: conversion, snapshot, check)
        }
        refuseSharedIDs()
        for conversion in conversions where referred.contains(conversion.entity.name) {
            try note(keysOf: conversion, snapshot, check)
        }
        for conversion in conversions { try survey(conversion, snapshot, plan, check) }
    }

    /// The id of a row whose id comes from its key, if others may refer to it, and its key is an integer.
    func numberedID(of key: [ForeignValue], in entity: String) -> UUID? {
        known[entity]?.numbered.id(of: key)
    }

    /// The id that comes from the key of a row of an entity; nil if there is no such row.
    func knownID(of key: [ForeignValue], in entity: String) -> UUID? {
        guard let found = known[entity], let table = tablesByEntity[entity] else { return nil }
        if let id = found.numbered.id(of: key) { return id }
        guard !found.others.isEmpty, let id = ids.id(of: key, in: table) else { return nil }
        return found.others.contains(id) ? id : nil
    }

    /// Refuses ids that rows of several tables have.
    private mutating func refuseSharedIDs() {
        for (table, count) in sharedIDs() {
            faults.append(
                AdoptionFault(
                    table: table, column: nil,
                    reason:
                        "rows of other tables have \(count) of its ids as well: let the plan keep them, or take the key",
                    kind: .sharedID))
        }
    }

    /// Remembers the ids of the rows of a table whose ids come from its key.
    private mutating func note(
        keysOf conversion: TableConversion, _ snapshot: any ForeignSnapshot, _ check: () throws -> Void
    ) throws {
        guard conversion.identity == nil, known[conversion.entity.name] == nil else { return }
        var found = KnownIDs()
        let columns = conversion.key.map { conversion.columns[$0] }
        let table = conversion.foldedName
        try snapshot.forEachRow(of: conversion.table, columns) { key in
            try check()
            guard let id = ids.id(of: key, in: table) else { return }
            if !found.numbered.insertNumbered(id, for: key) { found.others.insert(id) }
        }
        known[conversion.entity.name] = found
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
            } else if !table.isTable || table.purpose != nil {
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
        var (rows, derived, fromKeys, removed, seen, digest) = (0, 0, 0, 0, SeenRows(), RowsDigest())
        let digester = RowDigester(conversion.entity)
        var keys = try conversion.entity.uniqueConstraints.map {
            try UniqueKeys($0, of: conversion.entity, in: plan.schema)
        }
        try snapshot.forEachRow(of: conversion.table, conversion.columns) { values in
            try check()
            rows += 1
            let key = conversion.key.map { values[$0] }
            switch origin(of: values, conversion) {
            case .uuid: break
            case .derived: derived += 1
            case .key:
                derived += 1
                fromKeys += 1
            }
            func note(_ column: String?, _ refusal: Unconvertible) {
                let index = "\(column ?? "")\u{0}\(refusal.reason)"
                var fault = found[index] ?? AdoptionFault(table: name, column: column, refusal)
                fault.rows += 1
                if fault.firstRow == nil { (fault.firstRow, fault.firstKey) = (rows, key) }
                found[index] = fault
            }
            let converted = try row(values, conversion) {
                note($0, $1)
            } removed: {
                removed += 1
            }
            guard let converted, case .uuid(let id)? = converted.first else { return }
            if !seen.insert(id, from: conversion.identity == nil ? key : nil) {
                note(nil, Unconvertible("another row has the same key"))
            }
            do { digest.add(try digester.digest(converted)) } catch let error as StoreError {
                note(nil, Unconvertible(error.message))
            }
            for index in keys.indices where try !keys[index].insert(converted) {
                note(
                    nil,
                    Unconvertible(
                        "another row has the same values in \(keys[index].names)",
                        .notUnique(keys[index].attributes)))
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
                idsFromKeys: fromKeys, removedReferences: removed,
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
        _ values: [ForeignValue], _ conversion: TableConversion, refused: (String?, Unconvertible) -> Void,
        removed: () -> Void
    ) throws -> [StoredValue]? {
        var row: [StoredValue] = []
        row.reserveCapacity(conversion.sources.count)
        func refuse(_ index: Int, _ refusal: Unconvertible) {
            refused(conversion.columns(of: conversion.sources[index]).first, refusal)
        }
        for index in conversion.sources.indices {
            switch conversion.sources[index] {
            case .constant(let value): row.append(value)
            case .id:
                switch id(of: values, conversion) {
                case .success(let id): row.append(.uuid(id))
                case .failure(let refusal): refuse(index, refusal)
                }
            case .value(let position, let form):
                do {
                    row.append(try form.value(values[position], for: conversion.entity.attributes[index]))
                } catch let refusal as Unconvertible { refuse(index, refusal) }
            case .reference(let positions, let target, let missing):
                let key = positions.map { values[$0] }
                guard !key.contains(.null) else {
                    if conversion.entity.attributes[index].isOptional {
                        row.append(.null)
                    } else {
                        refuse(index, Unconvertible("the reference needs a value", .needsValue))
                    }
                    continue
                }
                if let id = id(of: key, referredToIn: target) {
                    row.append(.uuid(id))
                } else if missing == .orNil {
                    removed()
                    row.append(.null)
                } else {
                    refuse(
                        index, Unconvertible("the row that it refers to does not exist", .danglingReference))
                }
            }
        }
        return row.count == conversion.sources.count ? row : nil
    }
}
