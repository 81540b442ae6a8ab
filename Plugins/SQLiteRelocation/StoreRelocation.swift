internal import SQLiteStore
public import SwitchyardCore

/// Moves an SQLite file to another directory, as it is: no row is inserted again, and tables that Switchyard does not
/// know come along.
///
/// It takes any SQLite file: a store of Switchyard, or one of another library, such as SwiftData.
///
/// ```swift
/// let relocation = StoreRelocation(from: oldPath, to: newPath)
/// if await relocation.status() == .pending { try await relocation.run() }
/// // Open the store at newPath.
/// ```
///
/// The file is copied under a temporary name beside the new place, with the rows that are still in its log, and compared
/// with the old one; only then does it get its name. The old file remains as a backup, which nobody can write to by
/// mistake, until `removeBackup()`. A process that is killed leaves the old file whole, and the next `run` goes on.
///
/// The backup of a store leads whoever opens a `SwitchableStore` at the old place to the new one. The app's `PlaceRegistry`
/// does so when the backup is removed, if it is given here; otherwise configure the new place before.
///
/// Several processes may ask for the same move at once: one moves, and the others wait until it has.
public struct StoreRelocation: Sendable, Hashable {
    /// The path of the old file.
    public let source: String
    /// The path of the new file, in another directory.
    public let target: String
    /// How long to wait for others: for one that moves the same file, and for those that use the old one.
    public let busyTimeout: Duration
    /// Where `removeBackup()` notes the new place of a store, which the backup leads to no more; nil if the app keeps no
    /// such records.
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

    /// How far the move has come.
    ///
    /// - Returns: The status; `failed` also if the places themselves cannot be used.
    /// - Complexity: O(1); it looks at the names of files, and reads at most the marker of a store under a changed path.
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
                try RelocationPlan(places, record, reading, busyTimeout: timeout, StopSign(cancellation))
            }
        }
    }

    /// Moves the file; a move that was interrupted goes on, and one that is completed is only reported.
    ///
    /// A store of Switchyard may remain open in other processes: they go on reading the old file, and each write throws
    /// `outOfService`, which names the new place. While it is copied, writes wait. Any other file must not be open
    /// elsewhere.
    ///
    /// - Parameter progress: Is called on a thread of its own, after every few megabytes.
    /// - Returns: What was moved.
    /// - Throws: `busy` if others use the old file, or another process has been moving it, for longer than the timeout;
    ///   `notFound` if there is no file to move, if the directory to create the new one in is missing, or if the new file
    ///   of a move that was completed is gone; `notAStore` if the old file is no SQLite database; `invalidArgument` if
    ///   the places cannot be used, or the new one is taken; `outOfService` if the store was replaced by another one;
    ///   `identityConflict` if one is in use where a store was moved away from; `corrupted` if the old file is damaged; `verification` if the two differ; `unsupported` if something belongs to
    ///   the file that would not come along; `readOnly`, `full`, `inputOutput`; `cancelled`, up to the moment at which
    ///   the new file gets its name. The old file is then the one to use, as before, unless the error says that the move
    ///   is all but completed.
    /// - Complexity: O(rows); it reads every one twice.
    @discardableResult
    public func run(
        _ progress: @escaping @Sendable (RelocationProgress) -> Void = { _ in }
    ) async throws -> RelocationReport {
        try await Cancellation.run { cancellation in
            try RelocationWork(self, stop: StopSign(cancellation), tell: progress).run()
        }
    }

    /// Deletes the old file, once the move is completed.
    ///
    /// - Throws: `invalidArgument` if the move is not completed; `identityConflict` if the store there is in use;
    ///   `verification` if the new file is not what the old one was moved to, or if somebody has written to the old one since; `corrupted` if the new file is damaged; `busy`
    ///   if the old one is open in another process; `readOnly`, `inputOutput`. Nothing is deleted then.
    /// - Complexity: O(rows); it reads both files.
    public func removeBackup() async throws {
        try await Cancellation.run { cancellation in
            try BackupRemoval(self, stop: StopSign(cancellation)).run()
        }
    }
}
