/// Something that a person can ask the app to do: written once, and invoked from code, from a command line,
/// by a phrase or from JSON.
///
/// ```swift
/// struct FinishFeeding: Intent {
///     static let title = "Finish Feeding"
///
///     @Parameter(title: "Baby") var baby: BabyEntity?
///     @Parameter(title: "Amount", requestValueDialog: "How much did you feed?")
///     var amount: Measurement<UnitVolume>
///     @Parameter(title: "Type", default: .babyFormula) var feedType: FeedType
///
///     func perform(_ run: IntentRun) async throws -> IntentResult {
///         …
///         return .result(dialog: "Fed \(name) \(amount).")
///     }
/// }
///
/// var finish = FinishFeeding()
/// finish.amount = Measurement(value: 120, unit: .milliliters)
/// let result = try await finish.perform(in: context)
/// ```
///
/// The terms are those of Apple's App Intents. The protocols to conform to have names of their own (`Intent`,
/// `IntentEntity`, `IntentEnum` for `AppIntent`, `AppEntity`, `AppEnum`), and `@Parameter` is found through
/// them, so one file can hold both kinds of intent. The other types (`IntentResult`, `IntentDialog`,
/// `EntityQuery`, `DisplayRepresentation`, `AppShortcut`, …) have Apple's names: a file that imports both
/// modules writes `SwitchyardIntents.IntentDialog`.
///
/// An intent's stored properties must all be parameters. Anything else it needs comes from the context.
public protocol Intent: Sendable {
    /// The intent's name for people, such as `Finish Feeding`.
    static var title: String { get }
    /// The intent's name for programs; by default the name of the type.
    static var name: String { get }
    /// What the intent does, in one sentence; empty by default.
    static var description: String { get }

    /// Creates the intent with only the default values in its parameters.
    init()

    /// Does the intent's work.
    ///
    /// Implement this function, but call `perform(in:)`. Every required parameter has a value when it runs. If
    /// it throws `needsValueError` or `needsDisambiguationError` and gets an answer, it runs again from its
    /// start.
    ///
    /// - Throws: Any error. Report an invalid parameter as an `IntentError`.
    func perform(_ run: IntentRun) async throws -> IntentResult
}

extension Intent {
    /// Declares a parameter: `@Parameter(title: "Baby") var baby: BabyEntity`.
    public typealias Parameter = IntentParameter

    /// The name of the type.
    public static var name: String { "\(Self.self)" }
    /// No description.
    public static var description: String { "" }

    /// Performs the intent with its parameters' current values.
    ///
    /// The intent itself does not change: answers to questions apply to this call only.
    ///
    /// - Throws: `IntentError` `missingParameter` or `needsDisambiguation`, if the context's interaction gave no
    ///   answer to a question; anything that the intent throws.
    public func perform(in context: IntentContext) async throws -> IntentResult {
        try await perform(with: [:], in: context)
    }
}
