internal import Dispatch
internal import Foundation
internal import Synchronization

/// Signals that are handled instead of ending the process, until they are released.
///
/// A signal that the process ignores stays ignored: a shell without job control starts processes in the background like that.
final class CaughtSignals: Sendable {
    private let sources: Mutex<[(number: Int32, source: any DispatchSourceSignal)]>

    /// Catches signals.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of the signals.
    ///   - handler: Receives the number of each that arrives.
    init(_ numbers: [Int32], _ handler: @escaping @Sendable (Int32) -> Void) {
        var list: [(number: Int32, source: any DispatchSourceSignal)] = []
        // A queue of their own, because work that computes may have all threads of the global ones.
        let queue = DispatchQueue(label: "switchyard.commands.signals")
        for number in numbers where !Self.isIgnored(Foundation.signal(number, SIG_IGN)) {
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler(number) }
            source.activate()
            list.append((number, source))
        }
        sources = Mutex(list)
    }

    /// Lets the signals end the process again.
    func release() {
        sources.withLock { sources in
            for (number, source) in sources {
                Foundation.signal(number, SIG_DFL)
                source.cancel()
            }
            sources = []
        }
    }

    private static func isIgnored<Handler>(_ handler: Handler) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
