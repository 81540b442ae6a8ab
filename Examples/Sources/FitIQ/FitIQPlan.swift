internal import Foundation
internal import Switchyard

/// The eleven versions of a health app, and the stages between them.
///
/// Entities, attributes, defaults and delete rules are those of the app. Three things are of this example: each model has
/// an `id`, which the preferences lacked; the profile's one row of preferences is unique by its reference; and the cases
/// of the enums.
enum FitIQPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [
        SchemaV1.self, SchemaV2.self, SchemaV3.self, SchemaV4.self, SchemaV5.self, SchemaV6.self,
        SchemaV7.self, SchemaV8.self, SchemaV9.self, SchemaV10.self, SchemaV11.self,
    ]

    static var stages: [MigrationStage] {
        [
            .lightweight(fromVersion: SchemaV1.self, toVersion: SchemaV2.self),
            .lightweight(fromVersion: SchemaV2.self, toVersion: SchemaV3.self),
            .lightweight(fromVersion: SchemaV3.self, toVersion: SchemaV4.self),
            .lightweight(fromVersion: SchemaV4.self, toVersion: SchemaV5.self),
            .lightweight(
                fromVersion: SchemaV5.self, toVersion: SchemaV6.self,
                .drop(\SchemaV5.SDSleepSession.userID), .drop(\SchemaV5.SDMoodEntry.userID)),
            .lightweight(fromVersion: SchemaV6.self, toVersion: SchemaV7.self),
            // The enums of meals become text of any kind, which keeps their raw values.
            .custom(
                fromVersion: SchemaV7.self, toVersion: SchemaV8.self, .rewrite(SchemaV8.SDMealLogItem.self)
            ) { old, new in
                try rewrite(SchemaV7.SDMealLogItem.all, old, new) { SchemaV8.SDMealLogItem($0) }
            },
            .lightweight(
                fromVersion: SchemaV8.self, toVersion: SchemaV9.self,
                .rename(SchemaV8.SDUserProfile.self, to: SchemaV9.SDUserProfileV9.self),
                .drop(\SchemaV8.SDProgressEntry.userID)),
            toV10,
            .lightweight(
                fromVersion: SchemaV10.self, toVersion: SchemaV11.self,
                .rename(SchemaV10.SDUserProfileV10.self, to: SchemaV11.SDUserProfileV11.self)),
        ]
    }

    /// The stage that crashed the app, because models of version 9 were left in version 10.
    private static var toV10: MigrationStage {
        .custom(
            fromVersion: SchemaV9.self, toVersion: SchemaV10.self,
            .rename(SchemaV9.SDUserProfileV9.self, to: SchemaV10.SDUserProfileV10.self),
            .rename(
                \SchemaV9.SDUserProfileV9.preferredUnitSystem, to: \SchemaV10.SDUserProfileV10.unitSystem),
            .drop(\SchemaV9.SDUserProfileV9.bio), .drop(\SchemaV9.SDUserProfileV9.languageCode),
            .rename(\SchemaV9.SDPhotoRecognition.imageURL, to: \SchemaV10.SDPhotoRecognition.photoFileName),
            .rename(
                \SchemaV9.SDPhotoRecognition.processingCompletedAt,
                to: \SchemaV10.SDPhotoRecognition.processedAt),
            .drop(\SchemaV9.SDPhotoRecognition.userID), .drop(\SchemaV9.SDPhotoRecognition.mealType),
            .drop(\SchemaV9.SDPhotoRecognition.confidenceScore),
            .drop(\SchemaV9.SDPhotoRecognition.needsReview),
            .drop(\SchemaV9.SDPhotoRecognition.totalCalories),
            .drop(\SchemaV9.SDPhotoRecognition.totalProteinG),
            .drop(\SchemaV9.SDPhotoRecognition.totalCarbsG),
            .drop(\SchemaV9.SDPhotoRecognition.totalFatG),
            .drop(\SchemaV9.SDPhotoRecognition.totalFiberG),
            .drop(\SchemaV9.SDPhotoRecognition.totalSugarG),
            .drop(\SchemaV9.SDPhotoRecognition.loggedAt), .drop(\SchemaV9.SDPhotoRecognition.notes),
            .drop(\SchemaV9.SDPhotoRecognition.processingStartedAt),
            .drop(\SchemaV9.SDPhotoRecognition.mealLogID),
            .rewrite(SchemaV10.SDMoodEntry.self), .rewrite(SchemaV10.SDRecognizedFoodItem.self)
        ) { old, new in
            try rewrite(SchemaV9.SDMoodEntry.all, old, new) { SchemaV10.SDMoodEntry($0) }
            try rewrite(SchemaV9.SDRecognizedFoodItem.all, old, new) { item in
                let photo = try item.photoRecognition.flatMap { try old.find($0) }
                return SchemaV10.SDRecognizedFoodItem(item, createdAt: photo?.createdAt)
            }
        }
    }

    /// Reads rows page by page, and writes what becomes of each.
    private static func rewrite<Old: Model, New: Model>(
        _ query: Query<Old>, _ old: ReadTransaction, _ new: WriteTransaction, _ convert: (Old) throws -> New
    ) throws {
        var last: PageCursor?
        repeat {
            let page = try old.page(query, size: 256, after: last)
            try new.insert(contentsOf: try page.items.map(convert))
            last = page.next
        } while last != nil
    }
}
