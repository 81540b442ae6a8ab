internal import Foundation
internal import Switchyard

/// An outbox for what the server has yet to get.
enum SchemaV3: VersionedSchema {
    static let version = SchemaVersion(0, 0, 3)
    static let models: [any Model.Type] = [
        SDUserProfile.self, SDDietaryAndActivityPreferences.self, SDPhysicalAttribute.self,
        SDActivitySnapshot.self, SDProgressEntry.self, SDOutboxEvent.self,
    ]

    @Model
    struct SDUserProfile {
        let id: ID
        var name: String = ""
        var bio: String?
        var preferredUnitSystem: UnitSystem = .metric
        var languageCode: String?
        var dateOfBirth: Date?
        var biologicalSex: String?
        var createdAt: Date = .now
        var updatedAt: Date?
        var hasPerformedInitialHealthKitSync: Bool = false
        var lastSuccessfulDailySyncDate: Date?

        @Relationship(deleteRule: .cascade, inverse: \SDDietaryAndActivityPreferences.userProfile)
        var dietaryAndActivityPreferences: ToMany<SDDietaryAndActivityPreferences>
        @Relationship(deleteRule: .cascade, inverse: \SDPhysicalAttribute.userProfile)
        var bodyMetrics: ToMany<SDPhysicalAttribute>
        @Relationship(deleteRule: .cascade, inverse: \SDActivitySnapshot.userProfile)
        var activitySnapshots: ToMany<SDActivitySnapshot>
        @Relationship(deleteRule: .cascade, inverse: \SDProgressEntry.userProfile)
        var progressEntries: ToMany<SDProgressEntry>
    }

    @Model
    struct SDDietaryAndActivityPreferences {
        #Unique<SDDietaryAndActivityPreferences>([\.userProfile])

        let id: ID
        var allergies: [String]?
        var dietaryRestrictions: [String]?
        var foodDislikes: [String]?
        var createdAt: Date = .now
        var updatedAt: Date?
        var userProfile: SDUserProfile.ID?
    }

    @Model
    struct SDPhysicalAttribute {
        let id: ID
        var value: Double?
        var type: PhysicalAttributeType = .bodyMass
        var createdAt: Date = .now
        var updatedAt: Date?
        var backendID: String?
        var backendSyncedAt: Date?
        var userProfile: SDUserProfile.ID?
    }

    @Model
    struct SDActivitySnapshot {
        let id: ID
        var activeMinutes: Int?
        var activityLevel: ActivityLevel = .sedentary
        var caloriesBurned: Double?
        var date: Date = .now
        var distanceKm: Double?
        var heartRateAvg: Double?
        var steps: Int?
        var workoutDurationMinutes: Double?
        var workoutSessions: Int?
        var createdAt: Date = .now
        var updatedAt: Date?
        var backendID: String?
        var backendSyncedAt: Date?
        var userProfile: SDUserProfile.ID?
    }

    @Model
    struct SDProgressEntry {
        let id: ID
        var userID: String = ""
        var type: String = ""
        var quantity: Double = 0.0
        var date: Date = .now
        var time: String?
        var notes: String?
        var createdAt: Date = .now
        var updatedAt: Date?
        var backendID: String?
        var syncStatus: String = "pending"
        var userProfile: SDUserProfile.ID?
    }

    @Model
    struct SDOutboxEvent {
        let id: ID
        var eventType: String = ""
        var entityID: UUID = UUID()
        var userID: String = ""
        var status: String = "pending"
        var createdAt: Date = .now
        var lastAttemptAt: Date?
        var attemptCount: Int = 0
        var maxAttempts: Int = 5
        var errorMessage: String?
        var completedAt: Date?
        var metadata: String?
        var priority: Int = 0
        var isNewRecord: Bool = true
    }
}
