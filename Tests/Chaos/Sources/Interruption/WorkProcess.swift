import ArgumentParser
import Foundation
import Switchyard

/// What a process says of work that is done wholly or not at all.
enum WorkWord: String {
    /// The work begins.
    case begun
    /// The work is done, after so many seconds.
    case done
    /// It was done before, so that nothing was to be done.
    case wasDone
    /// It has failed.
    case failed
}

/// The side of the process that does the work.
enum WorkProcess {
    /// Says when work begins, and how it ends.
    ///
    /// - Parameter work: Returns `done` or `wasDone`.
    /// - Throws: `ExitCode.failure` if the work fails.
    static func run(_ work: () async throws -> WorkWord) async throws {
        signal(SIGPIPE, SIG_IGN)
        say(.begun)
        let start = ContinuousClock.now
        do {
            let word = try await work()
            say(word, "\(start.duration(to: .now) / .seconds(1))")
        } catch let error as StoreError {
            say(.failed, error.debugDescription.split(whereSeparator: \.isNewline).joined(separator: " "))
            throw ExitCode.failure
        }
    }

    private static func say(_ word: WorkWord, _ rest: String = "") {
        print(word.rawValue, rest)
        fflush(nil)
    }
}
