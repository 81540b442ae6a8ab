import Switchyard
import SwitchyardLint
import Testing

private enum V1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Meal.self]

    @Model
    struct Meal {
        let id: ID
        var name: String
    }
}

/// The same version, edited.
private enum Edited: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Meal.self]

    @Model
    struct Meal {
        let id: ID
        var name: String?
        var size: Int = 1
    }
}

private enum V2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Meal.self]

    @Model
    struct Meal {
        let id: ID
        var name: String
        var note: String?
    }
}

@Suite("The lock file")
struct LockTests {
    private enum First: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [V1.self]
        static let stages: [MigrationStage] = []
    }

    private enum Changed: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [Edited.self, V2.self]
        static var stages: [MigrationStage] { [.lightweight(fromVersion: Edited.self, toVersion: V2.self)] }
    }

    private enum Both: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
        static var stages: [MigrationStage] { [.lightweight(fromVersion: V1.self, toVersion: V2.self)] }
    }

    private enum Twice: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [V1.self, Edited.self]
        static let stages: [MigrationStage] = []
    }

    @Test("the lock file has each version in lines, and is read as it was written")
    func text() throws {
        var lock = SchemaLock()
        #expect(try lock.freeze(First.self) == [SchemaVersion(1)])
        #expect(try lock.freeze(Both.self) == [SchemaVersion(2)])
        #expect(try lock.freeze(Both.self) == [])
        let lines = lock.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines.filter { !$0.hasPrefix("#") && !$0.hasPrefix("schema ") } == [
                "", "entity Meal", "  id: uuid", "  name: text", "", "entity Meal", "  id: uuid",
                "  name: text",
                "  note: text?", "",
            ])
        #expect(lines[2] == "schema 1.0.0 f4b3fb94baef8131fc8291bc2b18b049ac24710e362449b35366f5b109aec900")
        #expect(try SchemaLock(text: lock.text) == lock)
        #expect(try SchemaLock(text: lock.text.replacing("\n", with: "\r\n")) == lock)
    }

    @Test("the lock file refuses a changed version, unless it is to be replaced")
    func changed() throws {
        var lock = SchemaLock()
        _ = try lock.freeze(First.self)
        let before = lock
        let error = #expect(throws: StoreError.self) { try lock.freeze(Changed.self) }
        #expect(error?.code == .schemaMismatch)
        #expect(
            error?.message
                == "Version 1.0.0 was changed since it was frozen: entity Meal no longer has `name: text`; entity Meal has "
                + "`name: text?` now; entity Meal has `size: int = 1` now. Undo that and make a new version, or replace this "
                + "one if it was never released. Nothing was frozen.")
        #expect(lock == before)
        #expect(
            try lock.freeze(Changed.self, replacing: SchemaVersion(1)) == [
                SchemaVersion(1), SchemaVersion(2),
            ])
        #expect(
            lock[SchemaVersion(1)]?.lines == [
                "entity Meal", "  id: uuid", "  name: text?", "  size: int = 1",
            ])
    }

    @Test("the lock file refuses a repeated version, and the replacement of a missing one")
    func refused() throws {
        var lock = SchemaLock()
        #expect(throws: StoreError.self) { try lock.freeze(Twice.self) }
        let error = #expect(throws: StoreError.self) {
            try lock.freeze(First.self, replacing: SchemaVersion(3))
        }
        #expect(error?.code == .invalidArgument)
        #expect(lock == SchemaLock())
    }

    @Test(
        "an invalid lock file is refused with the number of the wrong line",
        arguments: [
            ("entity Meal\n", "Line 1"), ("schema 1.0.0 ab\n<<<<<<< HEAD\n", "Line 2"),
            ("schema 1.0.0\n", "Line 1"), ("schema one ab\n", "Line 1"),
            ("schema 1.0.0 ab\n\nschema 1.0.0 cd\n", "Line 3"), ("schema -1.0.0 ab\n", "Line 1"),
            ("schema 1.0.0.0 ab\n", "Line 1"),
        ])
    func faults(_ text: String, _ line: String) throws {
        let error = #expect(throws: StoreError.self) { try SchemaLock(text: text) }
        #expect(error?.code == .configuration)
        #expect(error?.message.hasPrefix(line) == true)
    }
}
