// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "NewBackendStore",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "NewBackendStore", targets: ["NewBackendStore"])
    ],
    dependencies: [
        // Without traits, no reader of YAML is built.
        .package(name: "Switchyard", path: "../..", traits: [])
    ],
    targets: [
        .target(
            name: "NewBackendStore",
            dependencies: [.product(name: "SwitchyardCore", package: "Switchyard")]),
        .testTarget(
            name: "NewBackendStoreTests",
            dependencies: [
                "NewBackendStore",
                .product(name: "MemoryStore", package: "Switchyard"),
                .product(name: "SwitchyardConformance", package: "Switchyard"),
                .product(name: "SwitchyardCore", package: "Switchyard"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// Those of Switchyard itself, so that what is copied from its examples means the same here.
for target in package.targets {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        ]
}
