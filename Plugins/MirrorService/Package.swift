// swift-tools-version: 6.2

import PackageDescription

/// The service over HTTPS that phones mirror to: a package of its own, so that no app resolves a web server.
let package = Package(
    name: "SwitchyardMirrorServer",
    platforms: [.macOS(.v15)],
    products: [
        // For an app's own service, which knows its schema's versions.
        .library(name: "MirrorServiceCommands", targets: ["MirrorServiceCommands"]),
        .executable(name: "switchyard-mirror", targets: ["switchyard-mirror"]),
    ],
    dependencies: [
        .package(name: "Switchyard", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "MirrorServiceCommands",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "PostgresStore", package: "Switchyard"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SwitchyardCommands", package: "Switchyard"),
                .product(name: "SwitchyardConfiguration", package: "Switchyard"),
                .product(name: "SwitchyardCore", package: "Switchyard"),
                .product(name: "SwitchyardMirror", package: "Switchyard"),
                .product(name: "SwitchyardMirrorService", package: "Switchyard"),
            ]),
        .executableTarget(
            name: "switchyard-mirror",
            dependencies: [
                "MirrorServiceCommands",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "PostgresStore", package: "Switchyard"),
                .product(name: "SQLiteStore", package: "Switchyard"),
                .product(name: "SwitchyardCommands", package: "Switchyard"),
                .product(name: "SwitchyardCore", package: "Switchyard"),
            ]),
        .testTarget(
            name: "MirrorServiceTests",
            dependencies: [
                "MirrorServiceCommands",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SQLiteStore", package: "Switchyard"),
                .product(name: "Switchyard", package: "Switchyard"),
                .product(name: "SwitchyardCore", package: "Switchyard"),
                .product(name: "SwitchyardMirror", package: "Switchyard"),
                .product(name: "SwitchyardMirrorService", package: "Switchyard"),
            ]),
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
