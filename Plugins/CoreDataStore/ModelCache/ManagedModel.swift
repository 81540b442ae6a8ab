/// A model as Core Data archived it beside the rows.
struct ManagedModel: Sendable, Hashable {
    /// The entities by name.
    var entities: [ManagedEntity] = []
    /// The identifiers of the model's version, such as `1.0.0`, by name.
    var versionIdentifiers: [String] = []
}

/// An entity of a model.
struct ManagedEntity: Sendable, Hashable {
    var name: String
    /// The entity that it inherits from.
    var superentity: String?
    /// Whether it has no rows of its own.
    var isAbstract = false
    /// Its name in an earlier version.
    var renamingIdentifier: String?
    /// The attributes by name, inherited ones included.
    var attributes: [ManagedAttribute] = []
    /// The relationships by name, inherited ones included.
    var relationships: [ManagedRelationship] = []
    /// The names of the properties that are unique together.
    var uniqueConstraints: [[String]] = []
}

/// An attribute of an entity.
struct ManagedAttribute: Sendable, Hashable {
    var name: String
    var type: ManagedType
    var isOptional = false
    /// Whether it has no column.
    var isTransient = false
    /// Whether large values may be in files of their own.
    var isExternal = false
    var defaultValue: ArchivedValue?
    var renamingIdentifier: String?
    /// The parts of a composite.
    var elements: [ManagedAttribute] = []
}

/// The type of an attribute, by the numbers of `NSAttributeType`.
enum ManagedType: Int64, Sendable, Hashable, CaseIterable {
    case undefined = 0
    case integer16 = 100
    case integer32 = 200
    case integer64 = 300
    case decimal = 400
    case double = 500
    case float = 600
    case string = 700
    case boolean = 800
    case date = 900
    case binary = 1000
    case uuid = 1100
    case uri = 1200
    case transformable = 1800
    case objectID = 2000
    case composite = 2100
}

/// A relationship of an entity.
struct ManagedRelationship: Sendable, Hashable {
    var name: String
    /// The entity that it leads to.
    var destination: String
    /// The name of the relationship back.
    var inverse: String?
    var isToMany: Bool
    var isOrdered = false
    var isOptional = false
    var isTransient = false
    var deleteRule: DeleteRule
    var renamingIdentifier: String?

    /// What a delete does to the rows that it leads to, by the numbers of `NSDeleteRule`.
    enum DeleteRule: Int64, Sendable, Hashable {
        case noAction = 0
        case nullify = 1
        case cascade = 2
        case deny = 3
    }
}

extension ManagedModel {
    /// The entity with a name.
    func entity(_ name: String) -> ManagedEntity? { entities.first { $0.name == name } }

    /// The entities that directly inherit from one.
    func subentities(of name: String) -> [ManagedEntity] { entities.filter { $0.superentity == name } }
}
