package import SwitchyardCore

internal import struct Foundation.UUID

/// The mirror of one device as a state machine: what it does next, given what has happened.
///
/// It has no task, clock, random numbers or store: a runner carries out its effects and tells it their results as events.
/// So a simulator can take it through every order of events.
package struct MirrorEngine: Sendable {
    /// What the device is doing.
    package enum Phase: Sendable, Hashable {
        /// Nothing: everything is sent and applied, as far as is known.
        case idle
        /// Local writes are being sealed, and a request prepared.
        case preparing
        /// A request is on its way; it counts as lost at the deadline.
        case exchanging(deadline: Int64)
        /// A page is being put to those before it.
        case staging(ExchangePage)
        /// All rows are being fetched; the request counts as lost at the deadline.
        case beginningAgain(deadline: Int64)
        /// A page of all rows is being put to those before it.
        case stagingRows(RowsPage)
        /// The staged pages are being applied.
        case applying(upTo: HistoryPosition)
        /// Rows that a restored server has lost are being offered to it.
        case offering
        /// The last attempt failed; the next one is due at a time.
        case waiting(until: Int64)
        /// Nothing can be exchanged until somebody acts.
        case blocked(MirrorProblem)
    }

    package enum Event: Sendable {
        /// The mirror was opened, with the cursor that its store holds; nil if it has yet to take all rows.
        case opened(cursor: HistoryPosition?)
        /// The store has committed something.
        case committed
        /// There may be something new on the server.
        case reachable
        /// Time has passed.
        case tick
        /// What is to be sent.
        case prepared(Prepared)
        case answer(ExchangeAnswer, to: Int)
        /// A request has failed.
        case failed(Int)
        case staged
        case applied(ApplyResult, cursor: HistoryPosition?)
        case offered(cursor: HistoryPosition?)
        /// An effect on the local store has failed.
        case effectFailed
    }

    package enum Effect: Sendable, Hashable {
        /// Forget the pages of an earlier exchange.
        case clearStage
        /// Seal the local writes, and tell what is to be sent (`prepared`).
        case prepare
        /// Send a request (`answer` or `failed`).
        case send(ExchangeRequest, number: Int)
        /// Ask for all rows, one page after the other (`answer` or `failed`).
        case sendRows(RowsRequest, number: Int)
        /// Keep a page (`staged`).
        case stage(ExchangePage)
        case stageRows(RowsPage)
        /// Apply the staged pages in one transaction (`applied`).
        case apply(from: HistoryPosition?, upTo: HistoryPosition)
        /// Go back to a common place and offer what came after (`offered`).
        case offer(after: HistoryPosition)
        /// Send a `tick` at a time; an earlier one is of no use any more.
        case wake(at: Int64)
    }

    /// What the store has to send.
    package struct Prepared: Sendable, Hashable {
        /// The oldest mutations for which no verdict is staged.
        package var mutations: [Mutation]
        package var trail: [HistoryPosition]
        /// The cursor that the store holds.
        package var cursor: HistoryPosition?

        package init(mutations: [Mutation], trail: [HistoryPosition], cursor: HistoryPosition?) {
            self.mutations = mutations
            self.trail = trail
            self.cursor = cursor
        }
    }

    /// How long the engine waits for things, in microseconds.
    package struct Patience: Sendable, Hashable {
        /// For an answer.
        package var answer: Int64 = 30_000_000
        /// Before a first retry; each further one waits twice as long.
        package var retry: Int64 = 500_000
        package var longestRetry: Int64 = 300_000_000
        /// Between two exchanges if nobody tells of news; nil for never.
        package var poll: Int64? = 60_000_000

        package init() {}
    }

    package private(set) var phase: Phase = .idle
    private var cursor: HistoryPosition?
    /// The place up to which pages are staged; nil if none is.
    private var stagedUpTo: HistoryPosition?
    /// The head that the last page was read at.
    private var seen: HistoryPosition?
    /// The verdicts that were stored, and not yet told to the server.
    private var stored: [UUID] = []
    private var stagedVerdicts: [UUID] = []
    /// The number of the newest request: an answer to any other is dropped.
    private var number = 0
    /// Whether something has happened during an exchange that asks for another.
    private var isDue = false
    /// Whether the server is asked even if there is nothing to send.
    private var asksForNews = true
    /// Whether the staged pages are complete, but do not fit until pending mutations have verdicts.
    private var waitsForVerdicts = false
    /// How far all rows have been staged: the head that the first page was read at, and the last row.
    private var copied: (head: HistoryPosition, last: RowKey)?
    /// Whether all rows are asked for, because the changes since the cursor are not kept.
    private var isCopying = false
    private var attempts = 0
    private let patience: Patience

    package init(patience: Patience = Patience()) { self.patience = patience }

    /// The next step.
    ///
    /// - Parameters:
    ///   - event: What has happened.
    ///   - now: The time in microseconds of a clock that never goes back.
    /// - Returns: What is to be done, in order.
    package mutating func handle(_ event: Event, now: Int64) -> [Effect] {
        switch event {
        case .opened(let cursor):
            self.cursor = cursor
            return restart()
        case .committed: return begin()
        case .reachable:
            asksForNews = true
            return begin()
        case .tick: return tick(now)
        case .prepared(let prepared): return send(prepared, now)
        case .answer(let answer, let request):
            guard isExchanging, request == number else { return [] }
            attempts = 0
            return take(answer, now)
        case .failed(let request):
            guard isExchanging, request == number else { return [] }
            return retry(now)
        case .staged: return proceed(now)
        case .applied(let result, let cursor): return conclude(result, cursor, now)
        case .offered(let cursor):
            self.cursor = cursor
            return restart()
        case .effectFailed: return [.clearStage] + forget() + retry(now)
        }
    }

    private var isExchanging: Bool {
        switch phase {
        case .exchanging, .beginningAgain: true
        default: false
        }
    }

    // MARK: Steps

    private mutating func begin() -> [Effect] {
        switch phase {
        case .idle:
            isDue = false
            phase = .preparing
            return [.prepare]
        // A retry is due by its own timer, however often the app writes: else a busy app would call a server that is down
        // without a pause, and an idle one would never call it again.
        case .waiting, .blocked: return []
        case .preparing, .exchanging, .staging, .beginningAgain, .stagingRows, .applying, .offering:
            isDue = true
            return []
        }
    }

    private mutating func tick(_ now: Int64) -> [Effect] {
        switch phase {
        case .idle:
            asksForNews = true
            return begin()
        case .waiting(let time):
            guard now >= time else { return [.wake(at: time)] }
            phase = .idle
            asksForNews = true
            return begin()
        case .exchanging(let deadline), .beginningAgain(let deadline):
            return now >= deadline ? retry(now) : [.wake(at: deadline)]
        case .preparing, .staging, .stagingRows, .applying, .offering, .blocked: return []
        }
    }

    private mutating func send(_ prepared: Prepared, _ now: Int64) -> [Effect] {
        guard case .preparing = phase else { return [] }
        guard prepared.cursor == cursor else {
            // Another process on the same store has exchanged.
            cursor = prepared.cursor
            return restart()
        }
        if waitsForVerdicts, prepared.mutations.isEmpty {
            // Nothing is pending that the rows could wait for.
            return block(.rowsDoNotFit)
        }
        guard !isCopying, let from = stagedUpTo ?? cursor else { return sendRows(now) }
        // What was committed came from the server itself.
        if !asksForNews, stagedUpTo == nil, prepared.mutations.isEmpty {
            phase = .idle
            return poll(now)
        }
        asksForNews = false
        number += 1
        let deadline = now + patience.answer
        phase = .exchanging(deadline: deadline)
        var request = ExchangeRequest(
            cursor: from, seen: seen, trail: prepared.trail, mutations: prepared.mutations, stored: stored)
        // A device that joins shows the server's rows first; its own are sent before that only if they do not fit together.
        if cursor == nil, !waitsForVerdicts {
            isDue = isDue || !request.mutations.isEmpty
            request.mutations = []
        }
        return [.send(request, number: number), .wake(at: deadline)]
    }

    /// Asks for all rows, or for those after the ones that are staged.
    private mutating func sendRows(_ now: Int64) -> [Effect] {
        number += 1
        isCopying = true
        let deadline = now + patience.answer
        phase = .beginningAgain(deadline: deadline)
        return [.sendRows(RowsRequest(after: copied?.last, seen: seen), number: number), .wake(at: deadline)]
    }

    private mutating func take(_ answer: ExchangeAnswer, _ now: Int64) -> [Effect] {
        switch answer {
        case .page(let page):
            guard case .exchanging = phase, page.from == stagedUpTo ?? cursor else { return restart() }
            phase = .staging(page)
            return [.stage(page)]
        case .restart: return restart()
        case .ahead(let common):
            guard common != cursor else { return restart() }
            phase = .offering
            return [.offer(after: common)]
        case .beginAgain: return forget() + sendRows(now)
        case .rows(let page):
            guard case .beginningAgain = phase else { return restart() }
            phase = .stagingRows(page)
            return [.stageRows(page)]
        }
    }

    private mutating func proceed(_ now: Int64) -> [Effect] {
        if case .stagingRows(let page) = phase {
            let head = copied?.head ?? page.head
            seen = page.head
            if let next = page.next {
                copied = (head, next)
                return sendRows(now)
            }
            // What has changed since the first page comes with an exchange from there.
            (copied, isCopying) = (nil, false)
            stagedUpTo = head
            phase = .preparing
            return [.prepare]
        }
        guard case .staging(let page) = phase else { return [] }
        stagedUpTo = page.upTo
        seen = page.head
        stagedVerdicts += page.verdicts.map(\.id)
        stored = []
        waitsForVerdicts = false
        if page.hasMore {
            phase = .preparing
            return [.prepare]
        }
        if page.upTo == cursor, stagedVerdicts.isEmpty {
            // There is nothing to apply.
            let effects = forget()
            phase = .idle
            return effects + (isDue ? begin() : poll(now))
        }
        phase = .applying(upTo: page.upTo)
        return [.apply(from: cursor, upTo: page.upTo)]
    }

    private mutating func conclude(
        _ result: ApplyResult, _ cursor: HistoryPosition?, _ now: Int64
    ) -> [Effect] {
        guard case .applying = phase else { return [] }
        switch result {
        case .applied:
            self.cursor = cursor
            let verdicts = stagedVerdicts
            // What was staged is applied, and must not be applied again.
            let effects = forget()
            stored = verdicts
            phase = .idle
            // Verdicts say that there was something to send, and there may be more of it.
            guard isDue || !verdicts.isEmpty else { return effects + poll(now) }
            return effects + begin()
        case .doesNotFit:
            waitsForVerdicts = true
            phase = .preparing
            return [.prepare]
        case .outdated:
            self.cursor = cursor
            return restart()
        }
    }

    private func poll(_ now: Int64) -> [Effect] { patience.poll.map { [.wake(at: now + $0)] } ?? [] }

    private mutating func restart() -> [Effect] {
        let effects = forget()
        asksForNews = true
        phase = .preparing
        return effects + [.prepare]
    }

    private mutating func forget() -> [Effect] {
        stagedUpTo = nil
        seen = nil
        stagedVerdicts = []
        waitsForVerdicts = false
        (copied, isCopying) = (nil, false)
        return [.clearStage]
    }

    private mutating func retry(_ now: Int64) -> [Effect] {
        let delay = min(patience.retry << min(attempts, 20), patience.longestRetry)
        attempts += 1
        // An answer that comes after all is not for the next request.
        number += 1
        phase = .waiting(until: now + delay)
        return [.wake(at: now + delay)]
    }

    private mutating func block(_ problem: MirrorProblem) -> [Effect] {
        let effects = forget()
        phase = .blocked(problem)
        return effects
    }
}

/// Why a mirror has stopped exchanging.
package enum MirrorProblem: String, Sendable, Hashable, Codable {
    /// Rows of the server do not fit beside each other on the device.
    case rowsDoNotFit
}
