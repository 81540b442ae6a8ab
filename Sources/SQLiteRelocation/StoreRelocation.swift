internal import SQLiteStore
public import SwitchyardCore

/// Moves an SQLite file to another directory, unchanged: no row is inserted again, and unknown tables are
/// included.
///
/// It accepts any SQLite file: a Switchyard store, or one of another library, such as SwiftData.
///
/// ```swift
/// let relocation = StoreRelocation(from: oldPath, to: newPath)
/// if await relocation.status() == .pending { try await relocation.run() }
/// // Open the store at newPath.
/// ```
///
/// The file is copied under a temporary name beside the new place, with the rows that are still in its WAL,
/// and compared with the old one; only then does it get its name. The old file remains as a read-only backup
/// until `removeBackup()`. A killed process leaves the old file whole, and the next `run` continues.
///
/// The backup of a store leads a `SwitchableStore` from the old place to the new one. When the backup is
/// removed, the app's `PlaceRegistry` does so, if it is given here; otherwise configure the new place before.
///
/// Several processes may run the same move at once: one moves, and the others wait until it has finished.
public struct StoreRelocation: Sendable, Hashable {
    /// The path of the old file.
    public let source: String
    /// The path of the new file, in another directory.
    public let target: String
    /// How long to wait for others: for a concurrent move of the same file, and for users of the old one.
    public let busyTimeout: Duration
    /// Where `removeBackup()` records the new place of a store, which the backup no longer shows; nil if the
    /// app keeps no such records.
    public let registry: PlaceRegistry?

    /// Describes a move, which begins with `run`.
    ///
    /// - Parameters:
    ///   - source: The path of the old file.
    ///   - target: The path of the new file, in another directory. If only that directory is missing, it is created for
    ///     this user alone.
    ///   - busyTimeout: How long to wait for others, a day at most.
    ///   - registry: Where to note the new place of a store when its backup is removed.
    public init(
        from source: String, to target: String, busyTimeout: Duration = .seconds(30),
        registry: PlaceRegistry? = nil
    ) {
        self.source = source
        self.target = target
        self.busyTimeout = min(busyTimeout, .seconds(86_400))
        self.registry = registry
    }

    /// The timeout, in seconds.
    var busySeconds: Double { busyTimeout / .seconds(1) }

    /// The status of the move.
    ///
    /// - Returns: The status; `failed` also if the places themselves cannot be used.
    /// - Complexity: O(1); it reads the names of files, and at most the marker of a store under a changed
    ///   path.
    public func status() async -> RelocationStatus {
        do {
            return try await BlockingWork.run {
                try RelocationPlaces(from: source, to: target).status(busyTimeout: busySeconds)
            }
        } catch {
            return .failed(error.relocationMessage)
        }
    }

    /// Finds out what `run` would move, and whether it could, without changing anything.
    ///
    /// - Throws: As `run`, except for what only comes to light when files are locked and written.
    /// - Complexity: O(rows); it reads every one.
    public func plan() async throws -> RelocationPlan {
        let (places, record) = try await BlockingWork.run {
            let places = try RelocationPlaces(from: source, to: target)
            return (places, try places.requirePending(busyTimeout: busySeconds))
        }
        let timeout = busySeconds
        return try await places.source.whileReadable(busyTimeout: timeout) { reading in
            try await Cancellation.run { cancellation in
                try RelocationPlan(
                    places, record, reading, busyTimeout: timeout, CancellationFlag(cancellation))
            }
        }
    }

    /// Moves the file; an interrupted move continues, and a completed one is only reported.
    ///
    /// A Switchyard store may remain open in other processes: they go on reading the old file, and each write
    /// throws `outOfService`, which names the new place. Writes wait during the copy. Any other file must not
    /// be open elsewhere.
    ///
    /// - Parameter progress: Is called on a thread of its own, after every few megabytes.
    /// - Returns: What was moved.
    /// - Throws: `busy` if others use the old file, or another process has been moving it, for longer than
    ///   the timeout; `notFound` if there is no file to move, if the parent of the new directory is missing,
    ///   or if the new file of a completed move is gone; `notAStore` if the old file is not an SQLite
    ///   database; `invalidArgument` if the places cannot be used, or the new one is taken; `outOfService` if
    ///   another store has replaced this one; `identityConflict` if one is active where a store was moved from;
    ///   `corrupted` if the old file is damaged; `verification` if the two differ; `unsupported` if something
    ///   that belongs to the file would be left behind; `readOnly`, `full`, `inputOutput`; `cancelled`, until
    ///   the new file gets its name. The old file is then still the active one, unless the error says that
    ///   the move is all but completed.
    /// - Complexity: O(rows); it reads every one twice.
    @discardableResult
    public func run(
        _ progress: @escaping @Sendable (RelocationProgress) -> Void = { _ in }
    ) async throws -> RelocationReport {
        try await Cancellation.run { cancellation in
            try RelocationWork(self, stop: CancellationFlag(cancellation), tell: progress).run()
        }
    }

    /// Deletes the old file, once the move is completed.
    ///
    /// - Throws: `invalidArgument` if the move is not completed; `identityConflict` if the store there is active;
    ///   `verification` if the new file is not what the old one was moved to, or if the old one was written
    ///   to since; `corrupted` if the new file is damaged; `busy` if the old one is open in another process;
    ///   `readOnly`, `inputOutput`. Nothing is deleted then.
    /// - Complexity: O(rows); it reads both files.
    public func removeBackup() async throws {
        try await Cancellation.run { cancellation in
            try BackupRemoval(self, stop: CancellationFlag(cancellation)).run()
        }
    }
}
