import Crypto
import Foundation
import SwitchyardCore
import Testing

@testable import CoreDataStore

/// The expectations were read off the files by Python: `sqlite3`, `zlib` and `plistlib`.
@Suite("Real Core Data stores", .enabled(if: RealFiles.areThere, "needs ../shared/data/coredata"))
struct RealFileTests {
    /// The number of rows of each table, and the beginning of the SHA-256 of all of their values.
    private static let tables: [String: [String: String]] = [
        "kik": [
            "KikAttachment": "2 1e581a774a65fd73",
            "KikAttachmentExtra": "2 adaaf503433af986",
            "KikChat": "6 5934950d562c6f20",
            "KikChatExtra": "6 90a4706aa0f658bb",
            "KikChat_MESSAGES": "61 af0d9022f79308be",
            "KikMessage": "60 b6c6f90b19d531d0",
            "KikUser": "25 50d6d1ac7d72e389",
            "KikUserExtra": "25 18905e53c501d03d",
            "KikUser_ADMINSINVERSE": "1 e974ceaf61ff6210",
            "KikUser_BANSINVERSE": "0 e3b0c44298fc1c14",
            "KikUser_MEMBERS": "4 98e2d05ab9a462f5",
        ],
        "Accounts3": [
            "AccessOptionsKey": "7 cf7e8d1f2758c02e",
            "AccessOptionsKey_owningAccountTypes": "12 870a96d8d508fbb6",
            "Account": "18 a72acc04a433722a",
            "AccountProperty": "145 06f857d4ec12d2cc",
            "AccountType": "52 193b0900de1e84de",
            "AccountType_supportedDataclasses": "80 b88aead090ddb734",
            "AccountType_syncableDataclasses": "40 2f037c703e667493",
            "Account_enabledDataclasses": "22 d3783011920c6a9a",
            "Account_provisionedDataclasses": "36 d785c0e72c015618",
            "Authorization": "0 e3b0c44298fc1c14",
            "CredentialItem": "0 e3b0c44298fc1c14",
            "Dataclass": "41 df5208f734a925c5",
        ],
        "RMAdminStore-Local": [
            "AskForTimeRequestResponse": "0 e3b0c44298fc1c14",
            "Blueprint": "1 a82ddc72a9761f6d",
            "BlueprintConfiguration": "1 68af6ce93c10c180",
            "BlueprintSchedule": "0 e3b0c44298fc1c14",
            "BlueprintUsageLimit": "0 e3b0c44298fc1c14",
            "Blueprint_users": "1 32bf152c1b584c87",
            "CloudOrganization": "1 b45b9eec16fbd33f",
            "CloudOrganizationSettings": "1 7a2a2a0499888290",
            "CoreDevice": "3 dc8090777696e267",
            "CoreTransportPayload": "0 e3b0c44298fc1c14",
            "CoreUser": "1 55d9acab521866e1",
            "DailySchedule": "0 e3b0c44298fc1c14",
            "Downtime": "0 e3b0c44298fc1c14",
            "FamilyOrganization": "0 e3b0c44298fc1c14",
            "FamilyOrganizationSettings": "0 e3b0c44298fc1c14",
            "InstalledApp": "156 105426dba3002a05",
            "LocalOrganization": "1 7cd7585e1520479d",
            "LocalOrganizationSettings": "1 6f886faf3eff43c3",
            "RMCloudActivation": "0 e3b0c44298fc1c14",
            "ScreenTimeSettings": "1 182834988d6efb60",
            "TestSyncableObject": "0 e3b0c44298fc1c14",
            "TestSyncableSubObject": "0 e3b0c44298fc1c14",
            "Usage": "3 03b35444a8897999",
            "UsageBlock": "744 68bad1bc0201db03",
            "UsageCategory": "497 78e2208fdf2a49df",
            "UsageCountedItem": "719 7682407da68ef5db",
            "UsageRequest": "1 2ac2c319a404a657",
            "UsageTimedItem": "777 ddb1491d8b2a0d04",
            "UserDeviceAddress": "0 e3b0c44298fc1c14",
            "UserDeviceState": "3 8eb958e9e8249ea3",
        ],
        "DataUsage": [
            "CheckUpEvent": "0 e3b0c44298fc1c14",
            "DemoLiveUsage": "0 e3b0c44298fc1c14",
            "Event": "0 e3b0c44298fc1c14",
            "EventScene": "0 e3b0c44298fc1c14",
            "LiveUsage": "887 817a5df9cd12d551",
            "Peer": "0 e3b0c44298fc1c14",
            "Process": "371 4d7966c66119014c",
            "TshootingData": "0 e3b0c44298fc1c14",
            "WiFiData": "0 e3b0c44298fc1c14",
        ],
    ]

