/// A parameter, with the type of its value erased.
protocol AnyIntentParameter: Sendable {
    var title: String { get }
    /// The identity of the slot that the parameter's copies share.
    var slotIdentity: ObjectIdentifier { get }
    var hasValue: Bool { get }
    func declaration(name: String) -> ParameterDeclaration
    /// Copies the value of the same parameter of another intent.
    func adopt(_ other: any AnyIntentParameter)
    /// Sets the value that an argument resolves to.
    func accept(_ argument: IntentArgument, in run: IntentRun) async throws
    /// Asks for the value and sets it.
    func fill(in run: IntentRun) async throws
}

extension IntentParameter: AnyIntentParameter {
    var slotIdentity: ObjectIdentifier { ObjectIdentifier(slot) }
    var hasValue: Bool { slot.value != nil }

    func declaration(name: String) -> ParameterDeclaration {
        ParameterDeclaration(
            name: name, title: title, description: description, type: Value.Item.valueType,
            isRequired: isRequired,
            defaultValue: defaultValue?.item?.displayRepresentation.title)
    }

    func adopt(_ other: any AnyIntentParameter) {
        guard let other = other as? Self else { return }
        slot.value = other.slot.value
    }

    func accept(_ argument: IntentArgument, in run: IntentRun) async throws {
        let name = run.name(of: self)
        slot.value = .wrapping(try await run.resolve(argument, as: Value.Item.self, for: name))
    }

    func fill(in run: IntentRun) async throws {
        slot.value = .wrapping(try await requestValue(in: run))
    }
}

/// The parameters of one intent, by the names of their properties.
///
/// They are found with `Mirror`, as swift-argument-parser finds its arguments. A handwritten table could omit
/// a parameter, which then could never be set, without anyone noticing.
struct ParameterTable: Sendable {
    struct Row: Sendable {
        let name: String
        let parameter: any AnyIntentParameter
    }

    let intent: String
    let rows: [Row]

    init<SomeIntent: Intent>(of intent: SomeIntent) throws {
        self.intent = SomeIntent.name
        rows = try Mirror(reflecting: intent).children.map { label, value in
            guard let label, let parameter = value as? any AnyIntentParameter else {
                throw IntentError(
                    .declaration,
                    "\(SomeIntent.name) has the stored property \(label ?? "(unnamed)"). Make it a @Parameter, "
                        + "compute it, or take its value from the context.", intent: SomeIntent.name)
            }
            // A wrapped property's storage has the property's name with an underscore in front.
            return Row(name: String(label.dropFirst()), parameter: parameter)
        }
    }

    func adopt(_ other: ParameterTable) {
        for (row, otherRow) in zip(rows, other.rows) { row.parameter.adopt(otherRow.parameter) }
    }

    /// The parameters that the arguments name, in the order of declaration.
    ///
    /// Case, hyphens and underscores in names are ignored, so `--feed-type` matches `feedType`.
    ///
    /// - Throws: `unknownParameter` for an unknown name, and for a parameter that is given twice.
    func match(_ arguments: [String: IntentArgument]) throws -> [(row: Row, argument: IntentArgument)] {
        var matched = [IntentArgument?](repeating: nil, count: rows.count)
        for (name, argument) in arguments.sorted(by: { $0.key < $1.key }) {
            guard let index = index(of: name) else { throw unknown(name) }
            guard matched[index] == nil else {
                throw IntentError(
                    .unknownParameter, "The parameter \(rows[index].name) is given twice.", intent: intent,
                    parameter: rows[index].name)
            }
            matched[index] = argument
        }
        return zip(rows, matched).compactMap { row, argument in argument.map { (row, $0) } }
    }

    private func index(of name: String) -> Int? {
        rows.firstIndex { $0.name == name }
            ?? rows.firstIndex { Self.loose($0.name) == Self.loose(name) }
    }

    private static func loose(_ name: String) -> String {
        name.lowercased().filter { $0 != "-" && $0 != "_" }
    }

    private func unknown(_ name: String) -> IntentError {
        let names = rows.map(\.name)
        return IntentError(
            .unknownParameter,
            "\(intent) has no parameter \(name.quoted)\(names.isEmpty ? "; it takes none" : "").",
            intent: intent,
            choices: Nearest.sorted(names, to: name))
    }
}
