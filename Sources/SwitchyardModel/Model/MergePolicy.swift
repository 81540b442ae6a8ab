/// How a mirror's server merges two edits of one attribute that did not see each other.
///
/// An edit whose value before is the current one has seen everything, and is written; the policy decides all others. A
/// policy is no part of the schema's structure: changing it needs no new version and no migration.
public enum MergePolicy: Sendable, Hashable, Codable {
    /// The later edit wins, by the devices' clocks; the value that loses is kept in the conflict log.
    case lastEdit
    /// The edit that reaches the server last wins; the value that loses is kept in the conflict log.
    case serverOrder
    /// The greater value wins, of numbers, times, days and Bools; any value wins against nil.
    case maximum
    /// The lesser value wins, of numbers, times, days and Bools; any value wins against nil.
    case minimum
    /// The differences that both edits made are added up, of integers, doubles and decimals; nil counts as 0.
    ///
    /// A sum that the attribute cannot hold falls back to `lastEdit`.
    case counter
    /// An array keeps what either edit added, and loses what either edit removed; elements are compared by value, and an
    /// element is kept once.
    ///
    /// New elements follow the others, unless both arrays were in ascending order, which is then kept.
    case union
    /// A function of the app's decides, which is given to the server side under this name.
    ///
    /// Values that differ from its result are kept in the conflict log.
    case custom(String)
}

/// What an edit of a row does on a mirror's server if the row was deleted meanwhile.
public enum DeletedRowPolicy: String, Sendable, Hashable, Codable {
    /// The row stays deleted, and the conflict log keeps the edit.
    case delete
    /// The row comes back as it was when it was deleted, with the edit; rows that were deleted along with it do not.
    case resurrect
}

/// What a mirror's server does with a row whose unique key another row has already.
///
/// On a device, a key that is taken is always refused with `unique`.
public enum UniqueKeyPolicy: String, Sendable, Hashable, Codable {
    /// The mutation is rejected, and the device keeps it in quarantine.
    case reject
    /// The arriving row is merged into the row that has the key, by the policies of its attributes, and the references to
    /// it are moved there.
    ///
    /// Values that are not kept are in the conflict log. A nil never replaces a value, and counters are added up.
    case mergeInto
    /// The last plain text of the key gets a suffix made from the row's id, such as “Park (7f3a)”.
    ///
    /// The text without the suffix is kept in the conflict log.
    case rename
}

extension AttributeType {
    /// Whether `maximum` and `minimum` can compare values.
    var isMeasurable: Bool {
        switch self {
        case .bool, .int, .double, .decimal, .timestamp, .day: true
        case .text, .blob, .uuid, .json: false
        }
    }
}

extension MergePolicy {
    /// Why an attribute cannot have the policy, as the end of a sentence about it; nil if it can.
    func refusal(of attribute: Attribute) -> String? {
        switch self {
        // What an attribute has that names none.
        case .lastEdit: return nil
        case .serverOrder: break
        case .maximum, .minimum:
            guard attribute.type.isMeasurable else {
                return "by the greater or the lesser value, which only numbers, times, days and Bools have"
            }
        case .counter:
            guard [.int, .double, .decimal].contains(attribute.type), attribute.cases == nil else {
                return "as a counter, which only a number can be"
            }
        case .union:
            guard attribute.type == .json else { return "as a union, which only an array can be" }
        case .custom(let name):
            guard !name.isEmpty else { return "by a function without a name" }
        }
        switch attribute.history {
        case .leftOut: return "although it is left out of the history, so that no edit of it is sent"
        case .withoutEarlierValues where self == .counter || self == .union:
            return "by the values before its edits, which its history does not keep"
        case .whole, .withoutEarlierValues: return nil
        }
    }
}

extension UniqueConstraint {
    /// The position of the attribute that gets a suffix if the key is taken: the last text that is not one of an enum's.
    ///
    /// - Returns: Nil if the key has no such text.
    package func renamed(in entity: Entity) -> Int? {
        attributes.reversed().lazy.compactMap { entity.column($0) }.first { position in
            let attribute = entity.attributes[position]
            return attribute.type == .text && attribute.cases == nil
        }
    }
}
