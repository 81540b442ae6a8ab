/// Reads the model that Core Data keeps in `Z_MODELCACHE`: raw DEFLATE of a keyed archive.
///
/// It is input like any other: sizes are capped, circles are followed no further than once, and no class is looked up.
struct ModelCache {
    /// The maximum number of bytes of the archive.
    static let mostBytes = 16 << 20
    private static let mostObjects = 1 << 20
    private static let mostEntities = 2_000
    /// The maximum number of properties of all entities, inherited ones included.
    private static let mostProperties = 50_000
    /// The deepest nesting of composites.
    private static let mostDepth = 8

    private let archive: KeyedArchive
    private var propertiesLeft = mostProperties
    /// The number of values that defaults may still have.
    private var valuesLeft = ArchivedValue.mostValues

    /// The model in the content of the cache.
    ///
    /// - Throws: If it is damaged, too large, or no model.
    static func model(_ content: [UInt8]) throws(UnreadableArchive) -> ManagedModel {
        let bytes = try Inflate.bytes(content, limit: mostBytes)
        return try model(archive: bytes)
    }

    /// The model in an archive that is not compressed.
    ///
    /// - Throws: As `model(_:)`.
    static func model(archive bytes: [UInt8]) throws(UnreadableArchive) -> ManagedModel {
        var cache = ModelCache(archive: try KeyedArchive(bytes, mostObjects: mostObjects))
        return try cache.model()
    }

    private init(archive: KeyedArchive) { self.archive = archive }

    private mutating func model() throws(UnreadableArchive) -> ManagedModel {
        guard try archive.className(of: archive.root) == "NSManagedObjectModel",
            let entities = try archive.field("NSEntities", of: archive.root)
        else { throw UnreadableArchive("the archive is not of a model") }
        var model = ManagedModel()
        for element in try members(of: entities) {
            guard let object = try archive.resolved(element) else { continue }
            guard model.entities.count < Self.mostEntities else {
                throw UnreadableArchive("the model has more than \(Self.mostEntities) entities")
            }
            model.entities.append(try entity(object))
        }
        model.entities.sort { $0.name < $1.name }
        for (one, next) in zip(model.entities, model.entities.dropFirst()) where one.name == next.name {
            throw UnreadableArchive("the model has two entities of one name")
        }
        try requireTree(model)
        if let identifiers = try archive.field("NSVersionIdentifiers", of: archive.root) {
            for element in try archive.elements("NS.objects", of: identifiers) ?? [] {
                if let text = try archive.text(element) { model.versionIdentifiers.append(text) }
            }
        }
        model.versionIdentifiers.sort()
        return model
    }

    /// Entities inherit in no circle, from entities that exist.
    private func requireTree(_ model: ManagedModel) throws(UnreadableArchive) {
        let parents = Dictionary(uniqueKeysWithValues: model.entities.map { ($0.name, $0.superentity) })
        var rooted: Set<String> = []
        for entity in model.entities {
            var path: Set<String> = []
            var name = entity.name
            while !rooted.contains(name), path.insert(name).inserted {
                guard let parent = parents[name] else {
                    throw UnreadableArchive("the model has an entity whose parent is missing")
                }
                guard let parent else {
                    rooted.formUnion(path)
                    break
                }
                name = parent
            }
            guard rooted.contains(name) else {
                throw UnreadableArchive("the model has entities that inherit in a circle")
            }
            rooted.formUnion(path)
        }
    }

    /// The values of a dictionary, as either kind archives them.
    private func members(of dictionary: KeyedArchive.Object) throws(UnreadableArchive) -> [KeyedArchive
        .Object]
    {
        if let values = try archive.elements("NS.objects", of: dictionary) { return values }
        if let values = try archive.field("values", of: dictionary),
            let elements = try archive.elements("NS.objects", of: values)
        {
            return elements
        }
        throw UnreadableArchive("the model has a damaged collection")
    }

    private mutating func entity(_ object: KeyedArchive.Object) throws(UnreadableArchive) -> ManagedEntity {
        guard try archive.className(of: object) == "NSEntityDescription",
            let name = try archive.text("NSEntityName", of: object), !name.isEmpty
        else { throw UnreadableArchive("the model has a damaged entity") }
        var entity = ManagedEntity(name: name)
        if let parent = try archive.field("NSSuperentity", of: object) {
            guard let parentName = try archive.text("NSEntityName", of: parent) else {
                throw UnreadableArchive("the model has a damaged entity")
            }
            entity.superentity = parentName
        }
        entity.isAbstract = try archive.integer("NSIsAbstract", of: object) == 1
        entity.renamingIdentifier = try renaming(of: object, from: name)
        if let properties = try archive.field("NSProperties", of: object) {
            for element in try members(of: properties) { try add(element, to: &entity) }
        }
        entity.attributes.sort { $0.name < $1.name }
        entity.relationships.sort { $0.name < $1.name }
        entity.uniqueConstraints = try uniqueConstraints(of: object)
        return entity
    }

    private func renaming(of object: KeyedArchive.Object, from name: String) throws(UnreadableArchive)
        -> String?
    {
        let identifier = try archive.text("NSRenamingIdentifier", of: object)
        return identifier == name ? nil : identifier
    }

