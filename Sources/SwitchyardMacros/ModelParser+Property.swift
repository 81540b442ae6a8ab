import SwiftDiagnostics
import SwiftSyntax

extension ModelParser {
    /// Reads the properties of one `let` or `var`.
    mutating func read(_ variable: VariableDeclSyntax, into model: inout ModelDeclaration) {
        guard variable.modifiers.first(of: [.static, .class]) == nil else { return }
        if let relationship = variable.attribute("Relationship") {
            return readToMany(variable, relationship, into: &model)
        }
        if variable.attribute("Transient") != nil { return checkTransient(variable) }
        if let modifier = variable.modifiers.first(of: [.lazy, .weak, .unowned]) {
            return report(
                modifier,
                ModelDiagnostic(
                    "modifier",
                    "a stored property of a model cannot be \(modifier.name.text); mark it @Transient to keep it out of "
                        + "the store"), fixIts: transientCorrections(variable))
        }
        for (binding, type) in variable.typedBindings {
            if let property = read(binding, of: variable, type: type, model: model) {
                model.stored.append(property)
            }
        }
    }

    private mutating func read(
        _ binding: PatternBindingSyntax, of variable: VariableDeclSyntax, type annotation: TypeSyntax?,
        model: ModelDeclaration
    ) -> StoredProperty? {
        let attribute = variable.attribute("Attribute")
        let access = variable.modifiers.access ?? .internal
        if binding.isComputed {
            if let attribute {
                report(attribute, ModelDiagnostic("computed", "a computed property has no column"))
            }
            return nil
        }
        guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
            report(
                binding.pattern,
                ModelDiagnostic(
                    "pattern", "declare each stored property of a model by itself, not in a tuple"))
            return nil
        }
        let name = pattern.identifier.plainText
        // Errors in an id are reported together, with the one correct declaration.
        guard name != "id" else { return identifierProperty(access) }
        checkName(name, of: "a stored property", at: pattern)
        let isNew = claim(name, as: "property", at: pattern)
        guard let annotation else {
            reportMissingType(binding, name: name)
            return nil
        }
        let type = PropertyType(annotation)
        guard type.lastName != "ToMany" else {
            reportMissingRelationship(variable, type: type, name: name, model: model)
            return nil
        }
        if let refusal = type.refusal {
            let corrections = type.corrections
            report(
                annotation, refusal,
                fixIts: corrections.isEmpty ? transientCorrections(variable) : corrections)
            return nil
        }
        if variable.bindingSpecifier.tokenKind == .keyword(.let), binding.initializer != nil {
            reportConstant(variable, name: name)
        }
        let options = attribute.map { readOptions($0, type: type) } ?? AttributeOptions()
        if options.column == nil { checkColumn(name, at: pattern) }
        if isNew { claim(options.column ?? name, as: "column", at: pattern) }
        return StoredProperty(
            identifier: pattern.identifier.text, name: name, type: type,
            initialValue: binding.initializer.flatMap { readDefault($0.value, type: type) },
            column: options.column, isSearchable: options.isSearchable, history: options.history,
            merge: options.merge, access: access)
    }

    private mutating func readDefault(_ expression: ExprSyntax, type: PropertyType) -> InitialValue? {
        do throws(ModelDiagnostic) {
            return try InitialValue(expression, type: type)
        } catch {
            report(expression, error)
            return nil
        }
    }

    /// The property `id`, which has only one valid spelling.
    private func identifierProperty(_ access: Access) -> StoredProperty {
        StoredProperty(
            identifier: "id", name: "id",
            type: PropertyType(TypeSyntax(IdentifierTypeSyntax(name: .identifier("ID")))),
            initialValue: nil, column: nil, isSearchable: false, history: nil, merge: nil, access: access)
    }

    private mutating func reportConstant(_ variable: VariableDeclSyntax, name: String) {
        let keyword = variable.bindingSpecifier
        report(
            keyword,
            ModelDiagnostic(
                "constant", "'\(name)' already has a value and cannot be read from a row: make it a 'var'"),
            fixIts: [.replacing("make it a 'var'", keyword, with: keyword.with(\.tokenKind, .keyword(.var)))])
    }

    /// Checks that a transient property has a default, because reading a row does not set it.
    private mutating func checkTransient(_ variable: VariableDeclSyntax) {
        for binding in variable.bindings where !binding.isComputed && !variable.hasDefault(binding) {
            report(
                binding.pattern,
                ModelDiagnostic(
                    "transient", "a @Transient property needs a default: it is not read from the row"))
        }
    }
}

extension ModelParser {
    /// Offers to keep a property out of the store, if it has the default that this requires.
    private func transientCorrections(_ variable: VariableDeclSyntax) -> [FixIt] {
        guard let binding = variable.bindings.first, variable.bindings.count == 1,
            variable.hasDefault(binding)
        else { return [] }
        let attribute = AttributeSyntax(
            leadingTrivia: variable.leadingTrivia, atSign: .atSignToken(),
            attributeName: IdentifierTypeSyntax(name: .identifier("Transient")), trailingTrivia: .space)
        var fixed = variable.with(\.leadingTrivia, [])
        fixed.attributes = AttributeListSyntax([.attribute(attribute)] + Array(fixed.attributes))
        return [.replacing("mark it @Transient", variable, with: fixed)]
    }
}

extension VariableDeclSyntax {
    /// Whether a property has a default value; an optional variable has one implicitly.
    fileprivate func hasDefault(_ binding: PatternBindingSyntax) -> Bool {
        binding.initializer != nil
            || binding.typeAnnotation?.type.is(OptionalTypeSyntax.self) == true
                && bindingSpecifier.tokenKind != .keyword(.let)
    }

    /// The bindings with their types: in `var a, b: Int` both have the type at the end.
    fileprivate var typedBindings: [(PatternBindingSyntax, TypeSyntax?)] {
        var inherited: TypeSyntax?
        let reversed = bindings.reversed().map { binding in
            if let annotation = binding.typeAnnotation {
                inherited = annotation.type
            } else if binding.initializer != nil {
                inherited = nil
            }
            return (binding, inherited)
        }
        return reversed.reversed()
    }
}

extension PatternBindingSyntax {
    /// Whether the property has a getter instead of storage; observers do not remove storage.
    var isComputed: Bool {
        switch accessorBlock?.accessors {
        case nil: false
        case .getter: true
        case .accessors(let accessors):
            accessors.contains {
                ![.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
            }
        }
    }
}
