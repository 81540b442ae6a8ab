// swift-tools-version: 6.2

import PackageDescription

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
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "BenchmarkLibPQ",
                .product(name: "BabyMonitor", package: "Switchyard"),
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