    /// The SHA-256 of a line for each entity, attribute and relationship.
    private static let models: [String: String] = [
        "Accounts3": "b3781e46f2be14dca640ea94b25fa4a4c33321f018bbeb42f9002ad906731d70",
        "DataUsage": "10d10a49a90c9ebec79f0fb7b0e3a9d258faae6fec48963e2b2df8e173f37b1f",
        "RMAdminStore-Local": "b7f34f111ac389c56b7246dcd7aaa1dc23c9a9684c8965fa945af469fcf22361",
    ]

    private static func database(_ name: String) throws -> any ForeignDatabase {
        try PluginRegistry([CoreDataPlugin.self]).foreignDatabase(url: "coredata:" + RealFiles.path(name))
    }

    private static func read<Value: Sendable>(
        _ name: String, _ body: @escaping @Sendable (any ForeignSnapshot) throws -> Value
    ) async throws -> Value {
        let database = try database(name)
        return try await BlockingWork.run { try database.read(body) }
    }

    private static func text(_ value: ForeignValue) -> String {
        switch value {
        case .null: "-"
        case .integer(let number): "i\(number)"
        case .real(let number): "r\(number)"
        case .text(let text): "s" + text
        case .blob(let data): "b" + String(hexadecimal: Data(SHA256.hash(data: data)))
        case .uuid(let uuid): "u" + uuid.uuidString.lowercased()
        case .timestamp(let microseconds): "t\(microseconds)"
        case .invalidText, .unreadable: "?"
        }
    }

    @Test("each row and value of a real store is read", arguments: tables.keys.sorted())
    func rows(name: String) async throws {
        let before = try Data(contentsOf: URL(filePath: RealFiles.path(name)))
        let found = try await Self.read(name) { snapshot in
            var found: [String: String] = [:]
            for table in try snapshot.tables() where table.purpose == nil {
                let names = table.columns.map(\.name)
                var (count, hash) = (0, SHA256())
                try snapshot.forEachRow(of: table, names) { values in
                    count += 1
                    let lines = zip(names, values).map { "\($0)=\(Self.text($1))" }
                    let sorted = lines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                    hash.update(data: Data((sorted.joined(separator: "\n") + "\n\n").utf8))
                }
                let digest = String(hexadecimal: Data(hash.finalize()))
                found[table.name] = "\(count) \(digest.prefix(16))"
            }
            return found
        }
        let expected = try #require(Self.tables[name])
        for (table, row) in expected { #expect(found[table] == row, "\(table)") }
        #expect(found.count == expected.count, "\(found.keys.sorted())")
        #expect(try Data(contentsOf: URL(filePath: RealFiles.path(name))) == before)
    }

    @Test("the model of a real store is read", arguments: models.keys.sorted())
    func model(name: String) async throws {
        let model = try await Self.read(name) { ($0 as? CoreDataSnapshot)?.catalogue.model }
        var lines: [String] = []
        for entity in try #require(model).entities {
            let unique = entity.uniqueConstraints.map { $0.joined(separator: ",") }.joined(separator: ";")
            lines.append(
                [
                    "E", entity.name, entity.superentity ?? "-", entity.isAbstract ? "abstract" : "concrete",
                    entity.renamingIdentifier ?? "-", unique,
                ].joined(separator: "|"))
            for attribute in entity.attributes {
                let value =
                    switch attribute.defaultValue {
                    case nil: "-"
                    case .bool(let flag): "bool \(flag)"
                    case .integer(let number): "int \(number)"
                    case .real(let number): "real \(number)"
                    case .text(let text): "text \(text)"
                    default: "?"
                    }
                lines.append(
                    [
                        "A", entity.name, attribute.name, "\(attribute.type.rawValue)",
                        attribute.isOptional ? "optional" : "required",
                        attribute.isExternal ? "external" : "-",
                        value, attribute.renamingIdentifier ?? "-",
                    ].joined(separator: "|"))
            }
            for relationship in entity.relationships {
                lines.append(
                    [
                        "R", entity.name, relationship.name, relationship.destination,
                        relationship.inverse ?? "-",
                        relationship.isToMany ? "many" : "one",
                        relationship.isOptional ? "optional" : "required",
                        "\(relationship.deleteRule.rawValue)", relationship.renamingIdentifier ?? "-",
                    ].joined(separator: "|"))
            }
        }
        let text = lines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.joined(separator: "\n")
        #expect(String(hexadecimal: Data(SHA256.hash(data: Data(text.utf8)))) == Self.models[name])
    }

