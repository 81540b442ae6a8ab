/// One kind of fault, with the model that says what must be there afterwards.
struct Scenario: Sendable {
    let name: String
    let summary: String
    /// How many faults a run makes that is not told otherwise: as many as fit into some seconds.
    let usualCount: Int
    let run: @Sendable (Trial) async throws -> Void

    static let all: [Scenario] =
        SharedFileScenarios.all + CommandScenarios.all + ScarcityScenarios.all + TaskScenarios.all
        + ServerScenarios.all + HistoryScenarios.all + SwitchScenarios.all + RelocationScenarios.all
        + MigrationScenarios.all + MirrorScenarios.all + DepotScenarios.all + FuzzScenarios.all

    static func named(_ name: String) -> Scenario? { all.first { $0.name == name } }
}

/// One run of a scenario: what decides it, and where it reports.
struct Trial: Sendable {
    let seed: UInt64
    let effort: Effort
    /// How many rows a store has at first, where that is of interest.
    let rows: Int
    /// The path of the built `babymonitor`.
    let command: String?
    let report: Report
}

/// How long a scenario goes on.
struct Effort: Sendable {
    private let count: Int
    private let minutes: Double?
    private let deadline: ContinuousClock.Instant?

    init(count: Int, minutes: Double?) {
        self.count = count
        self.minutes = minutes
        deadline = minutes.map { .now + .seconds($0 * 60) }
    }

    /// As much once more, for the next of several backends.
    var restarted: Effort { Effort(count: count, minutes: minutes) }

    /// Half as much, for one of two kinds of stores.
    var half: Effort { Effort(count: (count + 1) / 2, minutes: minutes.map { $0 / 2 }) }

    /// Whether there is to be a further fault after so many.
    func goesOn(after done: Int) -> Bool {
        if let deadline { return ContinuousClock.now < deadline }
        return done < count
    }
}

/// Something that a scenario needs and this machine lacks.
struct MissingPart: Error, CustomStringConvertible {
    let description: String
}
