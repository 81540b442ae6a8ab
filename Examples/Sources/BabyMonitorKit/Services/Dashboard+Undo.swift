public import Switchyard

/// A device, as the store's history names it.
public struct Device: Sendable, Hashable {
    /// The name, by which two devices are told apart.
    public let name: String

    /// Names a device.
    public init(_ name: String) { self.name = name }
}

extension Dashboard {
    /// Undoes the last change that has not been undone yet.
    ///
    /// - Parameter device: The device on which the change was made; nil for any.
    /// - Returns: Whether there was such a change.
    /// - Throws: `StoreError` with code `undoConflict` if a later change, such as one on another device, is in the way;
    ///   `BabyMonitorError` with code `notPermitted`.
    public func undoLastChange(on device: Device? = nil) async throws -> Bool {
        try await requireMayChange()
        return try await store.undoLast(device: device?.name, WriteOptions(author: author)) != nil
    }

    private func requireMayChange() async throws {
        let time = now()
        try await store.read { try $0.requireMayChange(at: time) }
    }

    /// Undoes a change.
    ///
    /// - Throws: As `Store.undo(_:_:)`.
    public func undo(_ change: HistoryTransaction) async throws {
        try await requireMayChange()
        try await store.undo(change, WriteOptions(author: author))
    }
}
