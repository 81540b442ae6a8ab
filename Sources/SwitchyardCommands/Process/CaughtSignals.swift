internal import Dispatch
internal import Foundation
internal import Synchronization

/// Signals that are handled instead of ending the process, until they are released.
///
/// A signal that the process ignores stays ignored: a shell without job control starts processes in the background like that. One
/// that is caught already goes to who caught it first.
final class CaughtSignals: Sendable {
    private static let state = Mutex(State())
    /// Those that others have not caught.
    private let numbers: [Int32]

    /// What is caught, in the whole process.
    private struct State {
        /// They are never cancelled: not every system lets a signal be taken up again after that.
        var sources: [Int32: any DispatchSourceSignal] = [:]
        var handlers: [Int32: @Sendable (Int32) -> Void] = [:]
    }

    /// Catches signals.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of the signals.
    ///   - handler: Receives the number of each that arrives.
    init(_ numbers: [Int32], _ handler: @escaping @Sendable (Int32) -> Void) {
        self.numbers = Self.state.withLock { state in
            numbers.filter { number in
                guard state.handlers[number] == nil, Self.listen(to: number, &state) else { return false }
                state.handlers[number] = handler
                return true
            }
        }
    }

    /// Lets the signals end the process again.
    func release() {
        Self.state.withLock { state in
            for number in numbers { state.handlers[number] = nil }
        }
    }

    /// Whether a signal arrives at `deliver`; false for one that is ignored.
    private static func listen(to number: Int32, _ state: inout State) -> Bool {
        if state.sources[number] != nil { return true }
        guard !isIgnored(Foundation.signal(number, SIG_IGN)) else { return false }
        // A queue of its own, because work that computes may have all threads of the global ones.
        let source = DispatchSource.makeSignalSource(
            signal: number, queue: DispatchQueue(label: "switchyard.commands.signals"))
        source.setEventHandler { deliver(number) }
        source.activate()
        state.sources[number] = source
        return true
    }

    /// Calls who has caught a signal; without such a one, the process ends as if nobody listened.
    private static func deliver(_ number: Int32) {
        guard let handler = state.withLock({ $0.handlers[number] }) else {
            Interruption(signal: number).endProcess()
        }
        handler(number)
    }

    private static func isIgnored<Handler>(_ handler: Handler) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
