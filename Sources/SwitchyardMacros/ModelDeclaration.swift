import SwiftSyntax
import SwiftSyntaxBuilder

/// A struct marked `@Model`, as the macro read it.
struct ModelDeclaration {
    /// The struct's name as code spells it, with backticks where it needs them.
    let identifier: String
    /// The name in the schema.
    let name: String
    /// The access level of the generated members.
    let access: Access
    /// The type that contains the struct, or a placeholder type for a model at file scope.
    let version: String
    /// What is special about its rows.
    let options: ModelOptions
    /// The properties with a column, in the order of the struct.
    var stored: [StoredProperty] = []
    /// The to-many properties.
    var toMany: [ToManyProperty] = []
    /// The indexes.
    var indexes: [ConstraintText] = []
    /// The unique constraints.
    var uniques: [ConstraintText] = []
    /// The parameter labels of the struct's own initialisers.
    var initializers: [[String]] = []
    /// The struct's own type aliases.
    var aliases: Set<String> = []

    /// The spellings of the type of the model's own id.
    var identifierTypes: [String] {
        ["ID", "Self.ID", "Identifier<Self>", "\(identifier).ID", "Identifier<\(identifier)>"]
    }

    /// The access of the memberwise initialiser.
    ///
    /// It is the model's own, unless a property is less visible: its type may then be hidden too, so the
    /// initialiser gets the property's access.
    var initializerAccess: Access {
        stored.filter { !$0.type.isPublic && !identifierTypes.contains($0.type.wrapped) }
            .reduce(access) { min($0, $1.access) }
    }

    /// The properties in the order of the columns: `id` first.
    var attributes: [StoredProperty] {
        stored.filter { $0.name == "id" } + stored.filter { $0.name != "id" }
    }
}

/// One index or unique constraint, as read by `@Model`.
struct ConstraintText {
    /// The attributes' names.
    let names: [String]
    /// The closure of the filter as written.
    let filter: String?
    /// The expression of `nilsAreDistinct` as written.
    let nilsAreDistinct: String?
    /// The expression of `merge` as written.
    let merge: String?

    /// Whether another one is the same but for its policy.
    func isSame(as other: ConstraintText) -> Bool {
        names == other.names && filter == other.filter && nilsAreDistinct == other.nilsAreDistinct
    }

    /// The arguments of the call on `EntityDeclaration` that declares it.
    func arguments(in model: String) -> String {
        var arguments = ["[\(names.map { "\"\($0)\"" }.joined(separator: ", "))]"]
        if let filter { arguments.append("where: #Predicate<\(model)> \(filter)") }
        if let nilsAreDistinct { arguments.append("nilsAreDistinct: \(nilsAreDistinct)") }
        if let merge { arguments.append("merge: \(merge)") }
        return arguments.joined(separator: ", ")
    }
}

extension ModelDeclaration {
    /// All members that the macro adds to the struct.
    var members: [DeclSyntax] {
        var members = typeAliases + [entityName, entity, attributeName]
        if !initializers.contains(stored.map(\.name)) { members.append(memberwiseInitializer) }
        return members + [reading, writing]
    }

    /// The type aliases that other declarations refer to.
    ///
    /// A model with an error gets them too, so that references to it do not fail as well.
    var typeAliases: [DeclSyntax] {
        var members: [DeclSyntax] = []
        if !aliases.contains("ID") {
            members.append("\(raw: access.modifier)typealias ID = Switchyard.Identifier<\(raw: identifier)>")
        }
        if !aliases.contains("ModelVersion") {
            members.append("\(raw: access.modifier)typealias ModelVersion = \(raw: version)")
        }
        return members
    }

    private var entityName: DeclSyntax {
        "nonisolated \(raw: access.modifier)static var entityName: Swift.String { \"\(raw: name)\" }"
    }

    private var entity: DeclSyntax {
        var lines: [String] = []
        for (index, attribute) in attributes.enumerated() {
            lines.append("let attribute\(index) = declaration.attribute(\(attribute.description))")
            lines.append("declaration.add(attribute\(index))")
            if let history = attribute.history {
                lines.append("declaration.keep(.\(history), inHistoryOf: \"\(attribute.name)\")")
            }
            if let merge = attribute.merge {
                lines.append("declaration.merge(\"\(attribute.name)\", by: \(merge))")
            }
        }
        for (index, relationship) in toMany.enumerated() {
            lines.append("let relationship\(index) = declaration.relationship(\(relationship.description))")
            lines.append("declaration.add(relationship\(index))")
        }
        for index in indexes { lines.append("declaration.index(\(index.arguments(in: identifier)))") }
        for unique in uniques { lines.append("declaration.unique(\(unique.arguments(in: identifier)))") }
        if options.isLeftOutOfHistory { lines.append("declaration.leaveOutOfHistory()") }
        if let policy = options.deletedRows {
            lines.append("declaration.merge(deletedRowsBy: \(policy))")
        }
        return """
            nonisolated \(raw: access.modifier)static let entity: Swift.Result<Switchyard._Entity, Switchyard.StoreError> = {
                var declaration = Switchyard._EntityDeclaration<\(raw: identifier)>()
                \(raw: lines.joined(separator: "\n    "))
                return declaration.entity
            }()
            """
    }

    private var attributeName: DeclSyntax {
        let cases = (attributes.map { ($0.identifier, $0.name) } + toMany.map { ($0.identifier, $0.name) })
            .map { "case \\\(identifier).\($0): \"\($1)\"" }
        return """
            nonisolated \(raw: access.modifier)static func attributeName(
                of keyPath: Swift.PartialKeyPath<\(raw: identifier)>
            ) -> Swift.String? {
                switch keyPath {
                \(raw: cases.joined(separator: "\n    "))
                default: nil
                }
            }
            """
    }

    private var memberwiseInitializer: DeclSyntax {
        let parameters = stored.map(\.parameter).joined(separator: ",\n    ")
        let assignments = stored.map { "self.\($0.identifier) = \($0.identifier)" }
        return """
            nonisolated \(raw: initializerAccess.modifier)init(
                \(raw: parameters)
            ) {
                \(raw: assignments.joined(separator: "\n    "))
            }
            """
    }

    private var reading: DeclSyntax {
        """
        nonisolated \(raw: access.modifier)init(from row: inout Switchyard._RowReader) throws {
            \(raw: attributes.map(\.reading).joined(separator: "\n    "))
        }
        """
    }

    private var writing: DeclSyntax {
        """
        nonisolated \(raw: access.modifier)func encode(into row: inout Switchyard._RowWriter) throws {
            \(raw: attributes.map(\.writing).joined(separator: "\n    "))
        }
        """
    }

    /// The requirement of `Encodable`: the attributes by their names.
    var encoding: DeclSyntax {
        """
        nonisolated \(raw: access.modifier)func encode(to encoder: any Swift.Encoder) throws {
            try Switchyard._EncodedRow(self).encode(to: encoder)
        }
        """
    }

    /// The requirement of `Decodable`.
    var decoding: DeclSyntax {
        """
        nonisolated \(raw: access.modifier)init(from decoder: any Swift.Decoder) throws {
            self = try Switchyard._EncodedRow<Self>(from: decoder).model
        }
        """
    }
}
