public import Foundation
internal import Switchyard
public import SwitchyardIntents

/// Finishes the feed in progress and records the amount.
public struct FinishFeeding: Intent {
    /// The intent's name for people.
    public static let title = "Finish Feeding"
    /// What the intent does.
    public static let description =
        "Finishes an in-progress feeding session for a baby and records the amount."

    /// The baby; by default the one that is being fed.
    @Parameter(title: "Baby") public var baby: BabyEntity?
    /// How much was fed; a number alone is in fluid ounces in the US measurement system, otherwise millilitres.
    @Parameter(title: "Amount", requestValueDialog: "How much did you feed?")
    public var amount: Measurement<UnitVolume>
    /// What was fed.
    @Parameter(title: "Type", default: .babyFormula, requestValueDialog: "What type of feeding?")
    public var feedType: FeedType

    /// Creates the intent with only its default values.
    public init() {}

    /// Finishes the feed and says so.
    public func perform(_ run: IntentRun) async throws -> IntentResult {
        var target = baby
        if target == nil {
            let fed = BabyProfile.byName.matching(.has(\.feedSessions, .where(\.endTime, .equal, nil)))
            let feeding = try await run.context.store.read { try $0.fetch(fed) }.map { BabyEntity($0) }
            guard feeding.count <= 1 else {
                throw $baby.needsDisambiguationError(among: feeding, dialog: "Which baby did you mean?")
            }
            target = feeding.first
        }
        guard let target else { return .result(dialog: "No one is currently feeding.") }
        // Files support four units; an amount in any other, set in code, is stored in millilitres.
        let unit = VolumeUnit(rawValue: amount.unit.symbol) ?? .milliliters
        let stored = amount.converted(to: unit.unit)
        let finished = try await run.dashboard.finishFeeding(
            target.id, amount: (stored.value, unit), feedType: feedType)
        guard finished != nil else {
            return .result(dialog: "No feeding session in progress for \(target.name).")
        }
        return .result(
            value: "\(target.name), \(DecimalText.text(stored.value)), \(unit.symbol)",
            dialog: "Fed \(target.name) \(stored).")
    }
}
