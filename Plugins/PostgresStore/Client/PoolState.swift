internal import DequeModule

/// The users and connections of a pool: its decisions, without their effects.
///
/// No connection is idle while a user waits.
struct PoolState: Sendable {
    /// What happens to a request.
    enum Request {
        case connection(Connection)
        case wait(mustOpen: Bool, mustWatch: Bool)
        case closed
    }

    /// What happens to a connection that is returned.
    enum Return {
        case pass(Waiter)
        case keep(mustReap: Bool, mustEndReads: Bool)
        case discard
    }

    /// What a pool's connections are doing.
    struct Occupancy {
        /// How many are in use.
        let used: Int
        /// How many of those have waited for the server for longer than it should need.
        let silent: Int
        /// How many are being opened.
        let opening: Int
        /// Whether the server refused the last new connection because it has too many.
        let isCrowded: Bool
    }

    /// A request that waits for a connection.
    struct Waiter {
        let request: PoolRequest
        let since: ContinuousClock.Instant
    }

    private struct Idle {
        let connection: Connection
        let since: ContinuousClock.Instant
        /// Whether its last transaction has been ended on the server, too.
        var isSettled = false
    }

    /// The number of connections, open or being opened.
    private(set) var total = 0
    private var opening = 0
    /// The number of connections that are not lent, but closed with the pool, open or being opened.
    private var apart = 0
    private var used: [ObjectIdentifier: Connection] = [:]
    /// When the server last refused a connection because it had too many; nil once it accepts one.
    private var crowdedSince: ContinuousClock.Instant?
    private var idle: [Idle] = []
    private var waiters: Deque<Waiter> = []
    private(set) var isClosed = false
    private var isReaping = false
    private var isEndingReads = false
    private var isWatching = false
    private var closing: [CheckedContinuation<Void, Never>] = []

    /// The number of waiters.
    var waiting: Int { waiters.count }

    var occupancy: Occupancy {
        Occupancy(
            used: used.count, silent: used.values.count(where: \.isServerSilent), opening: opening,
            isCrowded: crowdedSince != nil)
    }

    /// The numbers of connections in use and idle, and of waiters.
    var usage: (used: Int, idle: Int, waiting: Int) { (used.count, idle.count, waiters.count) }

    /// Serves a request at once or adds it to the queue.
    ///
    /// The connection used last is reused first, so that surplus connections stay idle and can be closed.
    mutating func add(_ request: PoolRequest, limit: Int) -> Request {
        guard !isClosed else { return .closed }
        if let last = idle.popLast() {
            used[ObjectIdentifier(last.connection)] = last.connection
            return .connection(last.connection)
        }
        waiters.append(Waiter(request: request, since: .now))
        defer { isWatching = true }
        return .wait(mustOpen: startOpening(limit: limit), mustWatch: !isWatching)
    }

    /// Removes a request from the queue; nil if it does not wait.
    mutating func remove(_ request: PoolRequest) -> Waiter? {
        waiters.firstIndex { $0.request === request }.map { waiters.remove(at: $0) }
    }

    /// Removes the requests that have waited for too long.
    ///
    /// - Returns: Those requests, and when the next one will have; nil if none is left to watch.
    mutating func takeExpired(after limit: Duration) -> ([Waiter], next: ContinuousClock.Instant?) {
        let now = ContinuousClock.now
        let expired = waiters.prefix { now - $0.since >= limit }
        waiters.removeFirst(expired.count)
        isWatching = !waiters.isEmpty
        return (Array(expired), waiters.first.map { $0.since + limit })
    }

    /// Decides what happens to a connection that was opened or is no longer used.
    mutating func takeBack(_ connection: Connection, isNew: Bool) -> Return {
        if isNew {
            opening -= 1
            crowdedSince = nil
        }
        if isClosed { return .discard }
        if let waiter = waiters.popFirst() {
            used[ObjectIdentifier(connection)] = connection
            return .pass(waiter)
        }
        used[ObjectIdentifier(connection)] = nil
        idle.append(Idle(connection: connection, since: .now))
        defer {
            isReaping = true
            isEndingReads = true
        }
        return .keep(mustReap: !isReaping, mustEndReads: !isEndingReads)
    }

    /// Removes a closed connection; returns true if another must be opened for a waiter.
    mutating func remove(_ connection: Connection, limit: Int) -> Bool {
        used[ObjectIdentifier(connection)] = nil
        total -= 1
        return startOpening(limit: limit)
    }

    /// Removes a connection that could not be opened.
    ///
    /// If the server only has too many connections, waiters are served by those that the pool has.
    ///
    /// - Returns: The waiter that gets the error, and whether another connection must be opened for the next one.
    mutating func openingFailed(limit: Int, isCrowded: Bool) -> (Waiter?, mustOpen: Bool) {
        opening -= 1
        total -= 1
        if isCrowded, total > 0 {
            crowdedSince = .now
            return (nil, mustOpen: false)
        }
        return (waiters.popFirst(), startOpening(limit: limit))
    }

    /// Removes the connections that have been idle for too long.
    ///
    /// - Returns: Those connections, and whether none is left to watch.
    mutating func takeIdle(longerThan limit: Duration) -> ([Connection], isDone: Bool) {
        let now = ContinuousClock.now
        let expired = idle.filter { now - $0.since >= limit }
        idle.removeAll { now - $0.since >= limit }
        isReaping = !idle.isEmpty
        return (expired.map(\.connection), !isReaping)
    }

    /// Returns the connections that have been idle for a while, each only once.
    ///
    /// - Returns: Those connections, and whether none is left to watch until another is returned.
    mutating func settleIdle(longerThan limit: Duration) -> ([Connection], isDone: Bool) {
        let now = ContinuousClock.now
        var settled: [Connection] = []
        for index in idle.indices where !idle[index].isSettled && now - idle[index].since >= limit {
            idle[index].isSettled = true
            settled.append(idle[index].connection)
        }
        isEndingReads = !idle.allSatisfy(\.isSettled)
        return (settled, !isEndingReads)
    }

    /// Refuses all further requests.
    ///
    /// - Returns: The idle connections, and the waiters to reject.
    mutating func close() -> ([Connection], [Waiter]) {
        isClosed = true
        defer {
            total -= idle.count
            idle = []
            waiters = []
        }
        return (idle.map(\.connection), waiters.map(\.self))
    }

    /// Whether a closed pool has no connection left; if not, stores the continuation until it has none.
    mutating func isDrained(orResume continuation: CheckedContinuation<Void, Never>) -> Bool {
        if total + apart == 0 { return true }
        closing.append(continuation)
        return false
    }

    /// The continuations to resume if the pool is closed and its last connection is gone.
    mutating func drained() -> [CheckedContinuation<Void, Never>] {
        guard isClosed, total + apart == 0 else { return [] }
        defer { closing = [] }
        return closing
    }

    /// Counts a connection that is not lent; returns false if the pool is closed.
    mutating func addApart() -> Bool {
        if !isClosed { apart += 1 }
        return !isClosed
    }

    /// Counts one that is closed.
    mutating func removeApart() { apart -= 1 }

    private mutating func startOpening(limit: Int) -> Bool {
        guard !isClosed, opening < waiters.count, total < limit else { return false }
        // As long as it has connections that will be returned, the pool only asks a full server again after a while.
        if let crowdedSince, total > 0, ContinuousClock.now - crowdedSince < .seconds(1) { return false }
        opening += 1
        total += 1
        return true
    }
}
