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
                    try await place.with(in: scratch) { new, codes, wrapper in
                        try await round(trial, new, codes, wrapper, in: scratch)
                    }
                }
                trial.report.count("refusals of \(place.rawValue)")
                rounds += 1
            }
        }
        trial.report.require("refusals of \(ForbiddenPlace.directory.rawValue)")
    }

    private static func round(
        _ trial: Trial, _ new: String, _ codes: Set<String>, _ wrapper: [String], in scratch: Scratch
    ) async throws {
        let (old, report) = ("sqlite:\(scratch.file("old.sqlite"))", trial.report)
        try await Ledger.fill(old, rows: max(trial.rows, 1_000))
        let store = try await Backends.open(old, createsIfMissing: false)
        let marker = try await store.marker()
        let ending = try await SwitchAttempt(.ledger, old, new, in: scratch, wrapper: wrapper).ended
        if !codes.contains(ending.code ?? "none") { ending.report(to: report) }
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
    case session = "a role whose transactions only read"

    static let reachable = allCases.filter { $0 == .directory || PostgresServer.url != nil }

    /// Lends the place's URL, the codes of the errors that say so, and the command by which a process is subject to it.
    func with(
        in scratch: Scratch,
        _ body: (_ url: String, _ codes: Set<String>, _ wrapper: [String]) async throws -> Void
    ) async throws {
        if self == .directory { return try await withDirectory(in: scratch, body) }
        let server = try ServerScenarios.serverURL
        let name = PostgresServer.newSchemaName()
        let rights =
            self == .role
            ? ""
            : "GRANT CREATE ON DATABASE switchyard_test TO \(name); ALTER ROLE \(name) SET default_transaction_read_only = on"
        try await PostgresServer.administer("CREATE ROLE \(name) LOGIN; \(rights)")
        let url = server.replacing("postgres://switchyard@", with: "postgres://\(name)@") + "&schema=\(name)"
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(url, self == .role ? ["configuration"] : ["readOnly"], []))
        } catch {
            result = .failure(error)
        }
        try await PostgresServer.administer("DROP OWNED BY \(name); DROP ROLE \(name)")
        try result.get()
    }

    private func withDirectory(
        in scratch: Scratch, _ body: (String, Set<String>, [String]) async throws -> Void
    ) async throws {
        let directory = scratch.file("directory")
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o500])
        // Root writes everywhere, unless it gives up the right to.
        let wrapper = geteuid() == 0 ? ["/usr/bin/setpriv", "--bounding-set=-dac_override"] : []
        if let program = wrapper.first, !FileManager.default.isExecutableFile(atPath: program) {
            throw MissingPart(description: "for root it needs the command setpriv.")
        }
        try await body(
            "sqlite:\(directory)/new.sqlite", ["readOnly", "configuration", "inputOutput"], wrapper)
        let left = try FileManager.default.contentsOfDirectory(atPath: directory)
        if !left.isEmpty { throw MissingPart(description: "\(left) could be written") }
        chmod(directory, 0o700)
    }
}
