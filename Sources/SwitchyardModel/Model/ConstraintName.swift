/// The names of constraints and indexes: the same on every backend, in `StoreError.constraint` and in the database.
///
/// A name joins its kind, its entity's table and its attributes with underscores, such as
/// `unique_FeedSession_profile_startTime`. It ends in a hash of the whole if it would be ambiguous (a part contains an
/// underscore, or the constraint has a filter) or longer than 63 bytes.
public enum ConstraintName {
    /// The primary key of an entity, such as `primary_FeedSession`.
    public static func primaryKey(of entity: Entity) -> String {
        name("primary", [entity.table])
    }

    /// The check that an enum's raw value is one of its cases, or a number in its attribute's domain, such as
    /// `check_FeedSession_feedType`.
    public static func check(_ attribute: Attribute, of entity: Entity) -> String {
        name("check", [entity.table, attribute.name])
    }

    /// The foreign key of a to-one attribute, such as `reference_FeedSession_profile`.
    ///
    /// If a backend creates an index for it, the index has the same name.
    public static func reference(_ attribute: Attribute, of entity: Entity) -> String {
        name("reference", [entity.table, attribute.name])
    }

    fileprivate static func name(_ kind: String, _ parts: [String], distinction: String = "") -> String {
        let plain = ([kind] + parts).joined(separator: "_")
        let isAmbiguous = !distinction.isEmpty || parts.contains { $0.utf8.contains(UInt8(ascii: "_")) }
        guard isAmbiguous || plain.utf8.count > Limits.nameBytes else { return plain }
        // No name contains a space, so the hashed text distinguishes ("a_b", "c") from ("a", "b_c").
        let whole = ([kind] + parts).joined(separator: " ") + " " + distinction
        let hash = whole.sha256.prefix(10)
        // Names are ASCII, so cutting at a byte cuts at a character.
        return String(decoding: plain.utf8.prefix(Limits.nameBytes - hash.utf8.count - 1), as: UTF8.self)
            + "_" + hash
    }

    fileprivate static func filterText(_ filter: Condition?) -> String {
        // A condition contains only strings, numbers and other conditions, which always encode.
        filter.flatMap { try? CanonicalJSON.encoded($0) } ?? ""
    }
}

extension UniqueConstraint {
    /// The name of the constraint in an entity, such as `unique_FeedSession_profile_startTime`.
    public func name(in entity: Entity) -> String {
        ConstraintName.name(
            "unique", [entity.table] + attributes,
            distinction: ConstraintName.filterText(filter) + (nilsAreDistinct ? "" : " nils are equal"))
    }

    /// The name of the second index, over rows with a nil, that a backend may need to treat nils as equal.
    public func nameForNils(in entity: Entity) -> String {
        ConstraintName.name(
            "unique", [entity.table] + attributes, distinction: ConstraintName.filterText(filter) + " nils")
    }
}

extension Index {
    /// The name of the index in an entity, such as `index_FeedSession_startTime`.
    public func name(in entity: Entity) -> String {
        ConstraintName.name(
            "index", [entity.table] + attributes, distinction: ConstraintName.filterText(filter))
    }

    /// The name of this index's second index, over folded copies, if an attribute is searchable.
    public func foldedName(in entity: Entity) -> String {
        ConstraintName.name(
            "index", [entity.table] + attributes, distinction: ConstraintName.filterText(filter) + " folded")
    }
}
