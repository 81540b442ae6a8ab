internal import Foundation
internal import Switchyard

/// Templates of workouts.
enum SchemaV11: VersionedSchema {
    static let version = SchemaVersion(0, 1, 1)
    static let models: [any Model.Type] = [
        SDUserProfileV11.self, SDDietaryAndActivityPreferences.self, SDPhysicalAttribute.self,
        SDActivitySnapshot.self, SDProgressEntry.self, SDSleepSession.self, SDSleepStage.self,
        SDMoodEntry.self, SDMeal.self, SDMealLogItem.self, SDOutboxEvent.self, SDPhotoRecognition.self,
        SDRecognizedFoodItem.self, SDWorkout.self, SDWorkoutTemplate.self, SDTemplateExercise.self,
    ]

    @Model
    struct SDUserProfileV11 {
        let id: ID
        var name: String = ""
        var email: String = ""
        var authToken: String?
        var refreshToken: String?
        var tokenExpiresAt: Date?
        var refreshTokenExpiresAt: Date?
        var dailyCalorieGoal: Double?
        var unitSystem: String = "metric"
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
        @Relationship(deleteRule: .cascade, inverse: \SDPhotoRecognition.userProfile)
        var photoRecognitions: ToMany<SDPhotoRecognition>
        @Relationship(deleteRule: .cascade, inverse: \SDWorkout.userProfile)
        var workouts: ToMany<SDWorkout>
        @Relationship(deleteRule: .cascade, inverse: \SDWorkoutTemplate.userProfile)
        var workoutTemplates: ToMany<SDWorkoutTemplate>
    }

    @Model
    struct SDDietaryAndActivityPreferences {
        #Unique<SDDietaryAndActivityPreferences>([\.userProfile])

        let id: ID
        var allergies: [String]?
        var dietaryRestrictions: [String]?
        var foodDislikes: [String]?
        var createdAt: Date = .now
        var updatedAt: Date? = .now
        var userProfile: SDUserProfileV11.ID?
    }

    @Model
    struct SDPhysicalAttribute {
        let id: ID
        var value: Double?
        var type: PhysicalAttributeType = .bodyMass
        var createdAt: Date = .now
        var updatedAt: Date? = .now
        var backendID: String?
        var backendSyncedAt: Date?
        var userProfile: SDUserProfileV11.ID?
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
        var userProfile: SDUserProfileV11.ID?
    }

    @Model
    struct SDProgressEntry {
        let id: ID
        var type: String = ""
        var quantity: Double = 0.0
        var date: Date = .now
        var time: String?
        var notes: String?
        var createdAt: Date = .now
        var updatedAt: Date?
        var backendID: String?
        var syncStatus: String = "pending"
        var userProfile: SDUserProfileV11.ID?
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
        var userProfile: SDUserProfileV11.ID?

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
        var value: Int = 5
        var date: Date = .now
        var notes: String?
        var createdAt: Date = .now
        var updatedAt: Date?
        var backendID: String?
        var syncStatus: String = "pending"
        var userProfile: SDUserProfileV11.ID?
    }

    @Model
    struct SDMeal {
        let id: ID
        var rawInput: String = ""
        var mealType: String = "snack"
        var status: String = "pending"
        var loggedAt: Date = .now
        var notes: String?
        var totalCalories: Int?
        var totalProteinG: Double?
        var totalCarbsG: Double?
        var totalFatG: Double?
        var totalFiberG: Double?
        var totalSugarG: Double?
        var processingStartedAt: Date?
        var processingCompletedAt: Date?
        var createdAt: Date = .now
        var updatedAt: Date?
        var backendID: String?
        var syncStatus: String = "pending"
        var errorMessage: String?
        var userProfile: SDUserProfileV11.ID?

        @Relationship(deleteRule: .cascade, inverse: \SDMealLogItem.mealLog)
        var items: ToMany<SDMealLogItem>
    }

    @Model
    struct SDMealLogItem {
        let id: ID
        var name: String = ""
        var quantity: Double = 0.0
        var unit: String = ""
        var calories: Double = 0.0
        var protein: Double = 0.0
        var carbs: Double = 0.0
        var fat: Double = 0.0
        var foodType: String = "food"
        var fiberG: Double?
        var sugarG: Double?
        var confidence: Double?
        var parsingNotes: String?
        var orderIndex: Int = 0
        var createdAt: Date = .now
        var backendID: String?
        var mealLog: SDMeal.ID?
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
    struct SDPhotoRecognition {
        let id: ID
        var status: String = "pending"
        var createdAt: Date = .now
        var updatedAt: Date?
        var processedAt: Date?
        var errorMessage: String?
        var backendID: String?
        var syncStatus: String = "pending"
        var photoFileName: String?
        var rawResponse: String?
        var userProfile: SDUserProfileV11.ID?

        @Relationship(deleteRule: .cascade, inverse: \SDRecognizedFoodItem.photoRecognition)
        var recognizedFoods: ToMany<SDRecognizedFoodItem>
    }

    @Model
    struct SDRecognizedFoodItem {
        let id: ID
        var foodName: String = ""
        var quantity: Double?
        var unit: String?
        var calories: Double = 0.0
        var proteinG: Double = 0.0
        var carbsG: Double = 0.0
        var fatG: Double = 0.0
        var fiberG: Double?
        var sugarG: Double?
        var confidence: Double?
        var orderIndex: Int = 0
        var createdAt: Date = .now
        var photoRecognition: SDPhotoRecognition.ID?
    }

    @Model
    struct SDWorkout {
        let id: ID
        var activityType: String = ""
        var title: String?
        var notes: String?
        var startedAt: Date = .now
        var endedAt: Date?
        var durationMinutes: Int?
        var caloriesBurned: Int?
        var distanceMeters: Double?
        var intensity: Int?
        var source: String = "HealthKit"
        var sourceID: String?
        var createdAt: Date = .now
        var updatedAt: Date?
        var backendID: String?
        var syncStatus: String = "pending"
        var userProfile: SDUserProfileV11.ID?
    }

    @Model
    struct SDWorkoutTemplate {
        let id: ID
        var name: String = ""
        var templateDescription: String?
        var category: String?
        var difficultyLevel: String?
        var estimatedDurationMinutes: Int?
        var isPublic: Bool = false
        var isSystem: Bool = false
        var status: String = "draft"
        var exerciseCount: Int = 0
        var timesUsed: Int = 0
        var isFavorite: Bool = false
        var isFeatured: Bool = false
        var createdAt: Date = .now
        var updatedAt: Date = .now
        var backendID: String?
        var syncStatus: String = "pending"
        var userProfile: SDUserProfileV11.ID?

        @Relationship(deleteRule: .cascade, inverse: \SDTemplateExercise.template)
        var exercises: ToMany<SDTemplateExercise>
    }

    @Model
    struct SDTemplateExercise {
        let id: ID
        var exerciseID: String?
        var userExerciseID: String?
        var exerciseName: String = ""
        var orderIndex: Int = 0
        var technique: String?
        var sets: Int?
        var reps: Int?
        var weightKg: Double?
        var durationSeconds: Int?
        var restSeconds: Int?
        var notes: String?
        var createdAt: Date = .now
        var backendID: String?
        var template: SDWorkoutTemplate.ID?
    }
}
