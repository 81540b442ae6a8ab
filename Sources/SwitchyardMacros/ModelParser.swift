import SwiftDiagnostics
import SwiftSyntax

/// Reads a struct marked `@Model` and collects diagnostics about it.
struct ModelParser {
    /// The declarations around the struct, innermost first.
    let lexicalContext: [Syntax]
    /// The errors found in the declaration.
    private(set) var diagnostics: [Diagnostic] = []
    /// The names and columns in use, in lower case.
    private var taken: Set<String> = []

    init(lexicalContext: [Syntax]) { self.lexicalContext = lexicalContext }

    /// Reads as much of the declaration as possible, and adds a diagnostic for everything invalid.
    ///
    /// - Returns: The declaration; nil if it cannot be a model at all.
    mutating func parse(_ declaration: some DeclGroupSyntax, attribute: AttributeSyntax) -> ModelDeclaration?
    {
        guard let structure = declaration.as(StructDeclSyntax.self) else {
            refuse(declaration, attribute: attribute)
            return nil
        }
        guard !isGeneric(structure) else { return nil }
        checkAccess(of: structure)
        checkName(structure.name.plainText, of: "a model", at: structure.name)
        var model = ModelDeclaration(
            identifier: structure.name.text, name: structure.name.plainText, access: access(of: structure),
            version: version, options: readModelOptions(attribute))
        for member in structure.memberBlock.members { read(member.decl, into: &model) }
        checkIdentifier(of: model, in: structure)
        checkInverses(of: model)
        checkConstraints(of: model, in: structure)
        return model
    }

    mutating func report(_ node: some SyntaxProtocol, _ message: ModelDiagnostic, fixIts: [FixIt] = []) {
        diagnostics.append(Diagnostic(node: node, message: message, fixIts: fixIts))
    }

    /// Reports a name that some backend does not accept.
    mutating func checkName(_ name: String, of what: String, at node: some SyntaxProtocol) {
        guard !name.isDatabaseName else { return }
        report(
            node,
            ModelDiagnostic(
                "name",
                "the name of \(what) must be 1 to 63 ASCII letters, digits or underscores, and not begin with "
                    + "'switchyard_' or 'sqlite_'"))
    }

    /// Reports a column name that PostgreSQL reserves for a system column.
    mutating func checkColumn(_ column: String, at node: some SyntaxProtocol) {
        guard ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"].contains(column.lowercased()) else {
            return
        }
        report(
            node,
            ModelDiagnostic(
                "systemColumn",
                "every table of PostgreSQL has a column '\(column)' of its own: give this one another name, as in "
                    + "'@Attribute(column: \"\(column)_value\")'"))
    }

    /// Claims a name or a column for one property, and reports it if it is taken, ignoring case.
    ///
    /// - Returns: Whether it was free.
    @discardableResult
    mutating func claim(_ name: String, as what: String, at node: some SyntaxProtocol) -> Bool {
        guard !taken.insert("\(what) \(name.lowercased())").inserted else { return true }
        report(
            node,
            ModelDiagnostic(
                "duplicate", "there is already a \(what) '\(name)': two names must differ in more than case"))
        return false
    }

    private mutating func read(_ member: DeclSyntax, into model: inout ModelDeclaration) {
        if let variable = member.as(VariableDeclSyntax.self) {
            read(variable, into: &model)
        } else if let macro = member.as(MacroExpansionDeclSyntax.self) {
            read(macro, into: &model)
        } else if let initializer = member.as(InitializerDeclSyntax.self) {
            model.initializers.append(
                initializer.signature.parameterClause.parameters.map(\.firstName.plainText))
        } else if let alias = member.as(TypeAliasDeclSyntax.self) {
            model.aliases.insert(alias.name.text)
        } else if let condition = member.as(IfConfigDeclSyntax.self) {
            checkConditional(condition)
        }
    }

    /// The access level of the conformance's members: that of the struct, or of the extension around it.
    ///
    /// Below `internal` no modifier is needed, because the struct limits its members.
    private func access(of structure: StructDeclSyntax) -> Access {
        let inherited = lexicalContext.first?.as(ExtensionDeclSyntax.self)?.modifiers.access
        return max(.internal, structure.modifiers.access ?? inherited ?? .internal)
    }

    /// The type that contains the struct, spelled from the outermost.
    private var version: String {
        var names: [String] = []
        for syntax in lexicalContext {
            if let around = syntax.as(ExtensionDeclSyntax.self) {
                return ([around.extendedType.trimmedDescription] + names).joined(separator: ".")
            }
            guard let around = syntax.asProtocol((any NamedDeclSyntax).self),
                syntax.asProtocol((any DeclGroupSyntax).self) != nil
            else { break }
            names.insert(around.name.text, at: 0)
        }
        return names.isEmpty ? "Switchyard._Unversioned" : names.joined(separator: ".")
    }
}

extension String {
    /// Whether every backend accepts the text as a name, as `Schema` requires.
    var isDatabaseName: Bool {
        (1...63).contains(utf8.count)
            && utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || byte == 95
            }
            && !lowercased().hasPrefix("switchyard_") && !lowercased().hasPrefix("sqlite_")
    }
}
