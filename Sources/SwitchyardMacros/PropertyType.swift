import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// The type of a property, as far as its spelling shows.
struct PropertyType {
    /// The type as written.
    let text: String
    /// The type without its optional.
    let wrapped: String
    /// Whether it is spelled as an optional.
    let isOptional: Bool
    /// Whether it is spelled as an array.
    let isArray: Bool
    /// The syntax without its optional.
    let syntax: TypeSyntax

    init(_ type: TypeSyntax) {
        text = type.trimmedDescription
        syntax = Self.unwrapped(type) ?? type
        isOptional = Self.unwrapped(type) != nil
        wrapped = syntax.trimmedDescription
        isArray = syntax.is(ArrayTypeSyntax.self)
    }

    /// The type inside `T?` or `Optional<T>`; nil for other types.
    private static func unwrapped(_ type: TypeSyntax) -> TypeSyntax? {
        if let optional = type.as(OptionalTypeSyntax.self) { return optional.wrappedType }
        guard let named = type.as(IdentifierTypeSyntax.self), named.name.text == "Optional",
            case .type(let argument) = named.genericArgumentClause?.arguments.first?.argument
        else { return nil }
        return argument
    }

    /// The last name of a type such as `Swift.UInt64` or `ToMany<FeedSession>`; nil for other forms.
    var lastName: String? {
        syntax.as(IdentifierTypeSyntax.self)?.name.plainText
            ?? syntax.as(MemberTypeSyntax.self)?.name.plainText
    }

    /// Whether it consists of types known to be public: those that Switchyard stores, `TimeInterval` and `URL`.
    var isPublic: Bool {
        if let array = syntax.as(ArrayTypeSyntax.self) { return PropertyType(array.element).isPublic }
        if let dictionary = syntax.as(DictionaryTypeSyntax.self) {
            return PropertyType(dictionary.key).isPublic && PropertyType(dictionary.value).isPublic
        }
        return Self.publicTypes.contains(lastName ?? "")
    }

    private static let publicTypes: Set = [
        "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "Double", "Float",
        "Decimal", "String", "Data", "UUID", "Date", "CalendarDay", "TimeInterval", "URL",
    ]

    private static let wideIntegers: Set = ["UInt64", "UInt", "UInt128", "Int128"]

    /// Why a property of this type cannot be stored; nil if the spelling shows no reason.
    var refusal: ModelDiagnostic? {
        switch bare.kind {
        case .implicitlyUnwrappedOptionalType:
            return ModelDiagnostic(
                "implicitlyUnwrapped", "a stored property of a model cannot be implicitly unwrapped")
        case .tupleType:
            return ModelDiagnostic("tuple", "a tuple cannot be stored: declare a Codable struct for it")
        case .functionType:
            return ModelDiagnostic("function", "a function cannot be stored")
        case .someOrAnyType, .compositionType, .metatypeType:
            return ModelDiagnostic("existential", "only a concrete type can be stored, not '\(wrapped)'")
        default: break
        }
        switch lastName {
        case "Any", "AnyObject":
            return ModelDiagnostic("existential", "only a concrete type can be stored, not '\(wrapped)'")
        case let name? where Self.wideIntegers.contains(name):
            return ModelDiagnostic(
                "wideInteger",
                "'\(wrapped)' does not fit a signed column of 64 bits: store an Int64, a Decimal or text, whichever fits"
            )
        default: return nil
        }
    }

    /// Why values of this type cannot be merged by a policy; nil if the spelling shows no reason.
    func refusal(ofMerging policy: String) -> ModelDiagnostic? {
        let isList = isArray || syntax.is(DictionaryTypeSyntax.self)
        let isKnown = isList || Self.publicTypes.contains(lastName ?? "")
        let isNumber = Self.numbers.contains(lastName ?? "")
        switch policy {
        case ".maximum", ".minimum":
            guard isList || ["String", "Data", "UUID", "URL", "ID"].contains(lastName ?? "") else {
                return nil
            }
            return ModelDiagnostic(
                "mergeByValue",
                "'\(policy)' compares numbers, times, days and Bools, not values of the type '\(wrapped)'")
        case ".counter" where isKnown && !isNumber:
            return ModelDiagnostic(
                "mergeCounter", "'.counter' adds up numbers, not values of the type '\(wrapped)'")
        case ".union" where isKnown && !isArray:
            return ModelDiagnostic(
                "mergeUnion", "'.union' merges arrays, not values of the type '\(wrapped)'")
        default: return nil
        }
    }

    private static let numbers: Set = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "Double", "Float", "Decimal",
        "TimeInterval",
    ]

    /// The types offered in place of one that cannot be stored.
    var corrections: [FixIt] {
        if let unwrapped = syntax.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            let optional = OptionalTypeSyntax(
                wrappedType: unwrapped.wrappedType, trailingTrivia: unwrapped.trailingTrivia)
            return [.replacing("make it '\(optional.trimmedDescription)'", syntax, with: optional)]
        }
        guard Self.wideIntegers.contains(lastName ?? "") else { return [] }
        let signed = TypeSyntax("Int64").with(\.leadingTrivia, syntax.leadingTrivia)
            .with(\.trailingTrivia, syntax.trailingTrivia)
        return [.replacing("store an 'Int64'", syntax, with: signed)]
    }

    /// The type without the parentheses around it and the attributes before it, such as a function type has.
    private var bare: TypeSyntax {
        var type = syntax
        while true {
            if let attributed = type.as(AttributedTypeSyntax.self) {
                type = attributed.baseType
            } else if let tuple = type.as(TupleTypeSyntax.self), tuple.elements.count == 1,
                let element = tuple.elements.first
            {
                type = element.type
            } else {
                return type
            }
        }
    }
}
