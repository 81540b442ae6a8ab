internal import Foundation
internal import GRDB
internal import SQLiteStore
internal import Switchyard
internal import SwitchyardCore

/// The file that the crash left: of version 10, but some models, and the references to the profile, are still those of version 9.
///
/// The app's own stack did that. Here the tables are put together by SQL, from a store of version 9 and one that was migrated
/// to version 10.
enum HalfWayFile {
    /// The models that version 10 took over from version 9 by name, or that its stage never reached.
    static let leftBehind = [
        "SDActivitySnapshot", "SDDietaryAndActivityPreferences", "SDMeal", "SDPhotoRecognition",
        "SDPhysicalAttribute", "SDProgressEntry", "SDSleepSession",
    ]

    /// Leaves a store of version 9 half-way.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - registry: Opens it.
    /// - Throws: `StoreError`, or GRDB's error.
    static func leave(at path: String, _ registry: PluginRegistry) async throws {
        let older = path + ".older"
        try FileManager.default.copyItem(atPath: path, toPath: older)
        defer { try? FileManager.default.removeItem(atPath: older) }
        try await registry.open(url: "sqlite:" + path, migrating: ToVersion10.self).close()
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try await queue.writeWithoutTransaction { database in
            try database.execute(sql: "ATTACH ? AS older", arguments: [older])
            for table in leftBehind {
                try database.execute(sql: "DROP TABLE main.\"\(table)\"")
                let made = try String.fetchAll(
                    database,
                    sql:
                        "SELECT sql FROM older.sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type DESC",
                    arguments: [table])
                for text in made { try database.execute(sql: text) }
                try database.execute(sql: "INSERT INTO main.\"\(table)\" SELECT * FROM older.\"\(table)\"")
            }
            try database.execute(sql: "DETACH older")
        }
        try queue.close()
        // The backup of the stage is not what this is about.
        try? FileManager.default.removeItem(atPath: path + ".0.0.9.backup")
    }

    /// The plan as it was when the app crashed.
    private enum ToVersion10: SchemaMigrationPlan {
        static let schemas = Array(FitIQPlan.schemas.prefix(10))
        static var stages: [MigrationStage] { Array(FitIQPlan.stages.prefix(9)) }
    }
}
