import Foundation
import Switchyard
import SwitchyardCore
import Testing

@testable import FitIQ

/// The app's own schemas, as a table of facts beside the repository has them.
private struct FactTable: Decodable {
    struct Version: Decodable {
        let version: String
        let entities: [String: Model]
    }

    struct Model: Decodable {
        let attributes: [String: Property]
        let relationships: [String: Property]
    }

    struct Property: Decodable {
        let type: String
        let `default`: String?
        let deleteRule: String?
    }

    static let file = URL(filePath: #filePath)
        .appending(path: "../../../../../shared/data/fitiq/schema-versions.json").standardizedFileURL

    static func read() throws -> [String: Version] {
        try JSONDecoder().decode([String: Version].self, from: Data(contentsOf: file))
    }
}

@Suite(
    "The schemas of the example",
    .enabled(
        if: FileManager.default.fileExists(atPath: FactTable.file.path), "needs ../shared/data/fitiq"))
struct FactTableTests {
    /// What is stored for a Swift type of the table.
    private static let types: [String: AttributeType] = [
        "String": .text, "Int": .int, "Double": .double, "Bool": .bool, "Date": .timestamp, "UUID": .uuid,
        "[String]": .json, "UnitSystem": .text, "PhysicalAttributeType": .text, "ActivityLevel": .text,
        "MealType": .text, "MealLogStatus": .text, "SyncStatus": .text,
    ]

    @Test("the example's schemas are those of the app", arguments: 1...11)
    func versions(_ number: Int) throws {
        let facts = try #require(try FactTable.read()["V\(number)"])
        let schema = try FitIQPlan.schemas[number - 1].schema
        let version = schema.version
        #expect("\(version.major), \(version.minor), \(version.patch)" == facts.version)
        #expect(Set(schema.entities.map(\.name)) == Set(facts.entities.keys))
        for (name, model) in facts.entities {
            let entity = try schema.require(name)
            let lines = model.attributes.filter { $0.key != "id" }.map { "\($0): \(Self.line($1))" }
            let references = model.relationships.filter { $1.deleteRule != "cascade" }.map {
                "\($0): \($1.type)"
            }
            let found = entity.attributes.filter { $0.name != "id" }.map { attribute in
                attribute.reference.map { "\(attribute.name): \($0)?" }
                    ?? "\(attribute.name): \(Self.line(attribute))"
            }
            #expect(found.sorted() == (lines + references).sorted(), "\(name)")
            let owned = model.relationships.filter { $1.deleteRule == "cascade" }.map { name, property in
                "\(name): \(property.type.filter { !"[]?".contains($0) })"
            }
            #expect(
                entity.relationships.map { "\($0.name): \($0.target)" }.sorted() == owned.sorted(), "\(name)")
            #expect(entity.relationships.allSatisfy { $0.deleteRule == .cascade })
        }
    }

    /// The type and the constant default; those that are calculated are not part of a schema.
    private static func line(_ property: FactTable.Property) -> String {
        let isOptional = property.type.hasSuffix("?")
        let swift = isOptional ? String(property.type.dropLast()) : property.type
        let value = property.default.flatMap { $0.hasSuffix("()") ? nil : $0 }
            .map { $0.replacing("\(swift).", with: "").replacing("\"", with: "") }
            .map { swift == "Double" ? "\(Double($0) ?? .nan)" : $0 }
        return "\(types[swift]?.rawValue ?? swift)\(isOptional ? "?" : "") \(value ?? "")"
    }

    private static func line(_ attribute: Attribute) -> String {
        let value =
            switch attribute.defaultValue {
            case .text(let text)?, .json(let text)?: text
            case .int(let number)?: "\(number)"
            case .double(let number)?: "\(number)"
            case .bool(let flag)?: "\(flag)"
            default: ""
            }
        return "\(attribute.type.rawValue)\(attribute.isOptional ? "?" : "") \(value)"
    }
}
