import Foundation
import PostgresTestServer
import Switchyard
import SwitchyardConformance
import Synchronization

extension SwitchScenarios {
    /// A store that is switched to a server and back while nothing breaks.
    ///
    /// What is of interest is how long a write waits.
    static let follow = Scenario(
        name: "switch-follow", summary: "a store goes to a server and back under processes that write to it",
        usualCount: 2
    ) { trial in
        try await LedgerJourney.make(
            trial, through: try ServerScenarios.serverURL, while: trial.effort.goesOn(after:))
    }

    /// The same after rehearsals, whose processes are killed.
    static let rehearse = Scenario(
        name: "switch-rehearse",
        summary: "switches are rehearsed by processes that are killed, and carried out",
        usualCount: 2
    ) { trial in
        try await LedgerJourney.make(
            trial, through: try ServerScenarios.serverURL, rehearsal: LedgerRehearsal(seed: trial.seed),
            while: trial.effort.goesOn(after:))
        trial.report.require("reads compared")
    }

    /// The same on a way on which every connection breaks sooner or later.
    static let cut = Scenario(
        name: "switch-cut", summary: "a store goes to a server and back on a way that breaks", usualCount: 20
    ) { trial in
        try await ServerScenarios.withProxy(
            trial, settings: "&statementTimeout=60", { .late(using: &$0) }
        ) { proxy, url in
            try await LedgerJourney.make(
                trial, through: url, while: { _ in trial.effort.goesOn(after: proxy.faultCount) })
            trial.report.count("faults", proxy.faultCount)
        }
    }

    /// The same on a way on which half of all connections fall silent, as long as a statement and its answer may take.
    static let silent = Scenario(
        name: "switch-silent",
        summary: "a store goes to a server and back on a way on which half of all connections fall silent",
        usualCount: 6
    ) { trial in
        try await ServerScenarios.withProxy(
            trial, settings: "&statementTimeout=1&connectTimeout=2",
            { Bool.random(using: &$0) ? .silent(using: &$0) : nil }
        ) { proxy, url in
            try await LedgerJourney.make(
                trial, through: url, mayTimeOut: true,
                while: { _ in trial.effort.goesOn(after: proxy.faultCount) })
            trial.report.count("faults", proxy.faultCount)
        }
    }

    /// The same with a server that is killed.
    static let restart = Scenario(
        name: "switch-restart", summary: "a store goes to a server and back while the server is killed",
        usualCount: 2
    ) { trial in
        guard let command = PostgresServer.restartCommand else {
            throw MissingPart(description: "it needs a server that Tests/run has started.")
        }
        let report = trial.report
        let generator = Mutex(SeededGenerator(seed: trial.seed))
        try await LedgerJourney.make(
            trial, through: try ServerScenarios.serverURL,
            while: { _ in trial.effort.goesOn(after: report.count(of: "servers killed")) }
        ) { interruptions in
            // A switch of many rows takes long; later each time, so that it comes to its end.
            let most = 1_000 + trial.rows / 20 + 500 * interruptions
            let delay = generator.withLock { Int.random(in: 50...most, using: &$0) }
            try await Task.sleep(for: .milliseconds(delay))
            try await ServerScenarios.restart(command)
            report.count("servers killed")
        }
    }
}
