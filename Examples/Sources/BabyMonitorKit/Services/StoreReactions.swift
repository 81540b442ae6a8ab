public import Switchyard

/// What an app does after its store has changed, such as notifying other devices.
public protocol StoreReaction: Sendable {
    /// What it does, as a short phrase for messages: "ping nearby devices".
    var name: String { get }
    /// Does it.
    ///
    /// - Throws: Why it failed. The change is kept.
    func run() async throws
}

/// A reaction that failed.
///
/// The change before it is safe.
public struct StoreReactionFailure: Error, Sendable, CustomStringConvertible {
    /// The name of the reaction.
    public let reaction: String
    /// Why it failed.
    public let underlying: any Error

    /// Describes a failure.
    public init(reaction: String, underlying: any Error) {
        self.reaction = reaction
        self.underlying = underlying
    }

    /// What failed, and why.
    public var description: String {
        "The change was saved, but the app could not \(reaction): \(underlying)"
    }
}

/// Follows a store and reacts to each commit of the app, its widgets or another device.
///
/// ```swift
/// let reactions = StoreReactions(to: store, [refresher, ping]) { log("\($0)") }
/// ```
///
/// The reactions run in order, one at a time. Commits that arrive meanwhile share the next run. A failure goes only to the
/// handler, because the writes have succeeded.
public final class StoreReactions: Sendable {
    private let changes: StoreChanges.AsyncIterator
    private let task: Task<Void, Never>

    /// Begins to follow a store.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - reactions: The reactions, in the order in which to run them.
    ///   - includesOthers: Whether to react to the writes of other processes, too.
    ///   - onFailure: Called for each reaction that fails, before the next one runs.
    public init(
        to store: any Store, _ reactions: [any StoreReaction], includingOthers includesOthers: Bool = true,
        onFailure: @escaping @Sendable (StoreReactionFailure) async -> Void
    ) {
        let changes = store.changes(includingOthers: includesOthers).makeAsyncIterator()
        self.changes = changes
        guard !reactions.isEmpty else {
            task = Task {}
            return
        }
        task = Task {
            var changes = changes
            do {
                while try await changes.next() != nil {
                    for reaction in reactions { await Self.run(reaction, onFailure) }
                }
            } catch { await onFailure(StoreReactionFailure(reaction: "follow the store", underlying: error)) }
        }
    }

    deinit { changes.stop() }

    /// Runs the reactions to earlier commits, and stops following.
    public func finish() async {
        changes.stop()
        await task.value
    }

    private static func run(
        _ reaction: any StoreReaction, _ onFailure: @Sendable (StoreReactionFailure) async -> Void
    ) async {
        do {
            try await reaction.run()
        } catch {
            await onFailure(StoreReactionFailure(reaction: reaction.name, underlying: error))
        }
    }
}
