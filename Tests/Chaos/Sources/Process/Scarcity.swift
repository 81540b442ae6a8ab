import ArgumentParser
import Foundation
import Switchyard
import SwitchyardConformance

/// What a worker runs out of for a while.
enum Scarcity: String, ExpressibleByArgument, Sendable {
    /// No file can be opened any more, or only a few.
    case descriptors
    /// No file can grow much, as on a disk that is full.
    case fileSize

    /// Lets a worker post and read while there is too little, and opens its store once more.
    func around(
        _ work: LedgerWork, _ number: Int, at url: String, using generator: inout SeededGenerator
    ) async throws {
        let spare = Int.random(in: 0...6, using: &generator)
        let before = try limit(to: try room(spare, beside: url))
        await work.post(number, using: &generator)
        await work.read()
        do {
            try await Backends.open(url, createsIfMissing: false).close()
        } catch let error as StoreError {
            work.journal.refusal(error.code)
            // That there is too little, and nothing of the store.
            if ![.full, .inputOutput, .busy, .readOnly].contains(error.code) {
                work.journal.violation("opening failed with \(error.debugDescription)")
            }
        }
        var restored = before
        guard setrlimit(resource, &restored) == 0 else {
            throw MissingPart(description: "the limit cannot be raised again")
        }
    }

    private var resource: Int32 {
        let resource = self == .descriptors ? RLIMIT_NOFILE : RLIMIT_FSIZE
        #if canImport(Darwin)
            return resource
        #else
            return Int32(resource.rawValue)
        #endif
    }

    /// The limit that leaves a little.
    private func room(_ spare: Int, beside url: String) throws -> Int {
        switch self {
        case .descriptors:
            // The lowest number that is free: what is open has lower ones.
            let free = dup(0)
            guard free >= 0 else { throw MissingPart(description: "there is no descriptor at all") }
            close(free)
            return Int(free) + spare
        case .fileSize:
            signal(SIGXFSZ, SIG_IGN)
            // The log may be short after a checkpoint, and then grows again.
            let path = String(url.dropFirst("sqlite:".count))
            let log = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
            return max(log ?? 0, 1 << 14) + spare * 4_096
        }
    }

    private func limit(to number: Int) throws -> rlimit {
        var before = rlimit()
        guard getrlimit(resource, &before) == 0 else {
            throw MissingPart(description: "no limit can be read")
        }
        var lowered = before
        lowered.rlim_cur = rlim_t(number)
        guard setrlimit(resource, &lowered) == 0 else {
            throw MissingPart(description: "no limit can be set")
        }
        return before
    }
}
