import Foundation
import SwitchyardCore

/// A model and its rows, of which a file is written as Core Data would write it.
struct Shape {
    var entities: [Entity] = []
    var rows: [Row] = []
    var pairs: [Pair] = []
    /// Whether inherited properties are archived as proxies, as newer systems do, or as copies.
    var usesProxies = true
    /// Whether the file has a cached model.
    var hasModel = true
    var storeID = "0F6D7A63-1111-4222-8333-444455556666"
    var records: [Record]?

    struct Entity {
        var name: String
        var parent: String?
        var isAbstract = false
        var attributes: [Attribute] = []
        var relationships: [Relationship] = []
        var unique: [[String]] = []
    }

    struct Attribute {
        var name: String
        /// The number of the type (`NSAttributeType`).
        var type: Int64
        var isOptional = true
        var isExternal = false
        var elements: [Attribute] = []
        var defaultValue: WrittenObject?
        /// The class of a default value that is an object with fields.
        var defaultClass: String?
    }

    struct Relationship {
        var name: String
        var destination: String
        var inverse: String?
        var isToMany = false
        var isOrdered = false
        var isOptional = true
        var deleteRule: Int64 = 1
    }

    struct Row {
        var entity: String
        var key: Int64
        /// By the names of the attributes; parts of composites by all names with points.
        var values: [String: Value] = [:]
        /// By the names of the to-one relationships, or of hidden ones: the entity and the key.
        var references: [String: Target] = [:]
        /// By the same names.
        var positions: [String: Int64] = [:]
    }

    struct Target: Hashable {
        var entity: String
        var key: Int64
    }

    /// A pair of a many-to-many relationship.
    struct Pair {
        var entity: String
        var relationship: String
        var owner: Int64
        var target: Int64
        var position: Int64?
    }

    /// What CloudKit's tables have of a row.
    struct Record {
        var entity: String
        var key: Int64
        var name: String?
        var zone: Int64 = 1
        var needsUpload = false
        var needsCloudDelete = false
        var needsLocalDelete = false
    }

    enum Value: Hashable {
        case integer(Int64)
        case real(Double)
        case text(String)
        case bool(Bool)
        /// Seconds since 2001.
        case date(Double)
        case uuid(UUID)
        case data([UInt8])
        case texts([String])

        /// What an adoption is to get.
        var expected: ForeignValue {
            switch self {
            case .integer(let number): .integer(number)
            case .real(let number): .real(number)
            case .text(let text): .text(text)
            case .bool(let flag): .integer(flag ? 1 : 0)
            case .date(let seconds): .timestamp(Int64((seconds * 1_000_000).rounded()) + 978_307_200_000_000)
            case .uuid(let uuid): .uuid(uuid)
            case .data(let bytes): .blob(Data(bytes))
            case .texts(let texts): .text("[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]")
            }
        }
    }
}

extension Shape {
    func entity(_ name: String) -> Entity {
        entities.first { $0.name == name } ?? Entity(name: name)
    }

    /// An entity and its ancestors, the root first.
    func line(_ name: String) -> [Entity] {
        let entity = entity(name)
        return (entity.parent.map(line) ?? []) + [entity]
    }

    /// The entities in the order of their numbers: alphabetical, depth first.
    var numbered: [Entity] {
        func below(_ parent: String?) -> [Entity] {
            entities.filter { $0.parent == parent }.sorted { $0.name < $1.name }.flatMap {
                [$0] + below($0.name)
            }
        }
        return below(nil)
    }

    func number(_ name: String) -> Int64 { Int64(numbered.firstIndex { $0.name == name } ?? -1) + 1 }

    /// The entities that a row of a reference can have.
    func concrete(_ name: String) -> [Entity] {
        numbered.filter { entity in !entity.isAbstract && line(entity.name).contains { $0.name == name } }
    }
}
