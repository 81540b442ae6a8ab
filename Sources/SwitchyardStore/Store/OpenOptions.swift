public import Logging

/// How a store is opened.
public struct OpenOptions: Sendable {
    /// Whether rows may be written.
    public var access: Access
    /// Whether a missing store is created.
    public var createsIfMissing: Bool
    /// The role in which the store is opened: a store with another role cannot be written, and a new store gets this
    /// role.
    public var role: StoreRole
    /// The scope that transactions use if they name no other; nil for a store whose rows are not divided into scopes.
    ///
    /// Whether a store has scopes is decided when it is created and cannot be changed.
    public var scope: StoreScope?
    /// Whether a new store keeps a history of its changes from the beginning.
    ///
    /// An existing store is left as it is: see `Store.keepHistory()`.
    public var keepsHistory: Bool
    /// How much of its history a new store keeps; everything by default.
    public var historyRetention: HistoryRetention
    /// The author of writes whose own options name no other: a part of the program, such as its widget.
    public var author: String?
    /// The device, or the installation of the app, as the store's history names it.
    public var device: String?
    /// Whether the store is opened for a write that changes its schema; see
    /// `StoreMaintenance.change(_:to:filling:)`.
    public package(set) var changesSchema = false
    /// Whether the store is opened as it was found, whatever its marker and its tables are: to be compared with a plan, to
    /// be repaired, or for the sake of its marker alone.
    public package(set) var isAsFound = false
    /// The logger of the store: statements at `trace`, without their values; retries, waits, checkpoints and
    /// connections at `debug`; at `info` only failures that no error reports.
    public var logger: Logger

    /// Whether a store is opened for reading and writing, or only for reading.
    public enum Access: Sendable, Hashable {
        /// Reading and writing.
        case readWrite
        /// Reading only. The store's files are not modified at all.
        case readOnly
    }

    /// Creates options.
    ///
    /// By default they open the active store for reading and writing, create a missing one, and log to the task's
    /// logger (`withLogger`), or to the logging system that the process has bootstrapped.
    public init(
        access: Access = .readWrite, createsIfMissing: Bool = true, role: StoreRole = .active,
        scope: StoreScope? = nil, keepsHistory: Bool = false,
        historyRetention: HistoryRetention = .unlimited, author: String? = nil, device: String? = nil,
        logger: Logger = .current
    ) {
        self.access = access
        self.createsIfMissing = createsIfMissing
        self.role = role
        self.scope = scope
        self.keepsHistory = keepsHistory
        self.historyRetention = historyRetention
        self.author = author
        self.device = device
        self.logger = logger
    }
}
