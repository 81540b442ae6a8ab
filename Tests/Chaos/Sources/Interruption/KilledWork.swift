import SwitchyardConformance

/// Work on a database that is done wholly or not at all, wherever its process is killed.
struct KilledWork: Sendable {
    /// Whether the work is done.
    enum State: Sendable {
        case undone, done
    }

    /// What is done to what, for the report.
    let name: String
    /// The arguments of a process that does the work by `WorkProcess.run`.
    let arguments: [String]
    /// Looks what has come of the work, and for everything that should be there; nil, with a violation reported, if the work
    /// is half done.
    let look: @Sendable () async throws -> State?

    /// How long processes take that are not killed.
    struct Pace: Sendable {
        /// From the start of the process until the work begins.
        let start: Duration
        /// The least time that the work has taken so far.
        fileprivate(set) var work: Duration
    }

    /// Does the work in a process that is not killed.
    ///
    /// - Returns: How long it took; nil, with a violation reported, if it has failed.
    func measured(in scratch: Scratch, _ report: Report) async throws -> Pace? {
        let start = ContinuousClock.now
        let ending = try await WorkAttempt.run(arguments, killedAt: .never, in: scratch)
        guard let time = ending.time else {
            fail(ending, report)
            return nil
        }
        return Pace(start: max(start.duration(to: .now) - time, .zero), work: time)
    }

    /// Kills processes that begin the work, until one has done it; and lets one begin it that finds it done.
    ///
    /// - Parameters:
    ///   - pace: How long processes have taken that were not killed; also, afterwards, the one that has done the work.
    ///   - scratch: Where their output goes.
    ///   - generator: Draws the moments.
    ///   - report: Where violations are reported, and kills are counted.
    /// - Returns: How many processes were killed.
    /// - Throws: What the scenario itself fails for.
    func run(
        _ pace: inout Pace, in scratch: Scratch, _ generator: inout SeededGenerator, _ report: Report
    ) async throws -> Int {
        var kills = 0
        while true {
            let moment = Self.moment(pace, after: kills, &generator)
            let ending = try await WorkAttempt.run(arguments, killedAt: moment, in: scratch)
            if let time = ending.time { pace.work = min(pace.work, time) }
            let state = try await look()
            if ending.wasKilled {
                kills += 1
                report.count("kills \(Self.place(of: ending)) \(name)")
            } else if ending.process != .exit(0) {
                fail(ending, report)
                return kills
            }
            switch (state, ending.word) {
            case (nil, _): return kills
            case (.done, nil): report.violation("\(name): done by a process that had not begun")
            case (.undone, .done): report.violation("\(name): undone by a process that said it was done")
            case (_, .wasDone): report.violation("\(name): a process has found it done that was not")
            default: break
            }
            guard state == .undone else { break }
            guard ending.wasKilled else { return kills }
        }
        let last = try await WorkAttempt.run(arguments, killedAt: .never, in: scratch)
        if last.process != .exit(0) || last.word != .wasDone { fail(last, report) }
        if try await look() == .undone { report.violation("\(name): undone by a process that found it done") }
        return kills
    }

    /// Where in the work a process was killed.
    private static func place(of ending: WorkAttempt.Ending) -> String {
        switch ending.word {
        case nil: "before"
        case .begun: "inside"
        default: "after"
        }
    }

    /// Draws a moment, mostly in the work.
    ///
    /// Half of these are near its end, where a transaction is committed. The others are later each time, so that one process
    /// comes to its end.
    private static func moment(
        _ pace: Pace, after kills: Int, _ generator: inout SeededGenerator
    ) -> KillMoment {
        let part = Double.random(in: 0...1.1, using: &generator)
        switch Int.random(in: 0..<9, using: &generator) {
        case 0: return .afterStart(pace.start * part)
        case 1...4: return .afterBeginning(pace.work * (0.75 + part * 0.3))
        default: return .afterBeginning(pace.work * part * (1 + Double(kills) / 5))
        }
    }

    private func fail(_ ending: WorkAttempt.Ending, _ report: Report) {
        let process = ending.process.map { "\($0)" } ?? "a hang"
        let words = ending.words.map { "\($0.word) \($0.rest)" }.joined(separator: "; ")
        report.violation("\(name): a process has ended as \(process): \(words.suffix(600))")
    }
}