    @Test("references of a real store name the tables that they lead to")
    func references() async throws {
        let tables = try await Self.read("RMAdminStore-Local") { try $0.tables() }
        func keys(_ name: String) throws -> [String] {
            let table = try #require(tables.first { $0.name == name })
            return table.foreignKeys.map { "\($0.columns[0]) → \($0.table)" }
        }
        #expect(try keys("Usage") == ["device → CoreDevice", "user → CoreUser"])
        #expect(
            try keys("Blueprint") == [
                "organization_CloudOrganization → CloudOrganization",
                "organization_FamilyOrganization → FamilyOrganization",
                "organization_LocalOrganization → LocalOrganization", "schedule → BlueprintSchedule",
                "usageLimit → BlueprintUsageLimit",
            ])
        #expect(try keys("Blueprint_users") == ["blueprints → Blueprint", "users → CoreUser"])
        #expect(
            try #require(tables.first { $0.name == "Blueprint_users" }).primaryKey == ["blueprints", "users"])
    }

    @Test("findings explain Core Data's own tables, the history, and a model that is missing")
    func findings() async throws {
        func lines(_ name: String) async throws -> [String] {
            try await Self.read(name) { snapshot in
                try snapshot.findings().map { "\($0.code) \($0.table ?? "-") \($0.rows)" }
            }
        }
        #expect(
            try await lines("kik") == [
                "modelMissing - 0", "bookkeeping Z_METADATA 1", "bookkeeping Z_PRIMARYKEY 7",
            ])
        #expect(
            try await lines("RMAdminStore-Local") == [
                "history ACHANGE 19929", "bookkeeping ACHANGE 19929", "bookkeeping ATRANSACTION 939",
                "bookkeeping ATRANSACTIONSTRING 10", "bookkeeping Z_METADATA 1", "bookkeeping Z_MODELCACHE 1",
                "bookkeeping Z_PRIMARYKEY 34",
            ])
        #expect(
            try await lines("Accounts3") == [
                "bookkeeping Z_METADATA 1", "bookkeeping Z_MODELCACHE 1", "bookkeeping Z_PRIMARYKEY 7",
            ])
    }

    @Test("the store's own UUID distinguishes it")
    func identity() async throws {
        #expect(
            try await Self.read("kik") { try $0.databaseID() }?.uuidString
                == "FD0CDBFF-F80E-4D08-B817-2F3BFB4EFF5D")
    }
}
