import Foundation
import PostgresTestServer
import Switchyard
import SwitchyardConformance

extension SwitchScenarios {
    /// A switch to a place that the process may not write: it is refused, nothing is changed, and the old store is used on.
    static let refused = Scenario(
        name: "switch-refused", summary: "a store is switched to a place that may not be written",
        usualCount: 3
    ) { trial in
        var rounds = 0
        while trial.effort.goesOn(after: rounds) {
            for place in ForbiddenPlace.reachable {
                try await Scratch.with { scratch in
                    try await place.with(in: scratch) { new, code, wrapper in
                        try await round(trial, new, code, wrapper, in: scratch)
                    }
                }
                trial.report.count("refusals of \(place.rawValue)")
                rounds += 1
            }
        }
        trial.report.require("refusals of \(ForbiddenPlace.directory.rawValue)")
    }

    private static func round(
        _ trial: Trial, _ new: String, _ code: String, _ wrapper: [String], in scratch: Scratch
    ) async throws {
        let (old, report) = ("sqlite:\(scratch.file("old.sqlite"))", trial.report)
        try await Ledger.fill(old, rows: max(trial.rows, 1_000))
        let store = try await Backends.open(old, createsIfMissing: false)
        let marker = try await store.marker()
        let ending = try await SwitchAttempt(.ledger, old, new, in: scratch, wrapper: wrapper).ended
        if ending.code != code { ending.report(to: report) }
        if try await store.marker() != marker { report.violation("the old store's marker has changed") }
        let journal = try Journal(path: scratch.journal(0))
        let work = LedgerWork(store: store, worker: 0, journal: journal, bound: .seconds(60))
        var generator = SeededGenerator(seed: trial.seed)
        await work.post(0, using: &generator)
        let audit = try LedgerAudit(workers: 0..<1, in: scratch, report: report)
        audit.countWork()
        if audit.journals[0]?.outcomes[0] != .done { report.violation("the old store takes no write") }
        try await audit.verify(store)
        try await store.close()
    }
}

/// A place where no store can be made.
private enum ForbiddenPlace: String, CaseIterable {
    case directory = "a directory that is only read"
    case role = "a role that may not create anything"
    case standby = "a server that only reads"

    static var reachable: [ForbiddenPlace] {
        allCases.filter {
            switch $0 {
            case .directory: true
            case .role: PostgresServer.url != nil
            case .standby: PostgresServer.standbyURL != nil
            }
        }
    }

    /// Lends the place's URL, the code of the error that says so, and the command by which a process is subject to it.
    func with(
        in scratch: Scratch, _ body: (_ url: String, _ code: String, _ wrapper: [String]) async throws -> Void
    ) async throws {
        let name = PostgresServer.newSchemaName()
        switch self {
        case .directory:
            // Root writes everywhere, unless it gives up the right to.
            let wrapper = geteuid() == 0 ? ["/usr/bin/setpriv", "--bounding-set=-dac_override"] : []
            if let program = wrapper.first, !FileManager.default.isExecutableFile(atPath: program) {
                throw MissingPart(description: "for root it needs the command setpriv.")
            }
            let directory = scratch.file("directory")
            guard mkdir(directory, 0o500) == 0 else {
                throw MissingPart(description: "no directory can be made (\(errno)).")
            }
            try await body("sqlite:\(directory)/new.sqlite", "inputOutput", wrapper)
            rmdir(directory)
        case .role:
            try await PostgresServer.administer("CREATE ROLE \(name) LOGIN")
            let server = try ServerScenarios.serverURL
            let url = server.replacing("postgres://switchyard@", with: "postgres://\(name)@")
            try await body("\(url)&schema=\(name)", "configuration", [])
            try await PostgresServer.administer("DROP ROLE \(name)")
        case .standby:
            try await body("\(PostgresServer.standbyURL ?? "")&schema=\(name)", "readOnly", [])
        }
    }
}
