internal import Switchyard
internal import SwitchyardTransfer

extension SchemaV11 {
    /// What the tables of the app's SwiftData store become.
    ///
    /// A profile and its preferences refer to each other there; here the preferences do. They have no id, and get theirs from
    /// the profile.
    static var adoption: AdoptionPlan {
        get throws {
            try AdoptionPlan(
                SchemaV11.self,
                .table(
                    "SDUserProfileV11", as: SDUserProfileV11.self, .id(from: "id"),
                    .ignored("dietaryAndActivityPreferences")),
                .table(
                    "SDDietaryAndActivityPreferences", as: SDDietaryAndActivityPreferences.self,
                    .id(from: "userProfile", ifUnusable: .fromKey)),
                .table("SDPhysicalAttribute", as: SDPhysicalAttribute.self, .id(from: "id")),
                .table("SDActivitySnapshot", as: SDActivitySnapshot.self, .id(from: "id")),
                .table("SDProgressEntry", as: SDProgressEntry.self, .id(from: "id")),
                .table("SDSleepSession", as: SDSleepSession.self, .id(from: "id")),
                .table("SDSleepStage", as: SDSleepStage.self, .id(from: "id")),
                .table("SDMoodEntry", as: SDMoodEntry.self, .id(from: "id")),
                .table("SDMeal", as: SDMeal.self, .id(from: "id")),
                .table("SDMealLogItem", as: SDMealLogItem.self, .id(from: "id")),
                .table("SDOutboxEvent", as: SDOutboxEvent.self, .id(from: "id")),
                .table("SDPhotoRecognition", as: SDPhotoRecognition.self, .id(from: "id")),
                .table("SDRecognizedFoodItem", as: SDRecognizedFoodItem.self, .id(from: "id")),
                .table("SDWorkout", as: SDWorkout.self, .id(from: "id")),
                .table("SDWorkoutTemplate", as: SDWorkoutTemplate.self, .id(from: "id")),
                .table("SDTemplateExercise", as: SDTemplateExercise.self, .id(from: "id")))
        }
    }
}
