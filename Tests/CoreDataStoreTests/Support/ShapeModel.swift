/// Archives the model of a shape, as Core Data archives it beside the rows.
struct ShapeModel {
    private let shape: Shape
    private var writer = ArchiveWriter()
    private var entities: [String: WrittenObject] = [:]

    /// The archive, not compressed.
    static func bytes(_ shape: Shape) -> [UInt8] {
        var model = ShapeModel(shape: shape)
        return model.archive()
    }

    private init(shape: Shape) { self.shape = shape }

    private mutating func archive() -> [UInt8] {
        for entity in shape.entities { entities[entity.name] = writer.reserve() }
        var properties: [String: [(String, WrittenObject)]] = [:]
        for entity in shape.numbered {
            let inherited = (entity.parent.flatMap { properties[$0] } ?? []).map { name, original in
                (
                    name,
                    shape.usesProxies
                        ? writer.add(
                            "_NSPropertyDescriptionProxy",
                            [
                                ("NSUnderlyingProperty", original),
                                ("NSEntityDescription", entities[entity.name] ?? ArchiveWriter.null),
                            ]) : copy(name, of: entity.name)
                )
            }
            let own =
                entity.attributes.map { ($0.name, attribute($0)) }
                + entity.relationships.map { ($0.name, relationship($0)) }
            // A proxy is always of the original.
            properties[entity.name] =
                own + (shape.usesProxies ? originals(entity.parent, properties) : inherited)
            write(entity, inherited + own)
        }
        let elements = shape.entities.sorted { $0.name < $1.name }
        let list = writer.array(elements.compactMap { entities[$0.name] })
        let keys = writer.array(elements.map { writer.add(.string($0.name)) })
        let mapping = writer.add(
            "NSKnownKeysMappingStrategy1", [("keys", keys), ("length", .integer(Int64(elements.count)))])
        let known = writer.add("NSKnownKeysDictionary1", [("values", list), ("searchMapping", mapping)])
        let versions = writer.add("NSSet", [("NS.objects", .array([writer.add(.string("1.0.0"))]))])
        let root = writer.add(
            "NSManagedObjectModel",
            [
                ("NSEntities", known), ("NSVersionIdentifiers", versions),
                ("NSFetchRequestTemplates", ArchiveWriter.null),
            ])
        return writer.bytes(root: root)
    }

    private func originals(
        _ parent: String?, _ properties: [String: [(String, WrittenObject)]]
    ) -> [(String, WrittenObject)] { parent.flatMap { properties[$0] } ?? [] }

    private mutating func copy(_ name: String, of entity: String) -> WrittenObject {
        for ancestor in shape.line(entity) {
            if let found = ancestor.attributes.first(where: { $0.name == name }) { return attribute(found) }
            if let found = ancestor.relationships.first(where: { $0.name == name }) {
                return relationship(found)
            }
        }
        return ArchiveWriter.null
    }

    private mutating func write(_ entity: Shape.Entity, _ properties: [(String, WrittenObject)]) {
        guard let reference = entities[entity.name] else { return }
        let name = writer.add(.string(entity.name))
        let members = writer.dictionary(properties)
        let unique = entity.unique.map { names in writer.array(names.map { writer.add(.string($0)) }) }
        let tuples = unique.isEmpty ? ArchiveWriter.null : writer.array(unique)
        writer.set(
            reference, "NSEntityDescription",
            [
                ("NSEntityName", name), ("NSProperties", members), ("NSUniqueTuples", tuples),
                ("NSSuperentity", entity.parent.flatMap { entities[$0] } ?? ArchiveWriter.null),
                ("NSSubentities", ArchiveWriter.null), ("NSRenamingIdentifier", name),
            ] + (entity.isAbstract ? [("NSIsAbstract", .bool(true))] : []))
    }

    private mutating func attribute(_ attribute: Shape.Attribute) -> WrittenObject {
        let name = writer.add(.string(attribute.name))
        let value: WrittenObject
        if let name = attribute.defaultClass, case .dictionary(let fields)? = attribute.defaultValue {
            value = writer.add(name, fields)
        } else {
            value = attribute.defaultValue.map { writer.add($0) } ?? ArchiveWriter.null
        }
        var fields: [(String, WrittenObject)] = [
            ("NSPropertyName", name), ("NSRenamingIdentifier", name),
            ("NSAttributeType", .integer(attribute.type)),
            ("NSDefaultValue", value), ("NSFlagsKey", .integer(attribute.isExternal ? 4 : 0)),
            ("_P", .integer(attribute.isOptional ? 243 : 241)),
        ]
        if attribute.isOptional { fields.append(("NSIsOptional", .bool(true))) }
        guard attribute.type == 2100 else { return writer.add("NSAttributeDescription", fields) }
        let elements = attribute.elements.map { self.attribute($0) }
        fields.append(("NSCompositeElements", writer.array(elements)))
        return writer.add("NSCompositeAttributeDescription", fields)
    }

    private mutating func relationship(_ relationship: Shape.Relationship) -> WrittenObject {
        let name = writer.add(.string(relationship.name))
        let destination = writer.add(.string(relationship.destination))
        let inverse = relationship.inverse.map { writer.add(.string($0)) } ?? ArchiveWriter.null
        var fields: [(String, WrittenObject)] = [
            ("NSPropertyName", name), ("NSRenamingIdentifier", name),
            ("_NSDestinationEntityName", destination),
            ("_NSInverseRelationshipName", inverse), ("NSMaxCount", .integer(relationship.isToMany ? 0 : 1)),
            ("NSMinCount", .integer(0)), ("NSDeleteRule", .integer(relationship.deleteRule)),
            ("NSDestinationEntity", entities[relationship.destination] ?? ArchiveWriter.null),
            ("_P", .integer((relationship.isOptional ? 243 : 241) | (relationship.isOrdered ? 0x400 : 0))),
        ]
        if relationship.isOptional { fields.append(("NSIsOptional", .bool(true))) }
        if relationship.isOrdered { fields.append(("NSIsOrdered", .bool(true))) }
        return writer.add("NSRelationshipDescription", fields)
    }
}
