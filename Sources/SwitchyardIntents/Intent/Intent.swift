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
/// The words are those of Apple's App Intents. The protocols that a type conforms to have names of their own
/// (`Intent`, `IntentEntity`, `IntentEnum` for `AppIntent`, `AppEntity`, `AppEnum`), and `@Parameter` is
/// found through them, so that a file can hold both kinds of intent. The other types (`IntentResult`,
/// `IntentDialog`, `EntityQuery`, `DisplayRepresentation`, `AppShortcut`, …) have Apple's names: a file that
/// imports both modules writes `SwitchyardIntents.IntentDialog`.
///
/// An intent's stored properties are its parameters and nothing else. What it needs besides, it finds in the
/// context.
public protocol Intent: Sendable {
    /// What people call the intent, such as `Finish Feeding`.
    static var title: String { get }
    /// What programs call the intent; the name of the type, unless given.
    static var name: String { get }
    /// What the intent does, in a sentence; empty, unless given.
    static var description: String { get }

    /// Makes the intent with no value in its parameters but their defaults.
    init()

    /// Does what the intent is for.
    ///
    /// Write this function, and call `perform(in:)`. When it runs, every required parameter has a value. It
    /// can run again from its start, when it has thrown `needsValueError` or `needsDisambiguationError` and
    /// got an answer.
    ///
    /// - Throws: Anything. What was wrong with a parameter is best thrown as an `IntentError`.
    func perform(_ run: IntentRun) async throws -> IntentResult
}

extension Intent {
    /// Declares a parameter: `@Parameter(title: "Baby") var baby: BabyEntity`.
    public typealias Parameter = IntentParameter

    /// The name of the type.
    public static var name: String { "\(Self.self)" }
    /// No description.
    public static var description: String { "" }

    /// Performs the intent with the values that its parameters have.
    ///
    /// The intent itself does not change: answers to questions are for this one time.
    ///
    /// - Throws: `IntentError` `missingParameter` or `needsDisambiguation`, if the interaction of the context
    ///   gave no answer to a question; what the intent throws.
    public func perform(in context: IntentContext) async throws -> IntentResult {
        try await perform(with: [:], in: context)
    }
}
