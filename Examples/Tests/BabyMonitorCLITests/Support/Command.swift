import Foundation
import Synchronization
import Testing

/// A built program, run as a process as people run it.
enum Command {
    /// The executable, which lies beside the test program or the bundle that holds it.
    static func executable(_ name: String) -> URL? {
        let places = [Bundle.main.executableURL, Bundle.main.bundleURL] + Bundle.allBundles.map(\.bundleURL)
        for place in places.compactMap(\.self) {
            var directory = place.resolvingSymlinksInPath()
            while directory.pathComponents.count > 1 {
                directory.deleteLastPathComponent()
                let file = directory.appending(path: name)
                var isDirectory: ObjCBool = false
                if FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory),
                    !isDirectory.boolValue, FileManager.default.isExecutableFile(atPath: file.path)
                {
                    return file
                }
            }
        }
        return nil
    }

    /// A program, and all that its run depends on.
    struct Call: Sendable {
        let program: URL
        let arguments: [String]
        let environment: [String: String]
        let directory: URL
        /// The files that stand for its standard streams: files take everything, where a pipe that nobody
        /// empties would stop the program.
        let input: String
        let output: String
        let error: String
    }

    /// Runs a program to its end, on a thread that may wait.
    ///
    /// - Returns: Its exit status; for one that a signal has ended, the signal below 0.
    static func run(_ call: Call) async throws -> Int32 {
        let running = Mutex<Process?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    do {
                        let (process, streams) = try makeProcess(call)
                        // Foundation keeps a process, and all that it holds, when it has ended. A thousand
                        // open files are more than its next process can be started with.
                        defer { for stream in streams { try? stream.close() } }
                        process.terminationHandler = { ended in
                            let isSignal = ended.terminationReason == .uncaughtSignal
                            continuation.resume(returning: (isSignal ? -1 : 1) * ended.terminationStatus)
                        }
                        try process.run()
                        running.withLock { $0 = process }
                    } catch {
                        continuation.resume(throwing: error)
                    }
                }
            }
        } onCancel: {
            running.withLock { $0?.terminate() }
        }
    }

    private static func makeProcess(_ call: Call) throws -> (Process, [FileHandle]) {
        let process = Process()
        process.executableURL = call.program
        process.arguments = call.arguments
        process.environment = call.environment
        process.currentDirectoryURL = call.directory
        let input = URL(filePath: call.input)
        let isTerminal = call.error == call.input
        let keyboard = try isTerminal ? FileHandle(forUpdating: input) : FileHandle(forReadingFrom: input)
        let output = try FileHandle(forWritingTo: URL(filePath: call.output))
        let error = try isTerminal ? keyboard : FileHandle(forWritingTo: URL(filePath: call.error))
        process.standardInput = keyboard
        process.standardOutput = output
        process.standardError = error
        return (process, [keyboard, output, error])
    }
}

/// How a run has ended, and what it has written.
struct Outcome: Sendable {
    let status: Int32
    let output: String
    let error: String

    /// The output as JSON.
    func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            return try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        }
        return try decoder.decode(Value.self, from: Data(output.utf8))
    }

    /// The members of an object in JSON, or of the first in a list; null is nil, true is 1.
    func members() throws -> [String: String?] {
        let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
        let object = try #require((value as? [[String: Any]])?.first ?? value as? [String: Any])
        return object.mapValues { $0 is NSNull ? nil : "\($0)" }
    }

    /// Whether standard error holds one paragraph: no empty line, no dump, no code for programs.
    var isOneParagraph: Bool {
        error.hasSuffix("\n") && !error.dropLast().isEmpty && !error.contains("\n\n")
            && !error.contains("Error Domain") && !error.contains("Swift.") && !error.contains("Optional(")
    }
}
