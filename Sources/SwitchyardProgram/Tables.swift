import ArgumentParser
import SwitchyardCommands
import SwitchyardCore

/// `tables STORE`.
struct Tables: StoreSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "tables", abstract: "Shows the store's entities, their attributes and numbers of rows.")

    @OptionGroup var place: StoreArgument
    @OptionGroup var options: ProgramOptions

    func run() async throws {
        try await Session.run(call, for: .inspecting) { session in
            let rows = try await session.store.rowCounts()
            let tables = session.store.schema.entities.map { TableOutput($0, rows: rows[$0.name] ?? 0) }
            if call.json { return try Terminal.print(json: tables) }
            Terminal.print(lines: tables.flatMap(\.lines))
        }
    }
}

/// An entity in the command's output.
private struct TableOutput: Encodable {
    struct Column: Encodable {
        let name: String
        let type: String
        let isOptional: Bool
        /// The entity that it refers to.
        @OrNull var reference: String?

        init(_ attribute: Attribute) {
            (name, type, isOptional) = (attribute.name, attribute.type.rawValue, attribute.isOptional)
            reference = attribute.reference
        }

        var line: String { "  \(name)  \(reference.map { "\($0).id" } ?? type)\(isOptional ? "?" : "")" }
    }

    let entity: String
    let table: String
    let rows: Int
    let attributes: [Column]

    init(_ entity: Entity, rows: Int) {
        (self.entity, table, self.rows) = (entity.name, entity.table, rows)
        attributes = entity.attributes.map { Column($0) }
    }

    var lines: [String] {
        let place = table == entity ? "" : ", in the table \(table)"
        return ["\(entity): \(Terminal.count(rows, "row", "rows"))\(place)"] + attributes.map(\.line)
    }
}
