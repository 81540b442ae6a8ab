import Foundation
import Synchronization

/// What one measurement came to.
struct Sample: Codable {
    /// The time between the stop watch's start and stop.
    var seconds: Double
    /// The most memory that the process, or the tool that it ran, held at once.
    var peakKiB: Int

    func print() throws {
        Swift.print(String(decoding: try JSONEncoder().encode(self), as: UTF8.self))
    }
}

/// Takes the time of the part that counts, without the preparation around it.
final class StopWatch: Sendable {
    private let elapsed = Mutex(Duration.zero)

    var seconds: Double { elapsed.withLock { $0 / .seconds(1) } }

    func time<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        let start = ContinuousClock.now
        let result = try await body()
        elapsed.withLock { $0 += ContinuousClock.now - start }
        return result
    }

    func timeOnThread<Result>(_ body: () throws -> Result) rethrows -> Result {
        let start = ContinuousClock.now
        let result = try body()
        elapsed.withLock { $0 += ContinuousClock.now - start }
        return result
    }
}

enum PeakMemory {
    /// The most memory that this process, or any child that it waited for, held at once.
    static func kibibytes() -> Int {
        var (own, children) = (rusage(), rusage())
        // Darwin counts bytes, Linux kibibytes.
        #if canImport(Darwin)
            let unit = 1024
            getrusage(RUSAGE_SELF, &own)
            getrusage(RUSAGE_CHILDREN, &children)
        #else
            let unit = 1
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &own)
            getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &children)
        #endif
        return children.ru_maxrss > 0 ? Int(children.ru_maxrss) / unit : Int(own.ru_maxrss) / unit
    }
}

/// Where a run's files are and how large it is.
struct Place: Sendable {
    let directory: String
    let rows: Int
    /// The path of the `babymonitor` command.
    let command: String

    func file(_ name: String) -> String { directory + "/" + name }
}
