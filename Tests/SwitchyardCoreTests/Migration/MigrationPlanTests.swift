import Switchyard
import SwitchyardCore
import Testing

private enum V1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Meal.self, Guest.self]

    @Model
    struct Meal {
        let id: ID
        var name: String
        var userID: String
        var size: Int?
    }

    @Model
    struct Guest {
        let id: ID
    }
}

private enum V2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Dish.self]

    @Model
    struct Dish {
        let id: ID
        var foodName: String
        var size: Int
    }
}

private enum V3: VersionedSchema {
    static let version = SchemaVersion(3)
    static let models: [any Model.Type] = [Dish.self]

    @Model
    struct Dish {
        let id: ID
        var foodName: String
        var size: Int
        var note: String?
    }
}

@Suite("Checks of a migration plan")
struct MigrationPlanTests {
    private static let second = MigrationStage.lightweight(fromVersion: V2.self, toVersion: V3.self)

    private enum Whole: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self]
        static var stages: [MigrationStage] {
            [
                .lightweight(
                    fromVersion: V1.self, toVersion: V2.self, .rename(V1.Meal.self, to: V2.Dish.self),
                    .rename(\V1.Meal.name, to: \V2.Dish.foodName), .drop(\V1.Meal.userID),
                    .drop(V1.Guest.self), .fill(\V2.Dish.size, with: 1)), second,
            ]
        }
    }

    private enum Silent: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
        static var stages: [MigrationStage] {
            [
                .lightweight(
                    fromVersion: V1.self, toVersion: V2.self, .rename(V1.Meal.self, to: V2.Dish.self),
                    .rename(\V1.Meal.name, to: \V2.Dish.foodName))
            ]
        }
    }

    private enum Talkative: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [V2.self, V3.self]
        static var stages: [MigrationStage] {
            [.lightweight(fromVersion: V2.self, toVersion: V3.self, .drop(\V2.Dish.size))]
        }
    }

    private enum Gap: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self]
        static var stages: [MigrationStage] { [second] }
    }

    private enum Fork: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [V2.self, V3.self]
        static var stages: [MigrationStage] { [second, second] }
    }

    private enum Backwards: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [V3.self, V2.self]
        static var stages: [MigrationStage] { [.lightweight(fromVersion: V3.self, toVersion: V2.self)] }
    }

    private enum Leap: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self]
        static var stages: [MigrationStage] { [.lightweight(fromVersion: V1.self, toVersion: V3.self)] }
    }

    private enum Empty: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = []
        static let stages: [MigrationStage] = []
    }

    private func message(of plan: any SchemaMigrationPlan.Type) -> String? {
        let error = #expect(throws: StoreError.self) { try MigrationPlan(plan) }
        #expect(error?.code == .schemaInvalid)
        return error?.message
    }

    @Test("a plan that accounts for every value is accepted")
    func whole() throws {
        #expect(try MigrationPlan(Whole.self).schemas.map(\.version.major) == [1, 2, 3])
    }

    @Test("a plan that leaves something open reports all of it")
    func silent() {
        #expect(
            message(of: Silent.self)
                == "The stage from 1.0.0 to 2.0.0 does not account for all values. Dish.size may no longer "
                + "be nil: say which value the rows get that have none. Dish.userID is dropped: its values "
                + "would be lost; declare the drop, or the new name. Guest is dropped: its values would be "
                + "lost; declare the drop, or the new name.")
    }

    @Test("a plan with a redundant step reports it")
    func talkative() {
        #expect(
            message(of: Talkative.self)
                == "The stage from 2.0.0 to 3.0.0 says something of Dish.size, which needs nothing; remove that step."
        )
    }

    @Test("versions and stages that do not form one chain are named")
    func chain() {
        #expect(
            message(of: Gap.self)
                == "The migration plan is wrong. No stage leads from 1.0.0 to 2.0.0.")
        #expect(
            message(of: Fork.self)
                == "The migration plan is wrong. 2 stages lead from 2.0.0 to 3.0.0.")
        #expect(
            message(of: Backwards.self)
                == "The migration plan is wrong. Version 2.0.0 comes after 3.0.0; give each a greater number than the one "
                + "before.")
        #expect(
            message(of: Leap.self)
                == "The migration plan is wrong. A stage leads from 1.0.0 to 3.0.0, which are not a version and the next."
        )
        #expect(message(of: Empty.self) == "The migration plan is wrong. It has no version.")
    }
}
