import SwitchyardCSV
import SwitchyardCore
import TestBackends

/// An entity, known by its schema alone, with an attribute of every type, and stores of it.
enum Shelf {
    static let entity = Entity(
        "Item",
        attributes: [
            Attribute("id", type: .uuid),
            Attribute("isOpen", type: .bool, isOptional: true),
            Attribute("count", type: .int, isOptional: true),
            Attribute("weight", type: .double, isOptional: true),
            Attribute("price", type: .decimal, isOptional: true),
            Attribute("label", type: .text, isOptional: true),
            Attribute("picture", type: .blob, isOptional: true),
            Attribute("owner", type: .uuid, isOptional: true),
            Attribute("made", type: .timestamp, isOptional: true),
            Attribute("bestBefore", type: .day, isOptional: true),
            Attribute("tags", type: .json, isOptional: true),
            Attribute("kind", type: .text, isOptional: true, cases: [.text("dry"), .text("fresh")]),
        ])

    static let header = "id,isOpen,count,weight,price,label,picture,owner,made,bestBefore,tags,kind"

    /// The id that ends in a digit.
    static func id(_ digit: Int) -> String { "019a540e-0000-7000-8000-00000000000\(digit)" }

    /// A row of the file that has an id, and nothing but what is given.
    static func row(_ digit: Int, _ attribute: String? = nil, _ field: String = "") -> String {
        let fields = header.split(separator: ",").map { name in
            name == "id" ? id(digit) : name[...] == attribute?[...] ? field : ""
        }
        return fields.joined(separator: ",")
    }

    /// A file with the header, and with its end.
    static func file(_ rows: String...) -> String {
        ([header] + rows).map { $0 + "\n" }.joined() + "\n"
    }
}

extension TestBackend {
    /// Lends an empty store of an entity.
    func withStore(
        of entity: Entity = Shelf.entity, _ body: (any Store) async throws -> Void
    ) async throws {
        try await withStore(try Schema(version: SchemaVersion(1), entities: [entity]), body)
    }
}

extension Store {
    /// The file of all items.
    func exported(sortedBy order: [SortKey] = []) async throws -> String {
        try await read { transaction in
            let sink = MemoryByteSink()
            try EntityCSV.export("Item", of: transaction, to: sink, sortedBy: order)
            return sink.text
        }
    }

    /// Imports a file of items.
    @discardableResult
    func imported(_ text: String, skippingExisting: Bool = false) async throws -> [Int] {
        try await write { transaction in
            let (read, inserted) = try EntityCSV.import(
                .bytes(Array(text.utf8)), into: "Item", in: transaction, skippingExisting: skippingExisting)
            return [read, inserted]
        }
    }
}
