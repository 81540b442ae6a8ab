import Foundation
import Synchronization

/// A process of a scenario, which may be killed at any moment.
final class Child: Sendable {
    /// How a process has ended.
    enum Ending: Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    private let process: Mutex<Process>
    private let ending: Task<Ending, Never>

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: Its path.
    ///   - arguments: Its arguments.
    ///   - environment: What its environment has besides this process's.
    ///   - output: The file for its standard output and error, made anew; nothing is kept if nil.
    /// - Throws: What the system says of a program that cannot be started.
    init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], output: String? = nil
    ) throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        var stream = FileHandle.nullDevice
        if let output {
            _ = FileManager.default.createFile(
                atPath: output, contents: nil, attributes: [.posixPermissions: 0o600])
            stream = try FileHandle(forWritingTo: URL(filePath: output))
        }
        defer { if output != nil { try? stream.close() } }
        process.standardOutput = stream
        process.standardError = stream
        let (endings, continuation) = AsyncStream.makeStream(of: Ending.self)
        process.terminationHandler = { ended in
            let isSignal = ended.terminationReason == .uncaughtSignal
            continuation.yield(isSignal ? .signal(ended.terminationStatus) : .exit(ended.terminationStatus))
            continuation.finish()
        }
        ending = Task {
            for await ending in endings { return ending }
            return .exit(-1)
        }
        do {
            try process.run()
        } catch {
            continuation.finish()
            throw error
        }
        self.process = Mutex(process)
    }

    /// Kills the process, if it has not ended.
    func kill() {
        process.withLock { if $0.isRunning { _ = Foundation.kill($0.processIdentifier, SIGKILL) } }
    }

    /// How the process has ended; waits for it.
    var ended: Ending { get async { await ending.value } }

    /// Waits for the end of the process, and kills it if that takes too long; nil then.
    func ended(within limit: Duration) async -> Ending? {
        let alarm = Task {
            try await Task.sleep(for: limit)
            kill()
        }
        let ending = await ended
        alarm.cancel()
        return (try? await alarm.value) == nil ? ending : nil
    }
}
