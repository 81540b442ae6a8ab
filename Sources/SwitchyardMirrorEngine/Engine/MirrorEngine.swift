package import SwitchyardCore

package import struct Foundation.UUID

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
        /// All rows are being fetched; the request counts as lost at the deadline.
        case beginningAgain(deadline: Int64)
        /// A page is being put to those before it, with which the stage is this one.
        case staging(Stage)
        /// The staged pages and the last one are being applied.
        case applying(ExchangePage)
        /// Rows that a restored server has lost are being offered to it.
        case offering
        /// The last attempt failed; the next one is due at a time.
        case waiting(until: Int64)
        /// Nothing can be exchanged until somebody acts.
        case blocked(MirrorProblem)
        /// The membership of the household has ended.
        case ended
    }

    package enum Event: Sendable {
        /// The mirror was opened, with the cursor that its store holds, nil if it has yet to take all rows; and with the pages
        /// of an exchange that was not brought to its end.
        case opened(cursor: HistoryPosition?, Stage? = nil)
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
        /// Another process has taken over the staged pages, or removed them.
        case stageLost
        case applied(ApplyResult, cursor: HistoryPosition?)
        case offered(cursor: HistoryPosition?)
        /// An effect on the local store has failed.
        case effectFailed
        /// The server could not be reached to begin with, or the exchange was cancelled: what is staged stays.
        case interrupted
        /// The server says that the membership of the household has ended.
        case revoked
        /// The household's rows could not be removed from the store.
        case membershipLeft
    }

    package enum Effect: Sendable, Hashable {
        /// Forget the pages of an earlier exchange.
        case clearStage
        /// Seal the local writes, and tell what is to be sent (`prepared`): nothing that has a verdict in a staged page.
        case prepare(settled: [UUID])
        /// Send a request (`answer` or `failed`).
        case send(ExchangeRequest, number: Int)
        /// Ask for all rows, one page after the other (`answer` or `failed`).
        case sendRows(RowsRequest, number: Int)
        /// Keep a page until the last one is there, with what the stage is then (`staged` or `stageLost`).
        case stage(StagedPage, Stage)
        /// Apply the staged pages and the last one in one transaction (`applied`).
        case apply(Stage?, ExchangePage, from: HistoryPosition?)
        /// Go back to a common place and offer what came after (`offered`).
        case offer(after: HistoryPosition)
        /// Send a `tick` at a time; an earlier one is of no use any more.
        case wake(at: Int64)
        /// Remove the household's rows from the store.
        case endMembership
    }

    /// What the store has to send.
    package struct Prepared: Sendable, Hashable {
        /// The oldest mutations without a verdict.
        package var mutations: [Mutation]
        package var trail: [HistoryPosition]
        /// The cursor that the store holds.
        package var cursor: HistoryPosition?
        /// The schema that the store had when it was at the cursor, if it has another one now.
        package var earlier: SchemaIdentity?

        package init(
            mutations: [Mutation], trail: [HistoryPosition], cursor: HistoryPosition?,
            earlier: SchemaIdentity? = nil
        ) {
            self.earlier = earlier
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
    /// The pages that wait for the last one; nil if none does.
    private var stage: Stage?
    /// The verdicts that were stored, and not yet told to the server.
    private var stored: [UUID] = []
    /// The number of the newest request: an answer to any other is dropped.
    private var number = 0
    /// Whether something has happened during an exchange that asks for another.
    private var isDue = false
    /// Whether the server is asked even if there is nothing to send.
    private var asksForNews = true
    /// Whether the staged pages are complete, but do not fit until pending mutations have verdicts.
    private var waitsForVerdicts = false
    /// Whether the pages did not fit the last time, beside nothing that was pending.
    private var hasMisfit = false
    /// Whether the whole trail is shown, because the server has lost commits.
    private var showsTrail = false
    /// Whether all rows are asked for, because the changes since the cursor are not kept.
    private var isCopying = false
    /// How many attempts have failed since something was last staged, applied or found to be up to date.
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
        if phase == .ended {
            // They are to go all the same: the server is asked again, and says so again.
            if case .membershipLeft = event { return forget() + retry(now) }
            return []
        }
        switch event {
        case .opened(let cursor, let stage):
            self.cursor = cursor
            guard let stage, stage.cursor == cursor else { return restart() }
            (self.stage, isCopying, waitsForVerdicts) = (stage, stage.upTo == nil, false)
            asksForNews = true
            return prepare()
        case .committed: return begin()
        case .reachable:
            asksForNews = true
            return begin()
        case .tick: return tick(now)
        case .prepared(let prepared): return send(prepared, now)
        case .answer(let answer, let request):
            guard isExchanging, request == number else { return [] }
            return take(answer, now)
        case .failed(let request):
            guard isExchanging, request == number else { return [] }
            return retry(now)
        case .staged: return proceed()
        case .stageLost: return restart()
        case .applied(let result, let cursor): return conclude(result, cursor, now)
        case .offered(let cursor):
            self.cursor = cursor
            return restart()
        case .effectFailed: return forget() + retry(now)
        case .interrupted: return retry(now)
        case .revoked:
            phase = .ended
            return [.endMembership]
        case .membershipLeft: return []
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
            return prepare()
        // A retry is due by its own timer, however often the app writes: else a busy app would call a server that is down
        // without a pause, and an idle one would never call it again.
        case .waiting, .blocked, .ended: return []
        case .preparing, .exchanging, .staging, .beginningAgain, .applying, .offering:
            isDue = true
            return []
        }
    }

    private mutating func tick(_ now: Int64) -> [Effect] {
        switch phase {
        case .idle:
            // It may be the deadline of an answer that has come.
            guard patience.poll != nil else { return [] }
            asksForNews = true
            return begin()
        case .waiting(let time):
            guard now >= time else { return [.wake(at: time)] }
            phase = .idle
            asksForNews = true
            return begin()
        case .exchanging(let deadline), .beginningAgain(let deadline):
            return now >= deadline ? retry(now) : [.wake(at: deadline)]
        case .preparing, .staging, .applying, .offering, .blocked, .ended: return []
        }
    }

    private mutating func send(_ prepared: Prepared, _ now: Int64) -> [Effect] {
        guard case .preparing = phase else { return [] }
        guard prepared.cursor == cursor else {
            // Another process on the same store has exchanged.
            cursor = prepared.cursor
            return restart()
        }
        if waitsForVerdicts {
            if prepared.mutations.isEmpty {
                // Nothing is pending that the rows could wait for, unless another process has got its verdict meanwhile.
                if hasMisfit { return block(.rowsDoNotFit) }
                hasMisfit = true
                return restart()
            }
            hasMisfit = false
        }
        guard !isCopying, let from = stage?.upTo ?? cursor else { return sendRows(now) }
        // What was committed came from the server itself.
        if !asksForNews, stage == nil, prepared.mutations.isEmpty {
            phase = .idle
            return poll(now)
        }
        asksForNews = false
        number += 1
        let deadline = now + patience.answer
        phase = .exchanging(deadline: deadline)
        var request = ExchangeRequest(
            cursor: from, seen: stage?.seen,
            trail: showsTrail ? prepared.trail : Self.excerpt(prepared.trail),
            mutations: prepared.mutations,
            stored: stored, earlier: prepared.earlier)
        // A device that takes all rows shows them first, and says then that its own edits have seen none of them; they are
        // sent before that only if they do not fit together. What it offers is no edit.
        if cursor == nil || stage?.isWhole ?? false, !waitsForVerdicts {
            isDue = isDue || !request.mutations.isEmpty
            request.mutations.removeAll { !$0.isOffer }
        }
        return [.send(request, number: number), .wake(at: deadline)]
    }

    /// Asks for all rows, or for those after the ones that are staged.
    private mutating func sendRows(_ now: Int64) -> [Effect] {
        number += 1
        isCopying = true
        let deadline = now + patience.answer
        phase = .beginningAgain(deadline: deadline)
        let request = RowsRequest(after: stage?.copied?.last, seen: stage?.seen)
        return [.sendRows(request, number: number), .wake(at: deadline)]
    }

    private mutating func take(_ answer: ExchangeAnswer, _ now: Int64) -> [Effect] {
        switch answer {
        case .page(let page):
            guard case .exchanging = phase, page.from == stage?.upTo ?? cursor else { return restart() }
            stored = []
            (waitsForVerdicts, showsTrail) = (false, false)
            if page.hasMore { return keep(StagedPage(page), Stage.adding(page, to: stage, cursor: cursor)) }
            if stage == nil, page.upTo == cursor, page.verdicts.isEmpty {
                // There is nothing to apply.
                (phase, attempts) = (.idle, 0)
                return isDue ? begin() : poll(now)
            }
            phase = .applying(page)
            return [.apply(stage, page, from: cursor)]
        case .restart: return restart()
        case .ahead(let common):
            guard showsTrail else {
                // Of the places that were named, others may be closer to where the server and the device part.
                let effects = forget()
                (showsTrail, asksForNews) = (true, true)
                return effects + prepare()
            }
            guard let common else { return forget() + sendRows(now) }
            guard common != cursor else { return restart() }
            phase = .offering
            return [.offer(after: common)]
        case .beginAgain: return forget() + sendRows(now)
        case .rows(let page):
            guard case .beginningAgain = phase else { return restart() }
            return keep(StagedPage(page), Stage.adding(page, to: stage, cursor: cursor))
        }
    }

    private mutating func keep(_ page: StagedPage, _ stage: Stage) -> [Effect] {
        phase = .staging(stage)
        return [.stage(page, stage)]
    }

    private mutating func proceed() -> [Effect] {
        guard case .staging(let stage) = phase else { return [] }
        (self.stage, attempts) = (stage, 0)
        isCopying = stage.upTo == nil
        return prepare()
    }

    private mutating func conclude(
        _ result: ApplyResult, _ cursor: HistoryPosition?, _ now: Int64
    ) -> [Effect] {
        guard case .applying(let page) = phase else { return [] }
        switch result {
        case .applied:
            let verdicts = (stage?.verdicts ?? []) + page.verdicts
            self.cursor = cursor
            stored = verdicts.map(\.id)
            (stage, isCopying, hasMisfit) = (nil, false, false)
            (phase, attempts) = (.idle, 0)
            // Verdicts say that there was something to send, and there may be more of it.
            return isDue || !verdicts.isEmpty ? begin() : poll(now)
        case .doesNotFit:
            waitsForVerdicts = true
            return keep(StagedPage(page), Stage.adding(page, to: stage, cursor: self.cursor))
        case .outdated:
            self.cursor = cursor
            return restart()
        case .incomplete: return forget() + sendRows(now)
        }
    }

    /// The last place, those that are 1, 3, 7, 15 and so on before it, and the first.
    private static func excerpt(_ trail: [HistoryPosition]) -> [HistoryPosition] {
        let ages = sequence(first: 0) { 2 * $0 + 1 }.prefix { $0 < trail.count - 1 }
        return trail.prefix(1) + ages.reversed().map { trail[trail.count - 1 - $0] }
    }

    private mutating func prepare() -> [Effect] {
        phase = .preparing
        return [.prepare(settled: stage?.verdicts.map(\.id) ?? [])]
    }

    private func poll(_ now: Int64) -> [Effect] { patience.poll.map { [.wake(at: now + $0)] } ?? [] }

    private mutating func restart() -> [Effect] {
        asksForNews = true
        return forget() + prepare()
    }

    private mutating func forget() -> [Effect] {
        (stage, isCopying, waitsForVerdicts, showsTrail) = (nil, false, false, false)
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
