internal import Foundation
internal import SwitchyardCore
internal import Synchronization

/// How many requests each device may make: a bucket for each, which fills with time.
///
/// A device is known by its whole token, so that nobody who has only heard of its id uses up what it may send. A token that the
/// store has not yet found right counts for the address that it came from.
final class RequestLimits: Sendable {
    /// A device, or an address, has sent too many requests.
    struct Exceeded: Error {}

    /// Whom a request counts for until its token is found right.
    struct Sender: Sendable {
        /// The digest of the whole token.
        fileprivate let token: [UInt8]
        fileprivate let peer: String
    }

    private struct Bucket {
        var requests: Double
        var time: ContinuousClock.Instant
    }

    private struct State {
        var devices: [[UInt8]: Bucket] = [:]
        var peers: [String: Bucket] = [:]
    }

    private let perMinute: Double
    private let state = Mutex(State())
    /// How many devices, and how many addresses, are remembered; any that can send everything is forgotten first.
    private static let most = 100_000
    /// How many times more unknown tokens than a device's requests an address may send.
    ///
    /// A whole household is behind one address; behind a proxy that does not tell of others, all devices are. Tokens that turn out
    /// right do not count.
    static let peerFactor = 10.0

    init(perMinute: Int) { self.perMinute = Double(max(perMinute, 1)) }

    /// Counts a request before its token is looked up.
    ///
    /// - Parameters:
    ///   - token: The token that it bears, in whatever form; nil for none.
    ///   - peer: The address that it came from; those without one share a bucket.
    /// - Returns: Whom it counts for.
    /// - Throws: `Exceeded` if there were too many.
    func admit(_ token: String?, from peer: String?) throws -> Sender {
        let sender = Sender(token: Array((token ?? "").utf8).sha256, peer: String((peer ?? "").prefix(64)))
        let isAdmitted = state.withLock { state in
            if state.devices[sender.token] != nil {
                return take(&state.devices, sender.token, perMinute)
            }
            return take(&state.peers, sender.peer, perMinute * Self.peerFactor)
        }
        guard isAdmitted else { throw Exceeded() }
        return sender
    }

    /// Whether the sender's token was found right before.
    func knows(_ sender: Sender) -> Bool { state.withLock { $0.devices[sender.token] != nil } }

    /// Notes that a token was found right: it has a bucket of its own from now on.
    func accept(_ sender: Sender) {
        state.withLock { state in
            guard state.devices[sender.token] == nil else { return }
            _ = take(&state.devices, sender.token, perMinute)
            state.peers[sender.peer]?.requests += 1
        }
    }

    private func take<Key: Hashable>(_ buckets: inout [Key: Bucket], _ key: Key, _ most: Double) -> Bool {
        let now = ContinuousClock.now
        if buckets.count >= Self.most, buckets[key] == nil {
            buckets = buckets.filter { filled($0.value, most, now) < most }
            // So many at once are the business of what stands before the service.
            if buckets.count >= Self.most { buckets = [:] }
        }
        let left = buckets[key].map { filled($0, most, now) } ?? most
        guard left >= 1 else { return false }
        buckets[key] = Bucket(requests: left - 1, time: now)
        return true
    }

    private func filled(_ bucket: Bucket, _ most: Double, _ now: ContinuousClock.Instant) -> Double {
        let seconds = bucket.time.duration(to: now) / .seconds(1)
        return min(bucket.requests + seconds * most / 60, most)
    }
}
