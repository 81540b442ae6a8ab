import Foundation
import NewBackendStore
import SwitchyardConformance
import SwitchyardCore

/// Gives the suite access to the backend.
///
/// `ConformanceHarness` has further operations, such as cutting connections, which by default report that they are not
/// possible.
struct NewBackendHarness: ConformanceHarness {
    let name = NewBackendPlugin.scheme
    let limitations = NewBackendPlugin.limitations

    func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
        try await makeStore(schema, busyTimeout, OpenOptions())
    }

    /// Leave this out if the backend cannot separate the rows of several households, and declare that in its
    /// `limitations`.
    func makeScopedStore(
        _ schema: Schema, busyTimeout: Duration, scope: StoreScope
    ) async throws -> any Store {
        try await makeStore(schema, busyTimeout, OpenOptions(scope: scope))
    }

    private func makeStore(
        _ schema: Schema, _ busyTimeout: Duration, _ options: OpenOptions
    ) async throws -> any Store {
        let place = FileManager.default.temporaryDirectory.appending(path: "newbackend-\(UUID().uuidString)")
        return try await open(place.path, schema, busyTimeout, options)
    }

    private func open(
        _ path: String, _ schema: Schema, _ busyTimeout: Duration, _ options: OpenOptions
    ) async throws -> any Store {
        let settings = ["path": path, "busyTimeout": "\(busyTimeout / .seconds(1))"]
        return try await NewBackendPlugin.open(
            try StoreSettings(settings, for: NewBackendPlugin.self), schema: schema, options: options)
    }

    func reopen(
        _ store: any Store, schema: Schema, options: OpenOptions, busyTimeout: Duration
    ) async throws -> any Store {
        try await open(store.info.location, schema, busyTimeout, options)
    }

    func dispose(_ store: any Store) async {
        try? await store.close()
        try? FileManager.default.removeItem(atPath: store.info.location)
    }

    /// Writes a value that the schema does not allow into a row, as a person could with the backend's own tools.
    func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention {
        throw StoreError(.unsupported, "plant is not written yet.")
    }
}
