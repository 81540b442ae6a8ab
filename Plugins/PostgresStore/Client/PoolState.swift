internal import SwitchyardCore

/// Somebody who waits for a connection.
struct PoolWaiter: Sendable {
    let ticket: UInt64
    let continuation: CheckedContinuation<Connection, any Error>
    /// Ends the wait when it has lasted too long.
    var alarm: Task<Void, Never>?

    func resume(returning connection: Connection) {
        alarm?.cancel()
        continuation.resume(returning: connection)
    }

    func resume(throwing error: any Error) {
        alarm?.cancel()
        continuation.resume(throwing: error)
    }
}

/// Who has and who wants a connection: the decisions of a pool, without their effects.
///
/// While somebody waits, no connection is idle.
struct PoolState: Sendable {
    /// What happens to a request.
    enum Request {
        case connection(Connection)
        case wait(mustOpen: Bool)
        case closed
    }

    /// What happens to a connection that comes back.
    enum Return {
        case pass(PoolWaiter)
        case keep(mustReap: Bool, mustEndReads: Bool)
        case discard
    }

    /// What a pool's connections are doing.
    struct Occupancy {
        /// How many are in use.
        let used: Int
        /// How many of those wait for the server for longer than it should need.
        let silent: Int
        /// How many are being opened.
        let opening: Int
        /// Whether the server had no room for the last one that was to be opened.
        let isCrowded: Bool
    }

    private struct Idle {
        let connection: Connection
        let since: ContinuousClock.Instant
        /// Whether nothing of its last transaction is left to be sent.
        var isSettled = false
    }

    /// Connections that are open or being opened.
    private(set) var total = 0
    private var opening = 0
    private var used: [ObjectIdentifier: Connection] = [:]
    /// When the server had no room for another connection; nil once it had.
    private var crowdedSince: ContinuousClock.Instant?
    private var idle: [Idle] = []
    private var waiters: [PoolWaiter] = []
    private(set) var isClosed = false
    private var isReaping = false
    private var isEndingReads = false
    private var closing: [CheckedContinuation<Void, Never>] = []
    private var lastTicket: UInt64 = 0

    /// The number of those who wait.
    var waiting: Int { waiters.count }

    /// What the connections are doing.
    var occupancy: Occupancy {
        Occupancy(
            used: used.count, silent: used.values.count(where: \.isServerSilent), opening: opening,
            isCrowded: crowdedSince != nil)
    }

    /// How many connections are in use and idle, and how many users wait for one.
    var usage: (used: Int, idle: Int, waiting: Int) { (used.count, idle.count, waiters.count) }

    mutating func newTicket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }

    /// Serves a request at once or puts it into the queue.
    ///
    /// The connection used last is given out first, so that those which are too many stay idle and can be
    /// closed.
    mutating func request(_ waiter: PoolWaiter, limit: Int) -> Request {
        guard !isClosed else { return .closed }
        if let last = idle.popLast() {
            used[ObjectIdentifier(last.connection)] = last.connection
            return .connection(last.connection)
        }
        waiters.append(waiter)
        return .wait(mustOpen: startOpening(limit: limit))
    }

    /// Remembers the alarm of a waiter; false if it waits no more.
    mutating func setAlarm(_ alarm: Task<Void, Never>, for ticket: UInt64) -> Bool {
        guard let index = waiters.firstIndex(where: { $0.ticket == ticket }) else { return false }
        waiters[index].alarm = alarm
        return true
    }

    /// Takes a waiter out of the queue.
    mutating func remove(_ ticket: UInt64) -> PoolWaiter? {
        waiters.firstIndex { $0.ticket == ticket }.map { waiters.remove(at: $0) }
    }

    /// Decides about a connection that was opened or is no longer used.
    mutating func takeBack(_ connection: Connection, isNew: Bool) -> Return {
        if isNew {
            opening -= 1
            crowdedSince = nil
        }
        if isClosed { return .discard }
        if !waiters.isEmpty {
            used[ObjectIdentifier(connection)] = connection
            return .pass(waiters.removeFirst())
        }
        used[ObjectIdentifier(connection)] = nil
        idle.append(Idle(connection: connection, since: .now))
        defer {
            isReaping = true
            isEndingReads = true
        }
        return .keep(mustReap: !isReaping, mustEndReads: !isEndingReads)
    }

    /// Counts out a connection that is gone; true if another must be opened for those who wait.
    mutating func remove(_ connection: Connection, limit: Int) -> Bool {
        used[ObjectIdentifier(connection)] = nil
        total -= 1
        return startOpening(limit: limit)
    }

    /// Counts out a connection that could not be opened.
    ///
    /// Where the server only has no room for another one, who waits is served by those that the pool has.
    ///
    /// - Returns: The waiter that learns of it, and whether another must be opened for the next.
    mutating func openingFailed(limit: Int, isCrowded: Bool) -> (PoolWaiter?, mustOpen: Bool) {
        opening -= 1
        total -= 1
        if isCrowded, total > 0 {
            crowdedSince = .now
            return (nil, mustOpen: false)
        }
        let waiter = waiters.isEmpty ? nil : waiters.removeFirst()
        return (waiter, startOpening(limit: limit))
    }

    /// Takes out the connections that have been idle for too long.
    ///
    /// - Returns: Them, and whether none is left to watch.
    mutating func takeIdle(longerThan limit: Duration) -> ([Connection], isDone: Bool) {
        let now = ContinuousClock.now
        let expired = idle.filter { now - $0.since >= limit }
        idle.removeAll { now - $0.since >= limit }
        isReaping = !idle.isEmpty
        return (expired.map(\.connection), !isReaping)
    }

    /// The connections that have been idle for a time, each told once.
    ///
    /// - Returns: Them, and whether there will be others only once a connection has come back.
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
    /// - Returns: The idle connections, and those who wait in vain.
    mutating func close() -> ([Connection], [PoolWaiter]) {
        isClosed = true
        defer {
            total -= idle.count
            idle = []
            waiters = []
        }
        return (idle.map(\.connection), waiters)
    }

    /// Whether a closed pool has no connection left; remembers whom to tell otherwise.
    mutating func isDrained(orResume continuation: CheckedContinuation<Void, Never>) -> Bool {
        if total == 0 { return true }
        closing.append(continuation)
        return false
    }

    /// Those who wait for the pool to be drained, once it is.
    mutating func drained() -> [CheckedContinuation<Void, Never>] {
        guard isClosed, total == 0 else { return [] }
        defer { closing = [] }
        return closing
    }

    private mutating func startOpening(limit: Int) -> Bool {
        guard !isClosed, opening < waiters.count, total < limit else { return false }
        // Beside connections that will come back, a crowded server is asked again after a while only.
        if let crowdedSince, total > 0, ContinuousClock.now - crowdedSince < .seconds(1) { return false }
        opening += 1
        total += 1
        return true
    }
}
