/// A keyed archive (`NSKeyedArchiver`), whose objects are looked at one by one and never created.
struct KeyedArchive: Sendable {
    typealias Object = BinaryPropertyList.Object

    /// The most fields that an archived object may have.
    private static let mostFields = 64

    private let list: BinaryPropertyList
    /// The positions of the archived objects in the property list.
    private let slots: [Int]
    /// The archived object at the top.
    let root: Object

    /// Opens an archive.
    ///
    /// - Parameters:
    ///   - bytes: A binary property list.
    ///   - mostObjects: The maximum number of objects.
    /// - Throws: If it is not a keyed archive with an object `root`.
    init(_ bytes: [UInt8], mostObjects: Int) throws(UnreadableArchive) {
        list = try BinaryPropertyList(bytes, mostObjects: mostObjects)
        guard let objects = Self.field("$objects", of: list.objects[list.root], in: list),
            case .array(let slots) = objects,
            let top = Self.field("$top", of: list.objects[list.root], in: list),
            let root = Self.field("root", of: top, in: list)
        else { throw UnreadableArchive("it is not a keyed archive") }
        self.slots = slots
        guard let target = Self.target(of: root, slots, list) else { throw Self.missing }
        if case .uid = target { throw Self.chained }
        self.root = target
    }

    /// The archived object that a value leads to: itself, unless it is a reference; nil for `$null`.
    ///
    /// - Throws: If the object is missing.
    func resolved(_ value: Object) throws(UnreadableArchive) -> Object? {
        guard let target = Self.target(of: value, slots, list) else { throw Self.missing }
        switch target {
        case .null, .string("$null"): return nil
        case .uid: throw Self.chained
        default: return target
        }
    }

    /// The archived object in a field; nil without the field and for `$null`.
    func field(_ name: String, of object: Object) throws(UnreadableArchive) -> Object? {
        guard let value = Self.field(name, of: object, in: list) else { return nil }
        return try resolved(value)
    }

    /// The objects of a field that holds an array.
    ///
    /// - Returns: References to the elements; nil without the field.
    func elements(_ name: String, of object: Object) throws(UnreadableArchive) -> [Object]? {
        guard case .array(let positions)? = Self.field(name, of: object, in: list) else { return nil }
        return positions.map { list.objects[$0] }
    }

    /// The name of the class of an archived object; nil for a plain value.
    func className(of object: Object) throws(UnreadableArchive) -> String? {
        guard let description = try field("$class", of: object),
            case .string(let name)? = Self.field("$classname", of: description, in: list)
        else { return nil }
        return name
    }

    /// The text of a string or mutable string in a field.
    func text(_ name: String, of object: Object) throws(UnreadableArchive) -> String? {
        guard let value = try field(name, of: object) else { return nil }
        return try text(value)
    }

    /// The text of an archived string or mutable string; nil for anything else.
    func text(_ value: Object) throws(UnreadableArchive) -> String? {
        guard let object = try resolved(value) else { return nil }
        if case .string(let text) = object { return text }
        if case .string(let text)? = try field("NS.string", of: object) { return text }
        return nil
    }

    /// The integer in a field; a truth value counts as 0 or 1.
    func integer(_ name: String, of object: Object) throws(UnreadableArchive) -> Int64? {
        switch try field(name, of: object) {
        case .integer(let number)?: number
        case .bool(let flag)?: flag ? 1 : 0
        default: nil
        }
    }

    private static func target(of value: Object, _ slots: [Int], _ list: BinaryPropertyList) -> Object? {
        guard case .uid(let number) = value else { return value }
        return slots.indices.contains(number) ? list.objects[slots[number]] : nil
    }

    /// The value of a key, which is not followed.
    private static func field(_ name: String, of object: Object, in list: BinaryPropertyList) -> Object? {
        guard case .dictionary(let keys, let values) = object, keys.count <= mostFields,
            let position = keys.firstIndex(where: { list.objects[$0] == .string(name) })
        else { return nil }
        return list.objects[values[position]]
    }

    private static var chained: UnreadableArchive {
        UnreadableArchive("the archive has a reference to a reference")
    }
    private static var missing: UnreadableArchive {
        UnreadableArchive("the archive refers to an object that is missing")
    }
}
