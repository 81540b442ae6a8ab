/// Something that is done after each write, such as telling other devices.
public protocol AfterWriteHook: Sendable {
    /// What it does, in a few words, for messages: "ping nearby devices".
    var name: String { get }
    /// Does it.
    ///
    /// - Throws: Why it could not be done. The write stays.
    func run() async throws
}

/// A hook that failed.
///
/// What was written before it is safe.
public struct AfterWriteFailure: Error, Sendable, CustomStringConvertible {
    /// The name of the hook.
    public let hook: String
    /// Why it failed.
    public let underlying: any Error

    /// What was not done, and why.
    public var description: String { "The change was saved, but could not \(hook): \(underlying)" }
}

/// What is done after each write, in order.
///
/// Each hook is awaited before the next begins, also when one before it has failed. A failure goes to the
/// handler and not to the caller of the write: that has succeeded, and an error would make callers write
/// twice.
public struct AfterWrite: Sendable {
    private let hooks: [any AfterWriteHook]
    private let onFailure: @Sendable (AfterWriteFailure) async -> Void

    /// Runs hooks in the given order.
    ///
    /// - Parameters:
    ///   - hooks: What is done.
    ///   - onFailure: Is told of each hook that fails, before the next one runs.
    public init(
        _ hooks: [any AfterWriteHook], onFailure: @escaping @Sendable (AfterWriteFailure) async -> Void
    ) {
        self.hooks = hooks
        self.onFailure = onFailure
    }

    /// Does nothing.
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