    private mutating func add(
        _ reference: KeyedArchive.Object, to entity: inout ManagedEntity
    ) throws(UnreadableArchive) {
        propertiesLeft -= 1
        guard propertiesLeft >= 0 else {
            throw UnreadableArchive("the model has more than \(Self.mostProperties) properties")
        }
        guard var property = try archive.resolved(reference) else { return }
        if try archive.className(of: property) == "_NSPropertyDescriptionProxy" {
            // An inherited property; the proxy of a proxy does not occur.
            guard let original = try archive.field("NSUnderlyingProperty", of: property) else {
                throw UnreadableArchive("the model has an inherited property that is missing")
            }
            property = original
        }
        switch try archive.className(of: property) {
        case "NSAttributeDescription", "NSDerivedAttributeDescription", "NSCompositeAttributeDescription":
            entity.attributes.append(try attribute(property, depth: 0))
        case "NSRelationshipDescription": entity.relationships.append(try relationship(property))
        // These have no columns.
        case "NSFetchedPropertyDescription", "NSExpressionDescription": break
        default: throw UnreadableArchive("the model has a property of an unknown class")
        }
    }

    private mutating func attribute(
        _ object: KeyedArchive.Object, depth: Int
    ) throws(UnreadableArchive) -> ManagedAttribute {
        guard let name = try archive.text("NSPropertyName", of: object), !name.isEmpty,
            let number = try archive.integer("NSAttributeType", of: object)
        else { throw UnreadableArchive("the model has a damaged attribute") }
        guard let type = ManagedType(rawValue: number) else {
            throw UnreadableArchive("the model has an attribute of an unknown type")
        }
        var attribute = ManagedAttribute(name: name, type: type)
        (attribute.isOptional, attribute.isTransient, _) = try flags(of: object)
        attribute.isExternal = (try archive.integer("NSFlagsKey", of: object) ?? 0) & 4 != 0
        attribute.renamingIdentifier = try renaming(of: object, from: name)
        if type != .transformable, let value = try archive.field("NSDefaultValue", of: object) {
            // One of a class that is not known, such as an enum of the app's own, is no reason to do without the model.
            attribute.defaultValue = try? ArchivedValue(value, of: archive, &valuesLeft)
        }
        guard type == .composite else { return attribute }
        guard depth < Self.mostDepth, let elements = try archive.field("NSCompositeElements", of: object)
        else {
            throw UnreadableArchive("the model has a composite that is damaged or nests too deeply")
        }
        for element in try archive.elements("NS.objects", of: elements) ?? [] {
            propertiesLeft -= 1
            guard propertiesLeft >= 0, let part = try archive.resolved(element) else {
                throw UnreadableArchive("the model has a composite that is damaged or too large")
            }
            attribute.elements.append(try self.attribute(part, depth: depth + 1))
        }
        return attribute
    }

    private func relationship(
        _ object: KeyedArchive.Object
    ) throws(UnreadableArchive) -> ManagedRelationship {
        guard let name = try archive.text("NSPropertyName", of: object), !name.isEmpty,
            let destination = try destinationName(of: object),
            let rule = ManagedRelationship.DeleteRule(
                rawValue: try archive.integer("NSDeleteRule", of: object) ?? 1)
        else { throw UnreadableArchive("the model has a damaged relationship") }
        var relationship = ManagedRelationship(
            name: name, destination: destination,
            inverse: try archive.text("_NSInverseRelationshipName", of: object),
            isToMany: try archive.integer("NSMaxCount", of: object) ?? 1 != 1, deleteRule: rule)
        let flags = try flags(of: object)
        (relationship.isOptional, relationship.isTransient) = (flags.isOptional, flags.isTransient)
        relationship.isOrdered = flags.isOrdered
        relationship.renamingIdentifier = try renaming(of: object, from: name)
        return relationship
    }

    private func destinationName(of object: KeyedArchive.Object) throws(UnreadableArchive) -> String? {
        if let name = try archive.text("_NSDestinationEntityName", of: object) { return name }
        guard let entity = try archive.field("NSDestinationEntity", of: object) else { return nil }
        return try archive.text("NSEntityName", of: entity)
    }

    /// The flags, which newer archives also have as bits of `_P`.
    private func flags(
        of object: KeyedArchive.Object
    ) throws(UnreadableArchive) -> (isOptional: Bool, isTransient: Bool, isOrdered: Bool) {
        let bits = try archive.integer("_P", of: object) ?? 0
        let isOptional = try archive.integer("NSIsOptional", of: object) == 1
        let isTransient = try archive.integer("NSIsTransient", of: object) == 1
        let isOrdered = try archive.integer("NSIsOrdered", of: object) == 1
        return (bits & 2 != 0 || isOptional, bits & 8 != 0 || isTransient, bits & 0x400 != 0 || isOrdered)
    }

    private func uniqueConstraints(of object: KeyedArchive.Object) throws(UnreadableArchive) -> [[String]] {
        guard let tuples = try archive.field("NSUniqueTuples", of: object) else { return [] }
        var constraints: [[String]] = []
        for tuple in try archive.elements("NS.objects", of: tuples) ?? [] {
            guard let tuple = try archive.resolved(tuple) else { continue }
            var names: [String] = []
            for element in try archive.elements("NS.objects", of: tuple) ?? [] {
                guard let name = try archive.text(element) else {
                    throw UnreadableArchive("the model has a damaged unique constraint")
                }
                names.append(name)
            }
            constraints.append(names)
        }
        return constraints
    }
}
