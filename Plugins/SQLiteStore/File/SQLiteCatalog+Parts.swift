internal import Foundation
internal import SwitchyardCore
internal import SwitchyardSQL

/// What others have added to the tables of a file.
///
/// SQLite keeps views and triggers only as text: one that contains the name of a table or a column counts as
/// needing it.
extension SQLiteCatalog {
    var takenNames: Set<String> { Set(objects.filter { $0[2] != "trigger" }.map { $0[0] }) }

    func parts(of tables: Set<String>) throws -> [SQLPart] {
        let columns = try Dictionary(
            uniqueKeysWithValues: tables.map { ($0, Set(try self.columns(of: $0).keys)) })
        let others = objects.filter { !tables.contains($0[3]) && $0[2] == "table" }.map { $0[0] }
        return try tables.sorted().flatMap(constraintParts)
            + objects.flatMap { parts($0, columns) }
            + others.flatMap { try foreignKeys(of: $0, to: tables) }
    }

    /// An index, a trigger or a view, once for each table that it needs.
    private func parts(_ object: [String], _ columns: [String: Set<String>]) -> [SQLPart] {
        let (name, text, owner) = (object[0], object[1], object[3])
        let kind: UnknownPart.Kind
        switch object[2] {
        case "index": kind = .index
        case "trigger": kind = .trigger
        case "view": kind = .view
        default: return []
        }
        let words = Words(text)
        return columns.keys.sorted().filter { $0 == owner || kind != .index && words.contain($0) }.map {
            table in
            SQLPart(
                table: table, kind: kind, name: name,
                columns: columns[table, default: []].filter(words.contain),
                statement: table == owner ? text : nil)
        }
    }

    /// Constraints; unnamed ones have the name of their index.
    private func constraintParts(of table: String) throws -> [SQLPart] {
        let indexes = try rows(
            "SELECT name FROM pragma_index_list('\(table)') WHERE origin = 'u' ORDER BY name")
        return (constraints(of: table).sorted() + indexes.map { $0[0] }).map {
            SQLPart(table: table, kind: .constraint, name: $0)
        }
    }

    private func foreignKeys(of other: String, to tables: Set<String>) throws -> [SQLPart] {
        let name = other.replacing("'", with: "''")
        let keys = try rows(
            "SELECT \"table\", \"from\", coalesce(\"to\", 'id') FROM pragma_foreign_key_list('\(name)')")
        return keys.compactMap { key in
            let table = tables.first { $0.lowercased() == key[0].lowercased() }
            return table.map {
                SQLPart(table: $0, kind: .foreignKey, name: "\(other).\(key[1])", columns: [key[2]])
            }
        }
    }
}

/// The words of a statement, regardless of their case.
private struct Words {
    private let text: String
    private let words: Set<Substring>

    init(_ text: String) {
        self.text = text.lowercased()
        words = Set(self.text.split { !Words.isPart($0) })
    }

    func contain(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.allSatisfy(Words.isPart) ? words.contains(name[...]) : text.contains(name)
    }

    private static func isPart(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "$"
    }
}
