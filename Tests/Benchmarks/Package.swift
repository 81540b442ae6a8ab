// swift-tools-version: 6.2

import PackageDescription

/// Products of Switchyard.
func products(_ names: String...) -> [Target.Dependency] {
    names.map { .product(name: $0, package: "Switchyard") }
}

/// Those of Switchyard itself.
let appSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// A package of its own, so that users of Switchyard never resolve what only measurements need.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Switchyard", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", .upToNextMinor(from: "7.10.0")),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: [
        .systemLibrary(
            name: "BenchmarkLibPQ", path: "Sources/BenchmarkLibPQ", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        // The reference app and its command are not products of Switchyard, so links to their sources compile them here.
        .target(
            name: "BabyMonitorKit",
            dependencies: products(
                "Switchyard", "SwitchyardAppGroup", "SwitchyardCore", "SwitchyardCSV", "SwitchyardIntents",
                "SwitchyardMirror"),
            exclude: ["schema.accepted", "schema.lock"], packageAccess: false, swiftSettings: appSettings),
        .executableTarget(
            name: "babymonitor",
            dependencies: [
                "BabyMonitorKit", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
                + products(
                    "Switchyard", "SwitchyardAppGroup", "SwitchyardCommands", "SwitchyardConfiguration",
                    "SwitchyardCore", "SwitchyardCSV", "SwitchyardIntents", "SwitchyardMirror", "MemoryStore",
                    "PostgresStore", "SQLiteStore", "TableCopyCommand"),
            packageAccess: false, swiftSettings: appSettings),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "BabyMonitorKit", "BenchmarkLibPQ",
                .product(name: "Switchyard", package: "Switchyard"),
                .product(name: "SwitchyardCore", package: "Switchyard"),
                .product(name: "SQLiteStore", package: "Switchyard"),
                .product(name: "PostgresStore", package: "Switchyard"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
