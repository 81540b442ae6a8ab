import Foundation
import Switchyard

/// Versions like those of the health app whose upgrade crashed: everything belongs to a profile, which gets another name.
enum Clinic9: VersionedSchema {
    static let version = SchemaVersion(0, 0, 9)
    static let models: [any Model.Type] = [
        ProfileV9.self, Meal.self, Sleep.self, Mood.self, Event.self, Draft.self,
    ]

    @Model
    struct ProfileV9 {
        let id: ID
        var name: String
        var unit: String
    }

    @Model
    struct Meal {
        #Index<Meal>([\.loggedAt])

        let id: ID
        var rawInput: String
        var status: String?
        var calories: Int32
        var loggedAt: Date
        var profile: ProfileV9.ID?
    }

    @Model
    struct Sleep {
        #Unique<Sleep>([\.profile, \.night])

        let id: ID
        var night: Int
        var profile: ProfileV9.ID?
    }

    @Model
    struct Mood {
        let id: ID
        var valence: Double
        var profile: ProfileV9.ID?
    }

    @Model
    struct Event {
        let id: ID
        var kind: String
    }

    @Model
    struct Draft {
        let id: ID
        var text: String
    }
}

enum Clinic10: VersionedSchema {
    static let version = SchemaVersion(0, 1, 0)
    static let models: [any Model.Type] = [
        ProfileV10.self, Meal.self, Sleep.self, Mood.self, Event.self, Workout.self,
    ]

    @Model
    struct ProfileV10 {
        let id: ID
        var name: String
        var unitSystem: String
        var email: String = ""
    }

    @Model
    struct Meal {
        #Index<Meal>([\.loggedAt])

        let id: ID
        @Attribute(.searchable) var foodName: String
        var status: String
        var calories: Double
        var loggedAt: Date
        var profile: ProfileV10.ID?
    }

    @Model
    struct Sleep {
        #Unique<Sleep>([\.profile, \.night])

        let id: ID
        var night: Int
        var profile: ProfileV10.ID?
    }

    @Model
    struct Mood {
        let id: ID
        var value: Int
        var profile: ProfileV10.ID?
    }

    @Model
    struct Event {
        let id: ID
        var kind: String
    }

    @Model
    struct Workout {
        let id: ID
        var minutes: Int
        var profile: ProfileV10.ID?
    }
}

/// The profile gets yet another name.
enum Clinic11: VersionedSchema {
    static let version = SchemaVersion(0, 1, 1)
    static let models: [any Model.Type] = [
        ProfileV11.self, Meal.self, Sleep.self, Mood.self, Event.self, Workout.self,
    ]

    @Model
    struct ProfileV11 {
        let id: ID
        var name: String
        var unitSystem: String
        var email: String = ""
    }

    @Model
    struct Meal {
        #Index<Meal>([\.loggedAt])

        let id: ID
        @Attribute(.searchable) var foodName: String
        var status: String
        var calories: Double
        var loggedAt: Date
        var profile: ProfileV11.ID?
    }

    @Model
    struct Sleep {
        #Unique<Sleep>([\.profile, \.night])

        let id: ID
        var night: Int
        var profile: ProfileV11.ID?
    }

    @Model
    struct Mood {
        let id: ID
        var value: Int
        var profile: ProfileV11.ID?
    }

    @Model
    struct Event {
        let id: ID
        var kind: String
    }

    @Model
    struct Workout {
        let id: ID
        var minutes: Int
        var profile: ProfileV11.ID?
    }
}

enum ClinicPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Clinic9.self, Clinic10.self, Clinic11.self]
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: Clinic9.self, toVersion: Clinic10.self,
                .rename(Clinic9.ProfileV9.self, to: Clinic10.ProfileV10.self),
                .rename(\Clinic9.ProfileV9.unit, to: \Clinic10.ProfileV10.unitSystem),
                .rename(\Clinic9.Meal.rawInput, to: \Clinic10.Meal.foodName),
                .fill(\Clinic10.Meal.status, with: "pending"), .drop(Clinic9.Draft.self),
                .rewrite(Clinic10.Mood.self)
            ) { old, new in
                try new.insert(
                    contentsOf: try old.fetch(Clinic9.Mood.all).map { mood in
                        Clinic10.Mood(
                            id: .init(mood.id.uuid), value: Int(max(-100, min(mood.valence, 100)) * 10),
                            profile: mood.profile.map { .init($0.uuid) })
                    })
            },
            .lightweight(
                fromVersion: Clinic10.self, toVersion: Clinic11.self,
                .rename(Clinic10.ProfileV10.self, to: Clinic11.ProfileV11.self)),
        ]
    }
}

/// The rows of a store of the first version.
enum ClinicRows {
    static let count = 300

    static func insert(_ tx: WriteTransaction) throws {
        let profiles = ["Ada", "Müller"].map { Clinic9.ProfileV9(name: $0, unit: "metric") }
        try tx.insert(contentsOf: profiles)
        for number in 0..<count {
            let profile = profiles[number % 2].id
            try tx.insert(
                Clinic9.Meal(
                    rawInput: "Süß \(number)", status: number.isMultiple(of: 3) ? nil : "done",
                    calories: Int32(number), loggedAt: Date(timeIntervalSince1970: Double(number)),
                    profile: number.isMultiple(of: 5) ? nil : profile))
            try tx.insert(Clinic9.Sleep(night: number, profile: profile))
            try tx.insert(Clinic9.Mood(valence: Double(number) / 10, profile: profile))
            try tx.insert(Clinic9.Event(kind: "k\(number)"))
        }
        try tx.insert(Clinic9.Draft(text: "given up"))
    }
}
