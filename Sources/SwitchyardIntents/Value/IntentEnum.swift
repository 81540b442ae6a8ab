/// An enum whose cases a parameter accepts by raw value, name or title.
///
/// ```swift
/// enum DiaperType: String, IntentEnum {
///     case pee, poo
///     static let typeDisplayRepresentation: TypeDisplayRepresentation = "Diaper Type"
///     static let caseDisplayRepresentations: [Self: DisplayRepresentation] = [.pee: "Pee", .poo: "Poo"]
/// }
/// ```
public protocol IntentEnum: IntentValue, RawRepresentable, CaseIterable, Hashable
where RawValue: LosslessStringConvertible {
    /// The type's name for people.
    static var typeDisplayRepresentation: TypeDisplayRepresentation { get }
    /// The cases' names for people; a case that is left out appears as its raw value.
    static var caseDisplayRepresentations: [Self: DisplayRepresentation] { get }
}

extension IntentEnum {
    /// The type as data, with the raw values as its cases.
    public static var valueType: IntentValueType {
        let cases = allCases.map(\.rawValue.description)
        return IntentValueType(
            name: typeDisplayRepresentation.name.lowercased(),
            description: "one of \(cases.joined(separator: ", "))",
            cases: cases)
    }

    /// Accepts a raw value, the name of a case, or a title, ignoring case and diacritics.
    public static func resolve(
        _ argument: IntentArgument, in context: IntentContext
    ) async throws -> IntentResolution<Self> {
        let type = valueType
        let text = try argument.text(for: type)
        let found = NameMatch.best(text, among: Array(allCases), allowsPrefix: false) {
            [$0.rawValue.description, "\($0)", $0.displayRepresentation.title]
        }
        guard let first = found.first else { throw type.refusal(of: text) }
        return found.count == 1 ? .value(first) : .ambiguous(found)
    }

    /// All cases.
    public static func suggestedValues(in context: IntentContext) async throws -> [Self] { Array(allCases) }

    /// How the case appears to people.
    public var displayRepresentation: DisplayRepresentation {
        Self.caseDisplayRepresentations[self] ?? DisplayRepresentation(title: rawValue.description)
    }
}
