/// One run of an intent, as the intent sees it: the context, and the means to ask questions.
///
/// The context's members are also members of the run: `run.store`, `run.now`. Only an invocation creates a run,
/// once all required parameters have values.
@dynamicMemberLookup
public struct IntentRun: Sendable {
    /// The context in which the intent was invoked.
    public let context: IntentContext
    /// The name of the intent.
    public let intent: String
    let parameters: ParameterTable

    init(_ parameters: ParameterTable, in context: IntentContext) {
        self.context = context
        self.parameters = parameters
        intent = parameters.intent
    }

    /// A member of the context.
    public subscript<Member>(dynamicMember keyPath: KeyPath<IntentContext, Member>) -> Member {
        context[keyPath: keyPath]
    }

    /// A dependency that the app added to the context.
    ///
    /// - Throws: `IntentError` `missingDependency` if it was not added.
    public func dependency<Dependency: Sendable>(_ type: Dependency.Type) throws -> Dependency {
        try context.dependency(type)
    }

    func name(of parameter: some AnyIntentParameter) -> ParameterName {
        let row = parameters.rows.first { $0.parameter.slotIdentity == parameter.slotIdentity }
        return ParameterName(name: row?.name ?? parameter.title, title: parameter.title)
    }
}

/// The names of a parameter: for programs and for people.
struct ParameterName: Sendable {
    let name: String
    let title: String
}
