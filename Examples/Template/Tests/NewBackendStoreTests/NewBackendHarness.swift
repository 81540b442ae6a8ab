import Foundation
import NewBackendStore
import SwitchyardConformance
import SwitchyardCore

/// How the suite reaches the backend.
///
/// `ConformanceHarness` has more that it can be told to do, such as to cut connections, each with a default that says
/// that it cannot.
struct NewBackendHarness: ConformanceHarness {
    let name = NewBackendPlugin.scheme
    let limitations = NewBackendPlugin.limitations

    func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
        try await makeStore(schema, busyTimeout, OpenOptions())
    }

    /// Leave this out if the backend cannot keep the rows of several households apart, and declare that it cannot.
    func makeScopedStore(
        _ schema: Schema, busyTimeout: Duration, scope: StoreScope
    ) async throws -> any Store {
        try await makeStore(schema, busyTimeout, OpenOptions(scope: scope))
    }

    private func makeStore(
        _ schema: Schema, _ busyTimeout: Duration, _ options: OpenOptions
    ) async throws -> any Store {
        let place = FileManager.default.temporaryDirectory.appending(path: "newbackend-\(UUID().uuidString)")
        let settings = ["place": place.path, "busyTimeout": "\(busyTimeout / .seconds(1))"]
        return try await NewBackendPlugin.open(
            try StoreSettings(settings, for: NewBackendPlugin.self), schema: schema, options: options)
    }

    func reopen(_ store: any Store, schema: Schema, options: OpenOptions) async throws -> any Store {
        try await NewBackendPlugin.open(
            try StoreSettings(["place": store.info.location], for: NewBackendPlugin.self),
            schema: schema, options: options)
    }

    func dispose(_ store: any Store) async {
        try? await store.close()
        try? FileManager.default.removeItem(atPath: store.info.location)
    }

    /// Puts a value that the schema does not allow into a row, as a person with the backend's own tools could.
    func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention {
        throw StoreError(.unsupported, "plant is not written yet.")
    }
}
