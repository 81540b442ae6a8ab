public import Foundation
public import SQLiteRelocation
internal import SQLiteStore
public import Switchyard
public import SwitchyardAppGroup
internal import SwitchyardCore

/// The one definition of the store, for the app and its widget: what is in it, and where it is.
public struct SharedStore: Sendable {
    /// The name of the file, in the old place and in the new one.
    public static let fileName = "default.store"

    /// The file in the app's own directory, where the store was before there was a widget.
    public let oldPath: String
    /// The file in the app group, which app and widget open.
    public let path: String

    /// - Parameters:
    ///   - applicationSupport: The app's own directory.
    ///   - container: The directory of the app group.
    public init(applicationSupport: URL, container: AppGroupContainer) {
        oldPath = applicationSupport.appending(path: Self.fileName).path
        path = container.path(of: Self.fileName)
    }

    /// The move from the old place to the new one.
    public var relocation: StoreRelocation { StoreRelocation(from: oldPath, to: path) }

    /// Opens the store in the app group, at the place to which the move goes and at no other.
    ///
    /// A fresh install gets a new store there at once. As long as an old store has yet to be moved, there is none to open:
    /// a new and empty one would be in the way of the old one.
    ///
    /// - Parameter access: The widget only reads.
    /// - Returns: The store.
    /// - Throws: `notFound` while the old store has yet to be moved, or if there is no store to read; as
    ///   `SQLitePlugin.open`.
    public func open(_ access: OpenOptions.Access = .readWrite) async throws -> any Store {
        switch await relocation.status() {
        case .notNeeded, .completed: break
        case .pending, .inProgress, .failed:
            throw StoreError(
                .notFound, "The store has yet to be moved to the app group. Move it with StoreMover first.")
        }
        let settings = try StoreSettings(["path": path], for: SQLitePlugin.self)
        return try await SQLitePlugin.open(
            settings, schema: W8TrackrSchema.schema,
            options: OpenOptions(
                access: access, createsIfMissing: access == .readWrite, keepsHistory: true))
    }
}
