import SwitchyardCore
import TestBackends

extension TestBackend {
    static let pairs = available.flatMap { from in available.map { (from, $0) } }
}

extension StorePlace {
    /// Opens the store, and closes it after the body.
    func with<Value>(
        _ options: OpenOptions = OpenOptions(), _ body: (any Store) async throws -> Value
    ) async throws -> Value {
        let store = try await open(options)
        let result: Result<Value, any Error>
        do { result = .success(try await body(store)) } catch { result = .failure(error) }
        try await store.close()
        return try result.get()
    }

    /// The marker of the store, which is only read.
    func markerThere(role: StoreRole = .active) async throws -> StoreMarker {
        try await with(OpenOptions(access: .readOnly, createsIfMissing: false, role: role)) {
            try await $0.marker()
        }
    }
}

extension Result where Failure == any Error {
    /// The outcome of asynchronous work.
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
