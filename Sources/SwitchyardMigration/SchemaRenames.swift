/// The entities and attributes that are renamed in the next version of a schema.
///
/// A part that is not renamed here and is missing from the next version counts as dropped. To-many
/// relationships have no values of their own, so their renames need no mention.
public struct SchemaRenames: Sendable, Hashable {
    /// The new names of entities, by their old names.
    public private(set) var entities: [String: String] = [:]
    /// The new names of attributes, by the old name of their entity and their own.
    public private(set) var attributes: [String: [String: String]] = [:]

    /// Creates a list without renames.
    public init() {}

    /// Gives an entity a new name.
    public mutating func rename(_ entity: String, to name: String) { entities[entity] = name }

    /// Gives an attribute a new name.
    ///
    /// - Parameters:
    ///   - attribute: The old name.
    ///   - entity: The entity's name in the older version.
    ///   - name: The new name.
    public mutating func rename(_ attribute: String, of entity: String, to name: String) {
        attributes[entity, default: [:]][attribute] = name
    }

    /// The name of an entity in the newer version.
    func newName(of entity: String) -> String { entities[entity] ?? entity }

    /// The name of an attribute in the newer version.
    func newName(of attribute: String, in entity: Entity) -> String {
        attributes[entity.name]?[attribute] ?? attribute
    }

    /// Checks that the renames lead from one schema to another.
    ///
    /// - Throws: `schemaInvalid`, naming the rename that does not.
    func validate(from old: Schema, to new: Schema) throws {
        for (name, newName) in entities.sorted(by: { $0.key < $1.key }) {
            guard old.entity(name) != nil, let target = new.entity(newName) else {
                throw Self.fault(
                    "\(name) is renamed to \(newName), but version \(old.version) has no \(name), or version \(new.version) "
                        + "no \(newName)", newName)
            }
            try requireSingle(target.name, among: old.entities.map { self.newName(of: $0.name) }, name)
        }
        for (entityName, names) in attributes.sorted(by: { $0.key < $1.key }) {
            guard let entity = old.entity(entityName), let target = new.entity(newName(of: entityName)) else {
                throw Self.fault(
                    "attributes of \(entityName) are renamed, which is not in both versions", entityName)
            }
            for (name, newName) in names.sorted(by: { $0.key < $1.key }) {
                guard entity.attribute(name) != nil, target.attribute(newName) != nil, name != "id" else {
                    throw Self.fault(
                        "\(entityName).\(name) is renamed to \(newName), but version \(old.version) has no such attribute, or "
                            + "version \(new.version) no \(target.name).\(newName)", target.name)
                }
                try requireSingle(
                    newName, among: entity.attributes.map { self.newName(of: $0.name, in: entity) },
                    "\(entityName).\(name)")
            }
        }
    }

    private func requireSingle(_ name: String, among names: [String], _ old: String) throws {
        guard names.filter({ $0 == name }).count == 1 else {
            throw Self.fault("\(old) is renamed to \(name), a name that is already taken", name)
        }
    }

    private static func fault(_ message: String, _ entity: String) -> StoreError {
        StoreError(.schemaInvalid, "In the migration \(message).", entity: entity)
    }
}
