internal import Foundation
internal import SwitchyardCore
internal import Synchronization

/// How many requests each device may make: a bucket for each, which fills with time.
final class RequestLimits: Sendable {
    /// A device has sent too many requests.
    struct Exceeded: Error {}

    private struct Bucket {
        var requests: Double
        var time: ContinuousClock.Instant
    }

    private let perMinute: Double
    private let buckets = Mutex<[UUID: Bucket]>([:])
    /// How many devices are remembered; any that can send anything is forgotten first.
    private static let most = 100_000

    init(perMinute: Int) { self.perMinute = Double(max(perMinute, 1)) }

    /// Counts a request of a device, or of an invitation, whether or not its token is right.
    ///
    /// - Throws: `Exceeded` if there were too many.
    func admit(_ id: UUID) throws {
        let now = ContinuousClock.now
        let isAdmitted = buckets.withLock { buckets in
            if buckets.count >= Self.most {
                buckets = buckets.filter { filled($0.value, now) < perMinute }
                // So many at once are no devices; what they send is refused by the store.
                if buckets.count >= Self.most { buckets = [:] }
            }
            let left = buckets[id].map { filled($0, now) } ?? perMinute
            guard left >= 1 else { return false }
            buckets[id] = Bucket(requests: left - 1, time: now)
            return true
        }
        guard isAdmitted else { throw Exceeded() }
    }

    private func filled(_ bucket: Bucket, _ now: ContinuousClock.Instant) -> Double {
        let seconds = bucket.time.duration(to: now) / .seconds(1)
        return min(bucket.requests + seconds * perMinute / 60, perMinute)
    }
}
