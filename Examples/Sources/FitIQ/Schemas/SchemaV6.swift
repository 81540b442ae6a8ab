internal import Foundation
internal import Switchyard

/// Meals, and what they consist of.
///
/// Sleep and moods no longer name their user: the profile does.
enum SchemaV6: VersionedSchema {
    static let version = SchemaVersion(0, 0, 6)
    static let models: [any Model.Type] = [
        SDUserProfile.self, SDDietaryAndActivityPreferences.self, SDPhysicalAttribute.self,
        SDActivitySnapshot.self, SDProgressEntry.self, SDOutboxEvent.self, SDSleepSession.self,
        SDSleepStage.self, SDMoodEntry.self, SDMeal.self, SDMealLogItem.self,
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
        @Relationship(deleteRule: .cascade, inverse: \SDSleepSession.userProfile)
        var sleepSessions: ToMany<SDSleepSession>
        @Relationship(deleteRule: .cascade, inverse: \SDMoodEntry.userProfile)
        var moodEntries: ToMany<SDMoodEntry>
        @Relationship(deleteRule: .cascade, inverse: \SDMeal.userProfile)
        var mealLogs: ToMany<SDMeal>
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

    @Model
    struct SDSleepSession {
        let id: ID
        var date: Date = .now
        var startTime: Date = .now
        var endTime: Date = .now
        var timeInBedMinutes: Int = 0
        var totalSleepMinutes: Int = 0
        var sleepEfficiency: Double = 0.0
        var source: String?
        var sourceID: String?
        var notes: String?
        var createdAt: Date = .now
        var updatedAt: Date?
        var backendID: String?
        var syncStatus: String = "pending"
        var userProfile: SDUserProfile.ID?

        @Relationship(deleteRule: .cascade, inverse: \SDSleepStage.session)
        var stages: ToMany<SDSleepStage>
    }

    @Model
    struct SDSleepStage {
        let id: ID
        var stage: String = ""
        var startTime: Date = .now
        var endTime: Date = .now
        var durationMinutes: Int = 0
        var session: SDSleepSession.ID?
    }

    @Model
    struct SDMoodEntry {
        let id: ID
        var valence: Double?
        var labels: [String] = []
        var associations: [String] = []
        var date: Date = .now
        var notes: String?
        var createdAt: Date = .now
        var updatedAt: Date?
        var backendID: String?
        var syncStatus: String = "pending"
        var sourceID: String?
        var userProfile: SDUserProfile.ID?
    }

    @Model
    struct SDMeal {
        let id: ID
        var rawInput: String = ""
        var mealType: MealType = .other
        var status: MealLogStatus = .pending
        var loggedAt: Date = .now
        var notes: String?
        var createdAt: Date = .now
        var updatedAt: Date?
        var backendID: String?
        var syncStatus: SyncStatus = .pending
        var errorMessage: String?
        var totalCalories: Int?
        var totalProteinG: Double?
        var totalCarbsG: Double?
        var totalFatG: Double?
        var totalFiberG: Double?
        var totalSugarG: Double?
        var processingStartedAt: Date?
        var processingCompletedAt: Date?
        var userProfile: SDUserProfile.ID?

        @Relationship(deleteRule: .cascade, inverse: \SDMealLogItem.mealLog)
        var items: ToMany<SDMealLogItem>
    }

    @Model
    struct SDMealLogItem {
        let id: ID
        var name: String = ""
        var quantity: String = ""
        var calories: Double = 0.0
        var protein: Double = 0.0
        var carbs: Double = 0.0
        var fat: Double = 0.0
        var fiberG: Double?
        var sugarG: Double?
        var confidence: Double?
        var parsingNotes: String?
        var orderIndex: Int = 0
        var createdAt: Date = .now
        var backendID: String?
        var mealLog: SDMeal.ID?
    }
}
