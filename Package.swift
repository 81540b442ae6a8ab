// swift-tools-version: 6.2

import CompilerPluginSupport
import Foundation
import PackageDescription

let package = Package(
    name: "Switchyard",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Switchyard", targets: ["Switchyard"]),
        // What backends are written with.
        .library(name: "SwitchyardCore", targets: ["SwitchyardCore"]),
        .library(name: "SwitchyardSQL", targets: ["SwitchyardSQL"]),
        .library(name: "SwitchyardConfiguration", targets: ["SwitchyardConfiguration"]),
        .library(name: "SwitchyardAppGroup", targets: ["SwitchyardAppGroup"]),
        .library(name: "SwitchyardCSV", targets: ["SwitchyardCSV"]),
        .library(name: "SwitchyardJSON", targets: ["SwitchyardJSON"]),
        // Queries written as text.
        .library(name: "SwitchyardQuery", targets: ["SwitchyardQuery"]),
        .library(name: "SwitchyardIntents", targets: ["SwitchyardIntents"]),
        .library(name: "SwitchyardLint", targets: ["SwitchyardLint"]),
        .library(name: "SwitchyardTransfer", targets: ["SwitchyardTransfer"]),
        .library(name: "SwitchyardMirror", targets: ["SwitchyardMirror"]),
        // What a mirror's service does, without an HTTP server; Plugins/MirrorService has one.
        .library(name: "SwitchyardMirrorService", targets: ["SwitchyardMirrorService"]),
        .library(name: "SwitchyardConformance", targets: ["SwitchyardConformance"]),
        .library(name: "MemoryStore", targets: ["MemoryStore"]),
        .library(name: "SQLiteStore", targets: ["SQLiteStore"]),
        .library(name: "SQLiteRelocation", targets: ["SQLiteRelocation"]),
        // Core Data and SwiftData stores, which are read to be converted.
        .library(name: "CoreDataStore", targets: ["CoreDataStore"]),
        .library(name: "PostgresStore", targets: ["PostgresStore"]),
        .library(name: "TableCopy", targets: ["TableCopy"]),
        .plugin(name: "SchemaLint", targets: ["SchemaLint"]),
        // The store's commands, for an app's own command; the second is apart, since it links libpq.
        .library(name: "SwitchyardCommands", targets: ["SwitchyardCommands"]),
        .library(name: "TableCopyCommand", targets: ["TableCopyCommand"]),
        .executable(name: "switchyard", targets: ["SwitchyardProgram"]),
    ],
    traits: [
        .trait(name: "YAML", description: "Reads configuration files written in YAML, besides JSON."),
        .trait(name: "Metrics", description: "Keeps figures of the stores' work in swift-metrics."),
        .trait(name: "Tracing", description: "Makes spans of transactions in swift-distributed-tracing."),
        .default(enabledTraits: ["YAML"]),
    ],
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"605.0.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
    ],
    targets: [
        // The façade: macro declarations and re-exports.
        .target(name: "Switchyard", dependencies: ["SwitchyardCore", "SwitchyardMacros"]),
        // What backends are written with, in modules that each use those before it alone. Every other target imports them all as
        // SwitchyardCore, which has no code of its own.
        .target(
            name: "SwitchyardValue", dependencies: [.product(name: "Crypto", package: "swift-crypto")]),
        .target(name: "SwitchyardModel", dependencies: ["SwitchyardValue"]),
        // A system call that Swift does not show.
        .target(name: "CExclusiveRename"),
        .target(name: "SwitchyardFiles", dependencies: ["CExclusiveRename", "SwitchyardValue"]),
        .target(
            name: "SwitchyardStore",
            dependencies: [
                "SwitchyardModel",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
                .product(
                    name: "Tracing", package: "swift-distributed-tracing",
                    condition: .when(traits: ["Tracing"])),
            ]),
        // Rows with what their relationships lead to.
        .target(name: "SwitchyardRelated", dependencies: ["SwitchyardStore"]),
        .target(name: "SwitchyardHistory", dependencies: ["SwitchyardRelated"]),
        .target(name: "SwitchyardMigration", dependencies: ["SwitchyardHistory"]),
        // The kit of backends that keep rows themselves, by their keys or in memory.
        .target(
            name: "SwitchyardRowStore",
            dependencies: [
                "SwitchyardStore",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HashTreeCollections", package: "swift-collections"),
            ]),
        // The rules of a mirror: what a device and a server say to each other, and how edits are merged. It has no task, no clock
        // and no store.
        .target(name: "SwitchyardMirrorEngine", dependencies: ["SwitchyardCore"]),
        // A store that keeps itself and a server in step.
        .target(name: "SwitchyardMirror", dependencies: ["SwitchyardCore", "SwitchyardMirrorEngine"]),
        // The other end of a mirror, for devices that reach no database; it knows no HTTP server.
        .target(name: "SwitchyardMirrorService", dependencies: ["SwitchyardCore", "SwitchyardMirror"]),
        // Where a store is that was switched. It is below SwitchyardTransfer, which switches stores: an app opens its store by
        // it at every launch, and backends and configuration name places.
        .target(
            name: "SwitchyardPlaces",
            dependencies: [
                "SwitchyardFiles", "SwitchyardMigration", .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "SwitchyardCore",
            dependencies: [
                "SwitchyardFiles", "SwitchyardHistory", "SwitchyardMigration", "SwitchyardModel",
                "SwitchyardPlaces", "SwitchyardRelated", "SwitchyardRowStore", "SwitchyardStore",
                "SwitchyardValue",
            ]),
        .macro(
            name: "SwitchyardMacros",
            dependencies: [
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
            ]),
        .target(name: "SwitchyardAppGroup", dependencies: ["SwitchyardCore"]),
        // Only who imports it links swift-configuration and the reader of YAML.
        .target(
            name: "SwitchyardConfiguration",
            dependencies: [
                "SwitchyardAppGroup", "SwitchyardCore", "SwitchyardMirror",
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Yams", package: "Yams", condition: .when(traits: ["YAML"])),
            ]),
        .target(name: "SwitchyardSQL", dependencies: ["SwitchyardCore"]),
        .target(
            name: "SwitchyardCSV",
            dependencies: ["SwitchyardCore", .product(name: "Crypto", package: "swift-crypto")]),
        // Files are read and written as by SwitchyardCSV.
        .target(name: "SwitchyardJSON", dependencies: ["SwitchyardCore", "SwitchyardCSV"]),
        // Queries written as text; values are written and read as by SwitchyardCSV.
        .target(name: "SwitchyardQuery", dependencies: ["SwitchyardCore", "SwitchyardCSV"]),
        .target(name: "SwitchyardIntents", dependencies: ["SwitchyardCore"]),
        // The lock file and the lint of a migration plan; only a tool links it, and no app.
        .target(name: "SwitchyardLint", dependencies: ["SwitchyardCore"]),
        .target(
            name: "SwitchyardTransfer",
            dependencies: [
                "SwitchyardCore", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        // What a suite of requirements is made of, and the requirements.
        .target(name: "SwitchyardConformanceKit", dependencies: ["Switchyard", "SwitchyardCore"]),
        .target(
            name: "SwitchyardConformance",
            dependencies: ["Switchyard", "SwitchyardConformanceKit", "SwitchyardCore"]),

        // Backends. Each knows Core and, where it speaks SQL, SwitchyardSQL; none knows another.
        .target(name: "MemoryStore", dependencies: ["SwitchyardCore"], path: "Plugins/MemoryStore"),
        .target(
            name: "SQLiteStore",
            dependencies: [
                "SwitchyardCore", "SwitchyardSQL",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            path: "Plugins/SQLiteStore"),
        // Only who moves files links it.
        .target(
            name: "SQLiteRelocation",
            dependencies: [
                "SwitchyardCore", "SQLiteStore",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        // It reads files of SQLite as SQLiteStore does.
        .target(
            name: "CoreDataStore", dependencies: ["SwitchyardCore", "SQLiteStore"],
            path: "Plugins/CoreDataStore"),
        .target(name: "CLibPQ", path: "Plugins/PostgresStore/CLibPQ"),
        .target(
            name: "PostgresStore",
            dependencies: [
                "SwitchyardCore", "SwitchyardSQL", "CLibPQ",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Plugins/PostgresStore", exclude: ["CLibPQ"]),

        // Tables of databases that are no stores, from SQLite to PostgreSQL: the one target that knows two backends.
        .target(
            name: "TableCopy",
            dependencies: [
                "SwitchyardCore", "SwitchyardSQL", "SwitchyardTransfer", "SQLiteStore", "PostgresStore",
                .product(name: "Logging", package: "swift-log"),
            ]),

        // `swift package schema-lint`, for every package with an executable that depends on SwitchyardLint.
        .plugin(
            name: "SchemaLint",
            capability: .command(
                intent: .custom(
                    verb: "schema-lint", description: "Checks the migration plan that an executable knows.")),
            path: "Sources/SchemaLint"),

        // The store's commands, for an app's own command. It knows one backend, whose files are moved and looked at.
        .target(
            name: "SwitchyardCommands",
            dependencies: [
                "SwitchyardAppGroup", "SwitchyardConfiguration", "SwitchyardCore", "SwitchyardCSV",
                "SwitchyardIntents", "SwitchyardJSON", "SwitchyardLint", "SwitchyardMirror",
                "SwitchyardQuery", "SwitchyardTransfer", "MemoryStore", "SQLiteRelocation", "SQLiteStore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "TableCopyCommand",
            dependencies: [
                "SwitchyardCommands", "SwitchyardCore", "SwitchyardTransfer", "TableCopy",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        // `switchyard`: the same for any store, without its app.
        .executableTarget(
            name: "SwitchyardProgram",
            dependencies: [
                "SwitchyardCommands", "SwitchyardConfiguration", "SwitchyardCore", "SwitchyardCSV",
                "SwitchyardTransfer", "CoreDataStore", "PostgresStore", "SQLiteStore", "TableCopyCommand",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        // Faults on purpose: see Tests/Chaos/run.
        .executableTarget(
            name: "Chaos",
            dependencies: [
                "Switchyard", "SwitchyardCore", "SwitchyardConformance", "SwitchyardMirror",
                "SwitchyardMirrorService", "SwitchyardTransfer",
                "MemoryStore", "SQLiteRelocation", "SQLiteStore", "PostgresStore", "PostgresTestServer",
                "JSONDirectoryStore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Chaos/Sources"),

        // The mirror's simulation, and the program that runs it with many seeds: see Tests/mirror-seeds.
        .target(
            name: "MirrorSimulation", dependencies: ["SwitchyardCore", "SwitchyardMirror"],
            path: "Tests/MirrorSimulation"),
        .executableTarget(
            name: "MirrorSeeds",
            dependencies: [
                "MirrorSimulation", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/MirrorSeeds"),
        .executableTarget(
            name: "MirrorBenchmarks",
            dependencies: [
                "PostgresStore", "SQLiteStore", "SwitchyardCore", "SwitchyardMirror",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/MirrorBenchmarks"),
        .testTarget(
            name: "SwitchyardMirrorTests",
            dependencies: [
                "BabyMonitorKit", "MirrorSimulation", "Switchyard", "SwitchyardConformance", "SwitchyardCore",
                "SwitchyardCommands", "SwitchyardCSV", "SwitchyardIntents", "SwitchyardMirror",
                "SwitchyardMirrorEngine", "SwitchyardMirrorService", "SwitchyardTransfer",
                "CLibPQ", "PostgresStore", "PostgresTestServer", "SQLiteRelocation", "SQLiteStore",
                "TestBackends",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),

        // The server that Tests/run starts, for the tests of three targets.
        .target(
            name: "PostgresTestServer", dependencies: ["CLibPQ", "PostgresStore", "SwitchyardCore"],
            path: "Tests/PostgresTestServer"),
        // The backends as arguments of tests, and places for their stores.
        .target(
            name: "TestBackends",
            dependencies: [
                "SwitchyardConformance", "SwitchyardCore", "MemoryStore", "PostgresStore",
                "PostgresTestServer", "SQLiteStore",
            ], path: "Tests/TestBackends"),
        // A logger whose records tests look at.
        .target(
            name: "LogRecords",
            dependencies: [
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
            ], path: "Tests/LogRecords"),
        // A model for the tests of two databases' query plans.
        .target(name: "EntryModel", dependencies: ["Switchyard"], path: "Tests/EntryModel"),
        // Plugins with settings of all kinds, for the tests of the registry and of configuration.
        .target(name: "ToyPlugins", dependencies: ["SwitchyardCore"], path: "Tests/ToyPlugins"),
        // It compiles the macros' sources itself, by a link to them: if one test depended on the macro target, SwiftPM would
        // build all tests for the host, and with them the whole library a second time.
        .testTarget(
            name: "SwitchyardMacrosTests",
            dependencies: [
                "Switchyard",
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
            ],
            exclude: ["Macros/Plugin.swift"]),
        .testTarget(
            name: "SwitchyardCoreTests",
            dependencies: [
                "Switchyard", "SwitchyardCore", "SwitchyardModel", "SwitchyardRowStore", "SwitchyardStore",
                "MemoryStore", "ToyPlugins", "LogRecords",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(name: "SwitchyardAppGroupTests", dependencies: ["SwitchyardAppGroup", "ToyPlugins"]),
        .testTarget(
            name: "SwitchyardConfigurationTests", dependencies: ["SwitchyardConfiguration", "ToyPlugins"]),
        .testTarget(name: "SwitchyardSQLTests", dependencies: ["SwitchyardSQL"]),
        // The examples of the documentation's articles.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Switchyard", "SwitchyardCommands", "SwitchyardConfiguration", "SwitchyardConformance",
                "SwitchyardCore", "SwitchyardCSV", "SwitchyardIntents", "SwitchyardJSON", "SwitchyardLint",
                "SwitchyardMirror", "SwitchyardQuery", "SwitchyardTransfer", "CoreDataStore", "MemoryStore",
                "PostgresStore", "SQLiteStore", "LogRecords",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "SwitchyardCSVTests",
            dependencies: ["SwitchyardCSV", "SwitchyardConformance", "SwitchyardCore", "TestBackends"]),
        .testTarget(
            name: "SwitchyardLintTests", dependencies: ["Switchyard", "SwitchyardCore", "SwitchyardLint"]),
        .testTarget(
            name: "SwitchyardJSONTests",
            dependencies: [
                "SwitchyardJSON", "SwitchyardConformance", "Switchyard", "SwitchyardCore", "TestBackends",
            ]),
        .testTarget(
            name: "SwitchyardQueryTests",
            dependencies: ["Switchyard", "SwitchyardCore", "SwitchyardQuery", "TestBackends"]),
        .testTarget(name: "SwitchyardIntentsTests", dependencies: ["SwitchyardIntents", "MemoryStore"]),
        .testTarget(
            name: "SwitchyardTransferTests",
            dependencies: [
                "Switchyard", "SwitchyardTransfer", "SwitchyardConformance", "TestBackends", "MemoryStore",
                "SQLiteStore", "PostgresStore", "TableCopy",
                "PostgresTestServer", .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "MemoryStoreTests",
            dependencies: ["MemoryStore", "Switchyard", "SwitchyardCore", "SwitchyardHistory"]),
        .testTarget(
            name: "SQLiteStoreTests",
            dependencies: [
                "EntryModel", "SQLiteStore", "Switchyard", "SwitchyardCore", "SwitchyardSQL",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                "LogRecords",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "CoreDataStoreTests",
            dependencies: [
                "BabyMonitorKit", "CoreDataStore", "FitIQ", "KeepTrack", "LeaveSwiftData", "MemoryStore",
                "PostgresStore", "PostgresTestServer", "SQLiteStore", "Switchyard",
                "SwitchyardCore", "SwitchyardTransfer", "TestBackends", "W8Trackr",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "SQLiteRelocationTests",
            dependencies: [
                "SQLiteRelocation", "SQLiteStore", "SwitchyardCore",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "PostgresStoreTests",
            dependencies: [
                "EntryModel", "PostgresStore", "PostgresTestServer", "Switchyard", "SwitchyardCore",
                "SwitchyardSQL", "LogRecords",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "TableCopyTests",
            dependencies: [
                "TableCopy", "PostgresStore", "PostgresTestServer", "SwitchyardCore", "SwitchyardTransfer",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "SwitchyardConformanceTests",
            dependencies: [
                "SwitchyardConformance", "SwitchyardConformanceKit", "SwitchyardMigration", "SwitchyardStore",
                "MemoryStore", "SQLiteStore", "PostgresStore", "PostgresTestServer",
                "TestBackends", .product(name: "GRDB", package: "GRDB.swift"),
                "BabyMonitorKit", "LogRecords", "SwitchyardSQL",
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
                .product(
                    name: "InMemoryTracing", package: "swift-distributed-tracing",
                    condition: .when(traits: ["Tracing"])),
            ]),
        // The program is run as a process, on stores of an app that it does not know. Its support is a link to that of
        // BabyMonitorCLITests.
        .testTarget(
            name: "SwitchyardProgramTests",
            dependencies: [
                "PostgresStore", "PostgresTestServer", "SQLiteStore", "Switchyard", "SwitchyardCommands",
                "SwitchyardCore", "SwitchyardMirror", "SwitchyardProgram",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),

        // The examples. They write what a dependant writes: no symbol of `package` access is seen by them.
        .target(
            name: "JSONDirectoryStore", dependencies: ["SwitchyardCore"],
            path: "Examples/Sources/JSONDirectoryStore", packageAccess: false),
        .testTarget(
            name: "JSONDirectoryStoreTests",
            dependencies: [
                "JSONDirectoryStore", "MemoryStore", "Switchyard", "SwitchyardConformance", "SwitchyardCore",
            ],
            path: "Examples/Tests/JSONDirectoryStoreTests", packageAccess: false),
        // The reference app, without its views, and its command.
        .target(
            name: "BabyMonitorKit",
            dependencies: [
                "Switchyard", "SwitchyardAppGroup", "SwitchyardCore", "SwitchyardCSV", "SwitchyardIntents",
                "SwitchyardMirror",
            ],
            path: "Examples/Sources/BabyMonitorKit", exclude: ["schema.accepted", "schema.lock"],
            packageAccess: false),
        .executableTarget(
            name: "babymonitor",
            dependencies: [
                "BabyMonitorKit", "Switchyard", "SwitchyardAppGroup", "SwitchyardCommands",
                "SwitchyardConfiguration", "SwitchyardCore", "SwitchyardCSV", "SwitchyardIntents",
                "SwitchyardMirror", "MemoryStore", "PostgresStore", "SQLiteStore", "TableCopyCommand",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Examples/Sources/babymonitor", packageAccess: false),
        // The classic questions to two sample databases, each one query.
        .testTarget(
            name: "QuestionTests", dependencies: ["Switchyard", "SwitchyardCore", "TestBackends"],
            path: "Examples/Tests/QuestionTests", exclude: ["README.md"], packageAccess: false),
        .testTarget(
            name: "BabyMonitorTests",
            dependencies: [
                "BabyMonitorKit", "MemoryStore", "PostgresStore", "PostgresTestServer", "SQLiteStore",
                "Switchyard", "SwitchyardAppGroup", "SwitchyardConformance", "SwitchyardCore",
                "SwitchyardCSV", "SwitchyardIntents", "SwitchyardLint", "TestBackends",
            ],
            path: "Examples/Tests/BabyMonitorTests", packageAccess: false),
        // The command is run as a process; the tests change its files with GRDB.
        .testTarget(
            name: "BabyMonitorCLITests",
            dependencies: [
                "BabyMonitorKit", "babymonitor", "FitIQ", "KeepTrackCommand", "MirrorConflicts",
                "W8TrackrCommand",
                "PostgresTestServer", "SQLiteStore", "SwitchyardCore",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Examples/Tests/BabyMonitorCLITests", packageAccess: false),
        // The release of the reference app that leaves SwiftData.
        .executableTarget(
            name: "LeaveSwiftData",
            dependencies: [
                "BabyMonitorKit", "CoreDataStore", "SQLiteStore", "Switchyard", "SwitchyardCommands",
                "SwitchyardTransfer", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Examples/Sources/LeaveSwiftData", packageAccess: false),
        // Every conflict of a mirror between two phones and a server, with its result.
        .executableTarget(
            name: "MirrorConflicts",
            dependencies: [
                "SQLiteStore", "Switchyard", "SwitchyardCore", "SwitchyardCSV", "SwitchyardMirror",
                "SwitchyardTransfer", .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Examples/Sources/MirrorConflicts", packageAccess: false),
        // An app whose store moves into the app group, so that a widget can read it; without its views.
        .target(
            name: "W8Trackr",
            dependencies: [
                "SQLiteRelocation", "SQLiteStore", "Switchyard", "SwitchyardAppGroup", "SwitchyardCore",
                "SwitchyardTransfer",
            ],
            path: "Examples/Sources/W8Trackr", packageAccess: false),
        .executableTarget(
            name: "W8TrackrCommand",
            dependencies: [
                "W8Trackr", "PostgresStore", "SQLiteStore", "Switchyard", "SwitchyardAppGroup",
                "SwitchyardCommands",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Examples/Sources/W8TrackrCommand", packageAccess: false),
        .testTarget(
            name: "W8TrackrTests",
            dependencies: [
                "W8Trackr", "SQLiteRelocation", "SQLiteStore", "Switchyard", "SwitchyardAppGroup",
                "SwitchyardCore",
            ],
            path: "Examples/Tests/W8TrackrTests", packageAccess: false),
        // An app with eleven versions of its schema, and a command that takes a store through them.
        .executableTarget(
            name: "FitIQ",
            dependencies: [
                "PostgresStore", "SQLiteStore", "Switchyard", "SwitchyardCommands", "SwitchyardConformance",
                "SwitchyardCore", "SwitchyardTransfer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Examples/Sources/FitIQ", packageAccess: false),
        .testTarget(
            name: "FitIQTests",
            dependencies: [
                "FitIQ", "MemoryStore", "SQLiteStore", "Switchyard", "SwitchyardConformance",
                "SwitchyardCore", "TestBackends",
            ],
            path: "Examples/Tests/FitIQTests", packageAccess: false),
        // An app whose files of JSON become a store with versions; and its first two launches as a command.
        .target(
            name: "KeepTrack", dependencies: ["Switchyard", "SwitchyardJSON", "SwitchyardTransfer"],
            path: "Examples/Sources/KeepTrack", packageAccess: false),
        .executableTarget(
            name: "KeepTrackCommand",
            dependencies: [
                "KeepTrack", "PostgresStore", "SQLiteStore", "Switchyard", "SwitchyardCommands",
                "SwitchyardJSON",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Examples/Sources/KeepTrackCommand", packageAccess: false),
        .testTarget(
            name: "KeepTrackTests",
            dependencies: [
                "KeepTrack", "MemoryStore", "PostgresStore", "PostgresTestServer", "SQLiteStore",
                "Switchyard", "SwitchyardConformance", "SwitchyardCore", "SwitchyardJSON", "TestBackends",
            ],
            path: "Examples/Tests/KeepTrackTests", packageAccess: false),
    ],
    swiftLanguageModes: [.v6]
)

// The example of a backend of bytes by key, where its library is installed; elsewhere its test says that it is not.
let hasLMDB = FileManager.default.fileExists(atPath: "/usr/include/lmdb.h")
if hasLMDB {
    package.targets.append(
        .target(
            name: "LMDBStore", dependencies: ["CLMDB", "SwitchyardCore"], path: "Examples/Sources/LMDBStore",
            packageAccess: false))
}
package.targets.append(
    .testTarget(
        name: "LMDBStoreTests",
        dependencies: hasLMDB
            ? ["CLMDB", "LMDBStore", "MemoryStore", "Switchyard", "SwitchyardConformance", "SwitchyardCore"]
            : [],
        path: "Examples/Tests/LMDBStoreTests", packageAccess: false,
        swiftSettings: hasLMDB ? [.define("LMDB")] : []))

// These call what Apple's systems ask a reason for, and bring it in a privacy manifest.
let targetsWithPrivacyManifest: Set = [
    "SwitchyardAppGroup", "SwitchyardCommands", "SwitchyardConfiguration", "SwitchyardCSV", "SwitchyardFiles",
    "SwitchyardJSON", "SwitchyardPlaces", "SQLiteRelocation", "SQLiteStore",
]
for target in package.targets where targetsWithPrivacyManifest.contains(target.name) {
    target.resources = [.copy("PrivacyInfo.xcprivacy")]
}

// A plugin takes no settings.
for target in package.targets where target.type != .plugin {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        ]
    // Continuous integration accepts no warning; elsewhere a newer compiler's warning stops nobody.
    if Context.environment["CI"] != nil {
        target.swiftSettings?.append(.treatAllWarnings(as: .error))
    }
}

// A library of the system takes none either.
if hasLMDB {
    package.targets.append(
        .systemLibrary(
            name: "CLMDB", path: "Examples/Sources/CLMDB",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]))
}
