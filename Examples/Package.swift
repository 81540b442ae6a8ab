// swift-tools-version: 6.2

import PackageDescription

// Only with a server to test against is the driver built, which needs a package of the system.
let postgres: [Target.Dependency] =
    Context.environment["SWITCHYARD_TEST_POSTGRES_URL"] == nil
    ? [] : [.product(name: "PostgresStore", package: "Switchyard")]

let package = Package(
    name: "SwitchyardExamples",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "JSONDirectoryStore", targets: ["JSONDirectoryStore"]),
        .library(name: "W8Trackr", targets: ["W8Trackr"]),
        .executable(name: "w8trackr", targets: ["W8TrackrCommand"]),
        .executable(name: "fitiq", targets: ["FitIQ"]),
        .library(name: "KeepTrack", targets: ["KeepTrack"]),
        .executable(name: "keeptrack", targets: ["KeepTrackCommand"]),
    ],
    dependencies: [
        // Without traits, no reader of YAML is built.
        .package(name: "Switchyard", path: "..", traits: []),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        // A damaged file is made by SQL.
        .package(url: "https://github.com/groue/GRDB.swift", .upToNextMinor(from: "7.10.0")),
    ],
    targets: [
        // A plugin as a third party writes one: it knows the core alone, and its tests the public suite.
        .target(
            name: "JSONDirectoryStore",
            dependencies: [.product(name: "SwitchyardCore", package: "Switchyard")]),
        .testTarget(
            name: "JSONDirectoryStoreTests",
            dependencies: [
                "JSONDirectoryStore",
                .product(name: "MemoryStore", package: "Switchyard"),
                .product(name: "Switchyard", package: "Switchyard"),
                .product(name: "SwitchyardConformance", package: "Switchyard"),
                .product(name: "SwitchyardCore", package: "Switchyard"),
            ]),
        // An app whose store moves into the app group, so that a widget can read it; without its views.
        .target(
            name: "W8Trackr",
            dependencies: [
                .product(name: "SQLiteRelocation", package: "Switchyard"),
                .product(name: "SQLiteStore", package: "Switchyard"),
                .product(name: "Switchyard", package: "Switchyard"),
                .product(name: "SwitchyardAppGroup", package: "Switchyard"),
                .product(name: "SwitchyardCore", package: "Switchyard"),
            ]),
        .executableTarget(
            name: "W8TrackrCommand",
            dependencies: [
                "W8Trackr",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SQLiteStore", package: "Switchyard"),
                .product(name: "Switchyard", package: "Switchyard"),
                .product(name: "SwitchyardAppGroup", package: "Switchyard"),
                .product(name: "SwitchyardCommands", package: "Switchyard"),
            ]),
        .testTarget(
            name: "W8TrackrTests",
            dependencies: [
                "W8Trackr",
                .product(name: "SQLiteRelocation", package: "Switchyard"),
                .product(name: "SQLiteStore", package: "Switchyard"),
                .product(name: "Switchyard", package: "Switchyard"),
                .product(name: "SwitchyardAppGroup", package: "Switchyard"),
                .product(name: "SwitchyardCore", package: "Switchyard"),
            ]),
        // An app with eleven versions of its schema, and a command that takes a store through them.
        .executableTarget(
            name: "FitIQ",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "SQLiteStore", package: "Switchyard"),
                .product(name: "Switchyard", package: "Switchyard"),
                .product(name: "SwitchyardCommands", package: "Switchyard"),
                .product(name: "SwitchyardConformance", package: "Switchyard"),
                .product(name: "SwitchyardCore", package: "Switchyard"),
            ]),
        .testTarget(
            name: "FitIQTests",
            dependencies: [
                "FitIQ",
                "MatrixBackends",
                .product(name: "MemoryStore", package: "Switchyard"),
                .product(name: "SQLiteStore", package: "Switchyard"),
                .product(name: "Switchyard", package: "Switchyard"),
                .product(name: "SwitchyardConformance", package: "Switchyard"),
                .product(name: "SwitchyardCore", package: "Switchyard"),
            ]),
        // An app whose files of JSON become a store with versions; and its first two launches as a command.
        .target(
            name: "KeepTrack",
            dependencies: [
                .product(name: "Switchyard", package: "Switchyard"),
                .product(name: "SwitchyardJSON", package: "Switchyard"),
            ]),
        .executableTarget(
            name: "KeepTrackCommand",
            dependencies: [
                "KeepTrack",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SQLiteStore", package: "Switchyard"),
                .product(name: "Switchyard", package: "Switchyard"),
                .product(name: "SwitchyardCommands", package: "Switchyard"),
                .product(name: "SwitchyardJSON", package: "Switchyard"),
            ]),
        .testTarget(
            name: "KeepTrackTests",
            dependencies: [
                "KeepTrack",
                "MatrixBackends",
                .product(name: "MemoryStore", package: "Switchyard"),
                .product(name: "SQLiteStore", package: "Switchyard"),
                .product(name: "Switchyard", package: "Switchyard"),
                .product(name: "SwitchyardConformance", package: "Switchyard"),
                .product(name: "SwitchyardCore", package: "Switchyard"),
                .product(name: "SwitchyardJSON", package: "Switchyard"),
            ] + postgres,
            swiftSettings: postgres.isEmpty ? [] : [.define("POSTGRES")]),
        // The backends on which the plans of both are tried with generated rows.
        .target(
            name: "MatrixBackends",
            dependencies: [
                .product(name: "MemoryStore", package: "Switchyard"),
                .product(name: "SQLiteStore", package: "Switchyard"),
                .product(name: "Switchyard", package: "Switchyard"),
                .product(name: "SwitchyardConformance", package: "Switchyard"),
                .product(name: "SwitchyardCore", package: "Switchyard"),
            ] + postgres,
            path: "Tests/MatrixBackends",
            swiftSettings: postgres.isEmpty ? [] : [.define("POSTGRES")]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
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
