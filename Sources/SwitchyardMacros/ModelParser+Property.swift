import SwiftDiagnostics
import SwiftSyntax

extension ModelParser {
    /// Reads the properties of one `let` or `var`.
    mutating func read(_ variable: VariableDeclSyntax, into model: inout ModelDeclaration) {
        guard variable.modifiers.first(of: [.static, .class]) == nil else { return }
        if let relationship = variable.attribute("Relationship") {
            return readToMany(variable, relationship, into: &model)
        }
        if let modifier = variable.modifiers.first(of: [.lazy, .weak, .unowned]),
            variable.attribute("Transient") == nil || modifier.name.text == "lazy"
        {
            return report(
                modifier,
                ModelDiagnostic(
                    "modifier", "a stored property of a model cannot be \(modifier.name.text)"))
        }
        // `var a, b: Int` gives both the type that comes last.
        var inherited: TypeSyntax?
        var properties: [StoredProperty] = []
        for binding in variable.bindings.reversed() {
            if let annotation = binding.typeAnnotation {
                inherited = annotation.type
            } else if binding.initializer != nil {
                inherited = nil
            }
            if binding.isComputed { continue }
            if let property = readStored(binding, of: variable, type: inherited) { properties.append(property) }
        }
        model.stored += properties.reversed()
    }

    private mutating func readStored(
        _ binding: PatternBindingSyntax, of variable: VariableDeclSyntax, type annotation: TypeSyntax?
    ) -> StoredProperty? {
        guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
            report(
                binding.pattern,
                ModelDiagnostic("pattern", "declare each stored property of a model by itself, not as a tuple"))
            return nil
        }
        let name = pattern.identifier.plainText
        let isTransient = variable.attribute("Transient") != nil
        guard let annotation else {
            if !isTransient { reportMissingType(binding, name: name) }
            return nil
        }
        let type = PropertyType(annotation)
        if !isTransient, let refusal = type.refusal {
            report(annotation, refusal)
            return nil
        }
        var options = AttributeOptions()
        if let attribute = variable.attribute("Attribute") { options = readOptions(attribute) }
        return StoredProperty(
            identifier: pattern.identifier.text, name: name, type: type,
            initialValue: binding.initializer.map { InitialValue($0.value, type: type) },
            isTransient: isTransient, column: options.column, isSearchable: options.isSearchable)
    }
}

extension PatternBindingSyntax {
    /// Whether the property has a getter rather than storage; observers leave it its storage.
    var isComputed: Bool {
        switch accessorBlock?.accessors {
        case nil: false
        case .getter: true
        case .accessors(let accessors):
            accessors.contains { ![.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind) }
        }
    }
}
