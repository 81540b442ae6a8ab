import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCore
import Synchronization

/// A time written as `2026-01-16T23:51:39.946Z`, for tests.
func time(_ text: String) -> Date {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    let exact = formatter.date(from: text)
    formatter.formatOptions = [.withInternetDateTime]
    // The formatter's own arithmetic is off by some nanoseconds.
    guard let date = exact ?? formatter.date(from: text), let microseconds = Timestamp.microseconds(date)
    else {
        preconditionFailure("not a time: \(text)")
    }
    return Timestamp.date(microseconds: microseconds)
}

/// A clock that stands until it is set.
final class TestClock: Sendable {
    private let time: Mutex<Date>

    init(_ text: String) { time = Mutex(BabyMonitorTests.time(text)) }

    var now: Date { time.withLock { $0 } }
    var read: @Sendable () -> Date { { self.now } }

    func set(_ text: String) { time.withLock { $0 = BabyMonitorTests.time(text) } }
    func advance(by seconds: TimeInterval) { time.withLock { $0.addTimeInterval(seconds) } }
}

/// Collects what concurrent code reports, in order.
final class Log: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

extension Store {
    func add(_ babies: String..., createdAt: Date = time("2025-10-01T00:00:00Z")) async throws
        -> [BabyProfile]
    {
        try await write { transaction in
            try babies.enumerated().map { index, name in
                try transaction.insert(
                    BabyProfile(name: name, createdAt: createdAt.addingTimeInterval(Double(index))))
            }
        }
    }

    func feeds() async throws -> [FeedSession] {
        try await read { try $0.fetch(FeedSession.sorted(by: \.startTime)) }
    }

    func diaperChanges() async throws -> [DiaperChange] {
        try await read { try $0.fetch(DiaperChange.sorted(by: \.timestamp)) }
    }

    func babies() async throws -> [BabyProfile] { try await read { try $0.babies() } }
}
