/// An action that runs after each write, such as notifying other devices.
public protocol AfterWriteHook: Sendable {
    /// What it does, as a short phrase for messages: "ping nearby devices".
    var name: String { get }
    /// Runs the action.
    ///
    /// - Throws: Why it failed. The write is kept.
    func run() async throws
}

/// A hook that failed.
///
/// The write before it is safe.
public struct AfterWriteFailure: Error, Sendable, CustomStringConvertible {
    /// The name of the hook.
    public let hook: String
    /// Why it failed.
    public let underlying: any Error

    /// What failed, and why.
    public var description: String { "The change was saved, but could not \(hook): \(underlying)" }
}

/// The hooks that run after each write, in order.
///
/// Each hook is awaited before the next one starts, even if one before it failed. A failure goes to the handler and
/// not to the caller of the write: the write has succeeded, and an error would make callers write again.
public struct AfterWrite: Sendable {
    private let hooks: [any AfterWriteHook]
    private let onFailure: @Sendable (AfterWriteFailure) async -> Void

    /// Creates a list of hooks.
    ///
    /// - Parameters:
    ///   - hooks: The hooks, in the order in which to run them.
    ///   - onFailure: Called for each hook that fails, before the next one runs.
    public init(
        _ hooks: [any AfterWriteHook], onFailure: @escaping @Sendable (AfterWriteFailure) async -> Void
    ) {
        self.hooks = hooks
        self.onFailure = onFailure
    }

    /// Runs no hooks.
    public static let nothing = AfterWrite([]) { _ in }

    /// Runs every hook.
    public func run() async {
        for hook in hooks {
            do {
                try await hook.run()
            } catch {
                await onFailure(AfterWriteFailure(hook: hook.name, underlying: error))
            }
        }
    }
}
