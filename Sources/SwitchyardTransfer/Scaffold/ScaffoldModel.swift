internal import Foundation
internal import SwitchyardCore

/// A model that a table suggests.
struct ScaffoldModel: Sendable {
    let table: ForeignTable
    /// The name of the model.
    let name: String
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []
    /// The names of the attributes that are unique together.
    var unique: [[String]] = []
    /// The columns that the ids come from; none for the key.
    var idColumns: [String] = []
    var unusable = UnusableID.refused
    var shared = SharedID.refused

    /// An attribute, and where its values come from.
    struct Attribute: Sendable {
        let name: String
        let columns: [String]
        let kind: Kind
        var isOptional: Bool
        var missing = MissingReference.refused
        var defaultValue: StoredValue?

        enum Kind: Sendable {
            case value(ScaffoldColumn.Choice)
            /// To the model of another table.
            case reference(String)
        }
    }
}

extension ScaffoldModel {
    /// The models of the tables that have a primary key.
    ///
    /// - Throws: The errors of reading, and what `check` throws.
    static func models(of snapshot: any ForeignSnapshot, _ check: () throws -> Void) throws -> [ScaffoldModel]
    {
        let found = try snapshot.tables().filter { $0.isTable && $0.purpose == nil && !$0.primaryKey.isEmpty }
        let counts = Dictionary(grouping: found, by: \.name.folded)
        let tables = found.filter { counts[$0.name.folded]?.count == 1 }
        var names = ScaffoldNames()
        let models = tables.map { ScaffoldModel(table: $0, name: names.model($0.name)) }
        var filled: [ScaffoldModel] = []
        for model in models { filled.append(try model.filled(from: snapshot, among: models, check)) }
        // Pairs of rows whose ids are the same in each copy of the database have such ids as well.
        for index in filled.indices {
            let references = filled[index].attributes.filter {
                if case .reference = $0.kind { true } else { false }
            }
            let purposes = Set(filled[index].table.columns.filter { $0.purpose != nil }.map(\.name))
            let columns = references.flatMap(\.columns)
            let targets = references.compactMap {
                if case .reference(let name) = $0.kind { name } else { nil }
            }
            if references.count > 1, filled[index].table.primaryKey.count > 1,
                Set(filled[index].table.primaryKey).isSubset(of: purposes.union(columns)),
                filled.contains(where: { targets.contains($0.name) && !$0.idColumns.isEmpty })
            {
                filled[index].idColumns = columns
            }
        }
        for index in filled.indices { filled[index].addRelationships(from: filled) }
        return filled
    }

    private func filled(
        from snapshot: any ForeignSnapshot, among models: [ScaffoldModel], _ check: () throws -> Void
    ) throws -> ScaffoldModel {
        var model = self
        var names = ScaffoldNames(taken: ["id"])
        let columns = table.columns.filter { $0.purpose == nil }
        var census = columns.map { ScaffoldColumn($0) }
        try snapshot.forEachRow(of: table, columns.map(\.name)) { values in
            try check()
            for index in values.indices { census[index].add(values[index]) }
        }
        var used: Set<String> = []
        if table.primaryKey.count == 1, !table.hasUndeclaredReferences,
            let key = census.first(where: { $0.column.name == table.primaryKey[0] }),
            [.int, .uuid].contains(key.choice.type), !key.choice.isConverted
        {
            // Of what the ids are made; an app has had no other use for it.
            used.insert(key.column.name)
        }
        let own = census.first { $0.column.name.folded == "id" && !table.primaryKey.contains($0.column.name) }
        if let own, own.choice.type == .uuid {
            model.idColumns = [own.column.name]
            used.insert(own.column.name)
        } else {
            model.idColumns = Self.recordColumns.filter { name in table.columns.contains { $0.name == name } }
        }
        // Databases list foreign keys in orders of their own.
        let references = table.foreignKeys.sorted { one, other in
            let positions = [one, other].map { key in columns.firstIndex { $0.name == key.columns.first } ?? 0
            }
            return positions[0] < positions[1]
        }
        for reference in references {
            guard let target = models.first(where: { $0.table.name.folded == reference.table.folded }),
                reference.columns.count == target.table.primaryKey.count,
                reference.targets.isEmpty
                    || reference.targets.map(\.folded) == target.table.primaryKey.map(\.folded),
                !reference.columns.contains(where: used.contains)
            else { continue }
            used.formUnion(reference.columns)
            let parts = census.filter { reference.columns.contains($0.column.name) }
            let name = names.attribute(
                reference.columns.count == 1 ? Self.withoutID(reference.columns[0]) : target.name)
            model.attributes.append(
                Attribute(
                    name: name, columns: reference.columns, kind: .reference(target.name),
                    isOptional: parts.contains { $0.hasNulls || $0.column.isOptional }))
        }
        for column in census where !used.contains(column.column.name) {
            let name = column.column.name.folded == "id" ? "legacyID" : column.column.name
            let choice = column.choice
            // The schema and its source have the same defaults.
            let value = column.column.defaultValue.flatMap { value in
                let attribute = SwitchyardCore.Attribute("value", type: choice.type)
                let forms: [AdoptedForm] = [.asIs, .number]
                return forms.lazy.compactMap { try? $0.value(value, for: attribute) }
                    .first { $0.swiftLiteral != nil }
            }
            model.attributes.append(
                Attribute(
                    name: name == "legacyID" ? names.exact(name) : names.attribute(name),
                    columns: [column.column.name],
                    kind: .value(choice), isOptional: column.hasNulls || column.column.isOptional,
                    defaultValue: choice.isConverted ? nil : value))
        }
        let constraints = (table.uniqueConstraints + [table.primaryKey]).reduce(into: [[String]]()) {
            kept, columns in
            if !kept.contains(where: { Set($0) == Set(columns) }) { kept.append(columns) }
        }
        model.unique = constraints.compactMap { columns in
            let attributes = columns.compactMap { column in
                model.attributes.first { $0.columns == [column] }?.name
            }
            return attributes.count == columns.count && !attributes.isEmpty ? attributes : nil
        }
        return model
    }

    /// The columns by which a row is known to CloudKit.
    private static let recordColumns = ["$recordName", "$zone", "$zoneOwner"]

    /// `artist_id` refers to an artist.
    private static func withoutID(_ column: String) -> String {
        let folded = column.folded
        if folded.hasSuffix("_id"), folded.utf8.count > 3 { return String(column.dropLast(3)) }
        return column.hasSuffix("ID") && column.count > 2 || column.hasSuffix("Id") && column.count > 2
            ? String(column.dropLast(2)) : column
    }

    /// Adds the to-many relationships whose delete rule is known.
    private mutating func addRelationships(from models: [ScaffoldModel]) {
        var names = ScaffoldNames(taken: Set(attributes.map(\.name) + ["id"]))
        for model in models {
            for attribute in model.attributes {
                guard case .reference(name) = attribute.kind,
                    let key = model.table.foreignKeys.first(where: { $0.columns == attribute.columns }),
                    let rule = key.deleteRule
                else { continue }
                let isOptional = attribute.isOptional
                relationships.append(
                    Relationship(
                        names.attribute(key.inverse ?? model.name + "s"), target: model.name,
                        inverse: attribute.name,
                        deleteRule: rule == .nullify && !isOptional ? .deny : rule))
            }
        }
    }
}
