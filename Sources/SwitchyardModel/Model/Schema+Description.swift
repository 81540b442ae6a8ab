internal import Foundation

extension Schema {
    /// The SHA-256 of the printed entities and the names of filtered indexes and constraints, in hexadecimal.
    ///
    /// The version is not part of it.
    public var fingerprint: String { (lines + filteredNames).joined(separator: "\n").sha256 }

    /// The entities, one line for each part.
    private var lines: [String] {
        entities.flatMap { entity in
            let table = entity.table == entity.name ? "" : " in the table \(entity.table)"
            return ["entity \(entity.name)\(table)"] + entity.lines().map { "  \($0)" }
        }
    }

    /// The names that contain a hash of the filter: two different filters can print alike, but their indexes have
    /// different names.
    private var filteredNames: [String] {
        entities.flatMap { entity in
            entity.indexes.filter { $0.filter != nil }.map { $0.name(in: entity) }
                + entity.uniqueConstraints.filter { $0.filter != nil }.map { $0.name(in: entity) }
        }
    }
}

extension Schema: CustomStringConvertible {
    /// The schema as text, with a line for each attribute, relationship, index and constraint, always in the same
    /// order.
    public var description: String {
        (["schema \(version.description) \(fingerprint)"] + lines).joined(separator: "\n")
    }
}

extension Entity {
    /// One line for each part.
    func lines() -> [String] {
        attributes.map(\.line)
            + relationships.map {
                "\($0.name): many \($0.target) by \($0.inverse), on delete \($0.deleteRule.rawValue)"
            }
            + indexes.map { "index (\($0.attributes.joined(separator: ", ")))" + Self.suffix($0.filter) }
            + uniqueConstraints.map {
                "unique (\($0.attributes.joined(separator: ", ")))" + Self.suffix($0.filter)
                    + ($0.nilsAreDistinct ? "" : ", nil only once")
            }
    }

    private static func suffix(_ filter: Condition?) -> String {
        filter.map { " where \($0)" } ?? ""
    }
}

extension Attribute {
    /// The attribute in one line.
    var line: String {
        var text = "\(name): \(reference.map { "\($0).id" } ?? type.rawValue)\(isOptional ? "?" : "")"
        if let defaultValue { text += " = \(defaultValue.literal)" }
        if let cases { text += " in (\(cases.map(\.literal).joined(separator: ", ")))" }
        switch domain {
        case .integers(let range): text += " in \(range.lowerBound)...\(range.upperBound)"
        case .singlePrecision: text += " of single precision"
        case nil: break
        }
        if column != name { text += ", column \(column)" }
        if isSearchable { text += ", searchable" }
        return text
    }
}
