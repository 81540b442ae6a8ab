// The enums that attributes of several versions have. They are values and no models, so that versions can share them as long
// as their cases stay.

/// How measures are shown.
enum UnitSystem: String, Codable, CaseIterable, Sendable {
    case metric, imperial
}

/// What is measured of a body.
enum PhysicalAttributeType: String, Codable, CaseIterable, Sendable {
    case bodyMass, height, bodyFatPercentage, bodyMassIndex
}

/// How active a day was.
enum ActivityLevel: String, Codable, CaseIterable, Sendable {
    case sedentary, light, moderate, active, veryActive
}

/// Which meal it was; text since version 0.0.8.
enum MealType: String, Codable, CaseIterable, Sendable {
    case breakfast, lunch, dinner, snack, other
}

/// How far a meal's text is understood; text since version 0.0.8.
enum MealLogStatus: String, Codable, CaseIterable, Sendable {
    case pending, processing, completed, failed
}

/// Whether the server has a meal; text since version 0.0.8.
enum SyncStatus: String, Codable, CaseIterable, Sendable {
    case pending, synced, failed
}
