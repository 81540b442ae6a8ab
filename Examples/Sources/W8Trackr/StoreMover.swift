public import Observation
public import SQLiteRelocation
internal import SwitchyardCore

/// The app's widgets.
public protocol WidgetReloading: Sendable {
    /// Lets the system draw all of them again.
    func reloadWidgets() async
}

/// The synchronisation of the store with a cloud.
public protocol CloudSync: Sendable {
    /// Lets no attempt begin any more; it does not ask the cloud, and so cannot wait for it.
    func turnOff()
    /// Synchronises from now on, which may take as long as the cloud does.
    func turnOn() async
}

/// Moves the store into the app group, and tells the app's views how far that has come.
///
/// ```swift
/// await mover.moveIfNeeded()
/// if mover.status.isSettled { open(try await sharedStore.open()) }
/// ```
@MainActor @Observable
public final class StoreMover {
    /// How far the move has come.
    public private(set) var status: RelocationStatus = .pending
    /// The share of the file that is copied, from 0 to 1.
    public private(set) var fractionCompleted = 0.0

    private let relocation: StoreRelocation
    private let widgets: any WidgetReloading
    private let sync: any CloudSync

    /// Creates the mover of a store, which begins with `moveIfNeeded`.
    public init(_ store: SharedStore, widgets: any WidgetReloading, sync: any CloudSync) {
        relocation = store.relocation
        self.widgets = widgets
        self.sync = sync
    }

    /// Looks how far the move has come, which reads no rows.
    public func refresh() async { status = await relocation.status() }

    /// Moves the store if it has yet to be moved, and waits if a widget's process is moving it right now.
    ///
    /// A move that has failed is not tried again: the user decides, with `retry`.
    public func moveIfNeeded() async {
        await refresh()
        switch status {
        case .pending, .inProgress: await move()
        case .notNeeded, .completed: startSync()
        case .failed: sync.turnOff()
        }
    }

    /// Tries a move that has failed once more, when the user asks for it.
    public func retry() async {
        guard case .failed = status else { return }
        await move()
    }

    /// Deletes the old store, when the user asks for it.
    ///
    /// - Throws: As `StoreRelocation.removeBackup`.
    public func removeBackup() async throws {
        try await relocation.removeBackup()
        await refresh()
    }

    private func move() async {
        sync.turnOff()
        (status, fractionCompleted) = (.inProgress, 0)
        do {
            try await relocation.run { [weak self] progress in
                let fraction = Double(progress.bytes) / Double(max(progress.total, 1))
                Task { @MainActor in self?.fractionCompleted = fraction }
            }
            status = .completed
        } catch {
            status = .failed((error as? StoreError)?.message ?? "\(error)")
            return
        }
        await widgets.reloadWidgets()
        startSync()
    }

    /// Turns synchronisation on, without waiting for a cloud that may never answer.
    private func startSync() { Task { [sync] in await sync.turnOn() } }
}

extension RelocationStatus {
    /// Whether the store can be opened at the new place.
    public var isSettled: Bool { self == .completed || self == .notNeeded }
}
