internal import Foundation
public import Switchyard
public import SwitchyardJSON

/// The app's store: where it is, and how it comes to be.
public struct KeepTrackStore: Sendable {
    /// The form of the app's backup document.
    ///
    /// It has `version`, `exportDate`, `schema`, `entries`, `intakeTypes`, `goals` and, unless they were left out,
    /// `settings`.
    public static let backup = JSONBackup(
        keys: [
            "Entry": "entries", "IntakeType": "intakeTypes", "Goal": "goals", "AppSettings": "settings",
        ],
        optional: ["AppSettings"])

    private let registry: PluginRegistry
    private let url: String
    private let files: LegacyFiles

    /// - Parameters:
    ///   - url: The URL of the store.
    ///   - registry: The backends.
    ///   - files: The files of the releases before there was a store.
    public init(url: String, registry: PluginRegistry, files: LegacyFiles) {
        (self.url, self.registry, self.files) = (url, registry, files)
    }

    /// Opens the store in the newest version, and makes it if it is missing.
    ///
    /// A store that cannot be opened is left as it is, whatever the reason: an unknown version is an error for the user to
    /// see, and nothing to begin anew for. A store in memory, for a preview, has no stages: open one with `KeepTrackV2`.
    ///
    /// - Returns: The store, and what was done with it.
    /// - Throws: `JSONError` if a file of JSON cannot be read: the store then stays in version 0, without rows; as
    ///   `PluginRegistry.open(url:migrating:)`.
    public func open() async throws -> (store: any Store, status: KeepTrackStatus) {
        let start = ContinuousClock.now
        try await makeIfMissing()
        let report = ReportBox()
        let store = try await KeepTrackPlan.$files.withValue(files) {
            try await registry.open(
                url: url, migrating: KeepTrackPlan.self, options: OpenOptions(createsIfMissing: false)
            ) { if case .completed(let done) = $0 { report.set(done) } }
        }
        let duration = ContinuousClock.now - start
        return (store, try await KeepTrackStatus(store, report.report, duration: duration))
    }

    /// Makes a missing store in version 0, from which the first stage leads on.
    private func makeIfMissing() async throws {
        do {
            // Looking is not enough: opening for reading tells a missing store from one of any version.
            try await registry.open(
                url: url, schema: KeepTrackV0.self,
                options: OpenOptions(access: .readOnly, createsIfMissing: false)
            ).close()
        } catch let error as StoreError where error.code == .notFound {
            do {
                try await registry.open(url: url, schema: KeepTrackV0.self).close()
            } catch let error as StoreError where error.code == .schemaTooNew {
                // Another process was faster.
            }
        } catch let error as StoreError where error.code == .schemaTooNew {}
    }
}
