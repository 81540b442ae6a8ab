public import Foundation
public import Switchyard

/// What the app keeps.
public enum W8TrackrSchema: VersionedSchema {
    /// Version 1.
    public static let version = SchemaVersion(1)

    /// The two models.
    public static let models: [any Model.Type] = [WeightEntry.self, CompletedMilestone.self]
}

/// A weight, as it was measured.
@Model
public struct WeightEntry: Hashable {
    #Index<WeightEntry>([\.date])

    /// The id.
    public let id: ID
    /// The weight, in the unit that it was entered in.
    public var weightValue: Double = 0
    /// The unit, such as `lb`.
    public var weightUnit: String = "lb"
    /// When it was measured.
    public var date: Date = .now
    /// What the user has noted.
    public var note: String?
    /// How much of it is fat, in percent.
    public var bodyFatPercentage: Decimal?
    /// When it was last changed.
    public var modifiedDate: Date?
    /// The sample that it is in the system's health data.
    public var healthKitUUID: String?
    /// The app or device that has entered it.
    public var source: String = "W8Trackr"
    /// How often it was changed for the health data.
    public var syncVersion: Int64 = 1
    /// Whether the health data has yet to get it.
    public var pendingHealthSync: Bool = true
}

/// A goal that was reached.
@Model
public struct CompletedMilestone: Hashable {
    /// The id.
    public let id: ID
    /// The weight to reach.
    public var targetWeight: Double = 0
    /// The unit, such as `lb`.
    public var weightUnit: String = "lb"
    /// When it was reached.
    public var achievedDate: Date = .now
    /// The weight at the beginning.
    public var startWeight: Double = 0
    /// Whether the user has seen that it was reached.
    public var celebrationShown: Bool = false
}
