import BabyMonitorKit
import Switchyard
import SwitchyardCore
import TestBackends

extension TestBackend {
    /// Runs a test on an empty store of the app.
    func withStore(_ body: (any Store) async throws -> Void) async throws {
        try await withStore(try BabyMonitorSchema.schema, body)
    }
}
