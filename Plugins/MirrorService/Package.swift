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
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // What the tests alone use: a login's tokens, and certificates.
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.19.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.0"),
    ],
    targets: [
        // The system's zlib, for the bodies of answers. NIOHTTPCompression ends the process at the answer to bytes that are no request,
        // which has no head whose `Accept-Encoding` it could take.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "MirrorServiceCommands",
            dependencies: [
                "CZlib",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "PostgresStore", package: "Switchyard"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SwitchyardCommands", package: "Switchyard"),
                .product(name: "SwitchyardConfiguration", package: "Switchyard"),
                .product(name: "SwitchyardCore", package: "Switchyard"),
                .product(name: "SwitchyardMirror", package: "Switchyard"),
                .product(name: "SwitchyardMirrorService", package: "Switchyard"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
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
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "SQLiteStore", package: "Switchyard"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "Switchyard", package: "Switchyard"),
                .product(name: "SwitchyardCommands", package: "Switchyard"),
                .product(name: "SwitchyardCore", package: "Switchyard"),
                .product(name: "SwitchyardMirror", package: "Switchyard"),
                .product(name: "SwitchyardMirrorService", package: "Switchyard"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "X509", package: "swift-certificates"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
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
