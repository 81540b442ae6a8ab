internal import SQLiteStore
public import SwitchyardCore

/// The plugin of Core Data and SwiftData stores, which are only read: `coredata:PATH`.
///
/// An `AdoptionPlan` converts such a file into a store of Switchyard. Nothing is written to the file or beside it: a file with a
/// WAL, such as one that its app has open, is read from a private copy of both.
///
/// ## Settings
/// - `path`: The file, such as `default.store`.
/// - `busyTimeout`: How many seconds to wait while another process is writing.
/// - `pendingDeletes`: What becomes of rows that CloudKit has reported as deleted, and that the app has not deleted yet:
///   `refused`, with which an adoption is refused while there are any; `applied`, with which they are left out; or `kept`.
/// - `keepsHistory`: Whether the history is offered as a table: `$history`, with a row for each transaction, and its changes as
///   JSON. Otherwise it is only counted.
public enum CoreDataPlugin: StorePlugin {
    /// `coredata`.
    public static let scheme = "coredata"
    /// `swiftdata` is an alias.
    public static let schemeAliases = ["swiftdata"]
    /// The settings, as listed above.
    public static let settings = [
        SettingKey("path", .path, summary: "The file of the Core Data or SwiftData store."),
        SettingKey(
            "busyTimeout", .seconds(0...600), default: "5",
            summary: "How many seconds to wait while another process is writing."),
        SettingKey(
            "pendingDeletes", .choice(PendingDeletes.allCases.map(\.rawValue)), default: "refused",
            summary:
                "What becomes of rows that CloudKit has reported as deleted: refused, applied or kept."),
        SettingKey(
            "keepsHistory", .flag, default: "false",
            summary: "Whether the history is offered as a table of transactions, with their changes as JSON."),
    ]
    /// Everything that needs a store of Switchyard.
    public static let limitations: [StoreCapability: String] = [
        .durability: "A Core Data store is only read.", .scopes: "A Core Data store has no scopes.",
    ]

    /// The settings of a URL: `coredata:PATH`, with a literal path, or `coredata:///ABSOLUTE/PATH`, in which `%` escapes are
    /// resolved and other settings can follow a `?`.
    ///
    /// - Returns: The setting `path`, and those of the query.
    /// - Throws: `configuration` for a URL without a path, with a host, with a query after a literal path, or with invalid
    ///   escapes.
    public static func settings(fromURL url: String) throws -> [String: String] {
        try FileURL(scheme, schemeAliases, settings, of: "a Core Data store", "Core Data").settings(url)
    }

    /// Refuses: the rows of a Core Data store have no ids before an adoption gives them some.
    ///
    /// - Throws: `unsupported`.
    public static func open(
        _ settings: StoreSettings, schema: Schema, options: OpenOptions
    ) async throws -> any Store {
        throw StoreError(
            .unsupported,
            "A Core Data store cannot be opened as a store. Convert it into a new one with an adoption plan.")
    }
}

extension CoreDataPlugin: ForeignDatabasePlugin {
    /// False: a Core Data store is converted into a store.
    public static var hasStores: Bool { false }

    /// The file of the setting `path`.
    public static func foreignDatabase(_ settings: StoreSettings) throws -> any ForeignDatabase {
        let path = try settings.requiredText("path")
        guard !path.utf8.contains(0) else {
            throw StoreError(.configuration, "The path of a Core Data store names a file.")
        }
        return CoreDataFile(
            path: path, busyTimeout: try settings.requiredSeconds("busyTimeout"),
            pendingDeletes: PendingDeletes(rawValue: try settings.requiredText("pendingDeletes")) ?? .refused,
            keepsHistory: settings.flag("keepsHistory"))
    }

    /// Refuses: Core Data's tables are not those of a store.
    ///
    /// - Throws: `unsupported`.
    public static func adopt(
        _ settings: StoreSettings, as versions: [Schema], options: OpenOptions
    ) async throws -> InPlaceAdoption {
        throw StoreError(
            .unsupported,
            "A Core Data store cannot become a store in place. Convert it into a new one with an adoption plan."
        )
    }
}

/// What becomes of rows that CloudKit has reported as deleted.
enum PendingDeletes: String, Sendable, CaseIterable {
    case refused, applied, kept
}
