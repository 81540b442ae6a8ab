/// One performance of an intent, as the intent sees it: the context, and the way to ask questions.
///
/// Members of the context are members of the run: `run.store`, `run.now`. Only an invocation makes one, when
/// all required parameters have values.
@dynamicMemberLookup
public struct IntentRun: Sendable {
    /// What the app gave the intent to work with.
    public let context: IntentContext
    let intent: String
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

    /// Something that the app put into the context for its intents.
    ///
    /// - Throws: `IntentError` `missingDependency`.
    public func dependency<Dependency: Sendable>(_ type: Dependency.Type) throws -> Dependency {
        try context.dependency(type)
    }

    func name(of parameter: some AnyIntentParameter) -> ParameterName {
        let row = parameters.rows.first { $0.parameter.slotIdentity == parameter.slotIdentity }
        return ParameterName(name: row?.name ?? parameter.title, title: parameter.title)
    }
}

/// How a parameter is called by programs and by people.
struct ParameterName: Sendable {
    let name: String
    let title: String
}
