public import Foundation
public import Switchyard

/// The version for the cloud, which cannot have unique constraints.
///
/// Those of V1 are gone, and ids stay what tells rows apart. The settings know what the device permits.
public enum KeepTrackV2: VersionedSchema {
    /// Version 2.
    public static let version = SchemaVersion(2)
    /// The four models.
    public static let models: [any Model.Type] = [Entry.self, IntakeType.self, Goal.self, AppSettings.self]

    /// Something that was taken.
    @Model
    public struct Entry: Hashable {
        #Index<Entry>([\.date], [\.name])

        /// The id.
        public let id: ID
        /// When it was taken.
        public var date: Date
        /// The unit of the amount, such as `mg`.
        public var units: String
        /// How much.
        public var amount: Double
        /// The name of its type.
        public var name: String
        /// Whether a goal was met.
        public var goalMet: Bool
    }

    /// Something that can be taken.
    @Model
    public struct IntakeType: Hashable {
        #Index<IntakeType>([\.name])

        /// The id.
        public let id: ID
        /// The name, by which entries refer to it.
        public var name: String
        /// The unit of the amount, such as `mg`.
        public var unit: String
        /// How much is taken at a time.
        public var amount: Double
        /// What it is for.
        public var descrip: String
        /// How often it is taken.
        public var frequency: Frequency
    }

    /// When something is to be taken.
    @Model
    public struct Goal: Hashable {
        /// The id.
        public let id: ID
        /// The name.
        public var name: String
        /// What it is for.
        public var description: String
        /// The times.
        public var dates: [Date]
        /// Whether it is followed.
        public var isActive: Bool
        /// Whether it was reached.
        public var isCompleted: Bool
        /// How much is to be taken each time.
        public var dosage: Double
        /// The unit of the dosage, such as `mg`.
        public var units: String
        /// How often it is to be taken.
        public var frequency: Frequency
    }

    /// The settings of the app, in one row, which also tells what became of the files of JSON.
    @Model
    public struct AppSettings: Hashable {
        /// The id, which is the same in every store.
        public let id: ID
        /// When the row was made.
        public var createdAt: Date
        /// When it was last changed.
        public var updatedAt: Date
        /// What became of the files.
        public var files: FilesOutcome
        /// The number of entries that they gave.
        public var importedEntries: Int = 0
        /// The number of types that they gave.
        public var importedTypes: Int = 0
        /// The number of goals that they gave.
        public var importedGoals: Int = 0
        /// Whether the user is signed in to the cloud.
        public var iCloudAvailable: Bool = false
        /// Whether the app's database in the cloud can be reached.
        public var cloudKitAvailable: Bool = false
        /// Whether the app's documents can be read.
        public var documentsAccessible: Bool = false
        /// When the permissions were last looked at.
        public var lastPermissionCheck: Date?
    }
}
